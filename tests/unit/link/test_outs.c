#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/dice.h"
#include "link/filter.h"

enum { N = 1000 };

/* Inserting anywhere moves the others back: against an array. */
static void test_against_an_array(void **state)
{
	static uint8_t memory[N];
	uint32_t model[N];
	struct arena turn;
	struct outs o = {0};
	uint64_t seed = 2;

	(void)state;
	arena_init(&turn, 4096);
	for (unsigned n = 0; n < N; n++) {
		unsigned at = dice(&seed, n + 1);

		memmove(&model[at + 1], &model[at], (n - at) * sizeof(model[0]));
		model[at] = n;
		assert_true(outs_insert(&o, at, (struct out){.p = memory + n, .len = n}, &turn));
		assert_int_equal(o.n, n + 1);
	}
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(o.v[i].len, model[i]);
		assert_ptr_equal(o.v[i].p, memory + model[i]);
	}
	arena_fini(&turn);
}

/* The count has 16 bits: at its end the answer is no, and nothing is lost. */
static void test_the_end_of_the_count(void **state)
{
	struct arena turn;
	struct outs o = {0};
	unsigned n = 0;

	(void)state;
	arena_init(&turn, 4096);
	while (n <= UINT16_MAX && outs_insert(&o, o.n, (struct out){.len = n}, &turn))
		n++;
	assert_true(n >= 1024 && n <= UINT16_MAX);
	assert_int_equal(o.n, n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(o.v[i].len, i);
	arena_fini(&turn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_an_array),
		cmocka_unit_test(test_the_end_of_the_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
