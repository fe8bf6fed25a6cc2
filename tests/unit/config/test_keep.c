#include "config/keep.h"
#include "config_help.h"
#include "oom.h"

static void test_text(void **state)
{
	struct arena memory;
	const char *a = NULL, *b = NULL;

	(void)state;
	arena_init(&memory, 64);
	a = keep_text(&memory, SLICE_LIT("abc"));
	b = keep_text(&memory, slice_of(NULL, 0));
	assert_string_equal(a, "abc");
	assert_string_equal(b, "");
	arena_fini(&memory);
}

static void test_zeroed(void **state)
{
	struct arena memory;
	uint8_t *p = NULL;

	(void)state;
	arena_init(&memory, 4096);
	/* a used and reset arena hands out what it held before */
	p = arena_alloc(&memory, 300);
	memset(p, 0xAA, 300);
	arena_reset(&memory);
	p = keep_zeroed(&memory, 100, 3);
	assert_non_null(p);
	for (int i = 0; i < 300; i++)
		assert_int_equal(p[i], 0);
	assert_non_null(keep_zeroed(&memory, 0, 8));
	assert_null(keep_zeroed(&memory, SIZE_MAX / 2, 3));
	arena_fini(&memory);
}

static void test_out_of_memory(void **state)
{
	struct arena memory;

	(void)state;
	arena_init(&memory, 64);
	oom_arm(0, true);
	const char *text = keep_text(&memory, SLICE_LIT("abc"));
	const void *zeroed = keep_zeroed(&memory, 1, 1);

	assert_true(oom_disarm());
	assert_null(text);
	assert_null(zeroed);
	arena_fini(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_zeroed),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
