#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/dice.h"

enum { BLOCK = 1024, TURNS = 200, PER_TURN = 60, BIGGEST = 5000 };

struct piece {
	uint8_t *p;
	size_t n;
	uint8_t mark;
};

static void check(const struct piece *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < v[i].n; k++)
			assert_int_equal(v[i].p[k], v[i].mark);
	}
}

/* Whatever is handed out in a turn is aligned, and stays as it was written until the reset. */
static void test_pieces_do_not_touch(void **state)
{
	struct piece v[PER_TURN];
	struct arena a;
	uint64_t seed = 11;

	(void)state;
	arena_init(&a, BLOCK);
	assert_null(a.first);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		for (unsigned i = 0; i < PER_TURN; i++) {
			size_t n = dice(&seed, dice(&seed, 8) == 0 ? BIGGEST : 64);

			v[i] = (struct piece){arena_alloc(&a, n), n, (uint8_t)(turn + i)};
			assert_non_null(v[i].p);
			assert_int_equal((uintptr_t)v[i].p % 16, 0);
			memset(v[i].p, v[i].mark, n);
		}
		check(v, PER_TURN);
		arena_reset(&a);
	}
	arena_fini(&a);
}

/* The first block is used again, so a turn that fits in it costs no heap. */
static void test_first_block_stays(void **state)
{
	struct arena a;
	void *first;

	(void)state;
	arena_init(&a, BLOCK);
	arena_reset(&a); /* harmless before the first use */
	first = arena_alloc(&a, 100);
	for (unsigned turn = 0; turn < 3; turn++) {
		for (unsigned i = 0; i < 50; i++)
			assert_non_null(arena_alloc(&a, 100));
		assert_ptr_not_equal(a.first, a.last);
		arena_reset(&a);
		assert_ptr_equal(a.first, a.last);
		assert_ptr_equal(arena_alloc(&a, 100), first);
	}
	arena_fini(&a);
	assert_null(a.first);
	/* And it can be used again. */
	assert_non_null(arena_alloc(&a, 1));
	arena_fini(&a);
}

static void test_a_block_is_used_to_its_end(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, BLOCK);
	for (unsigned i = 0; i < BLOCK / 16; i++)
		assert_non_null(arena_alloc(&a, 16));
	assert_ptr_equal(a.first, a.last);
	assert_non_null(arena_alloc(&a, 0));
	assert_ptr_equal(a.first, a.last);
	assert_non_null(arena_alloc(&a, 1));
	assert_ptr_not_equal(a.first, a.last);
	arena_fini(&a);
}

/* Sizes near the end of the number range wrapped around and gave too little. */
static void test_sizes_that_do_not_exist(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, BLOCK);
	for (size_t less = 0; less < 100; less++)
		assert_null(arena_alloc(&a, SIZE_MAX - less));
	assert_null(arena_alloc(&a, SIZE_MAX / 2));
	assert_non_null(arena_alloc(&a, 1));
	arena_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_do_not_touch),
		cmocka_unit_test(test_first_block_stays),
		cmocka_unit_test(test_a_block_is_used_to_its_end),
		cmocka_unit_test(test_sizes_that_do_not_exist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
