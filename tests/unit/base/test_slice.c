#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/slice.h"

static void test_equal(void **state)
{
	static const uint8_t with_nul[] = {'a', 0, 'b'};

	(void)state;
	assert_true(slice_eq(SLICE_LIT("abc"), slice_str("abc")));
	assert_false(slice_eq(SLICE_LIT("abc"), SLICE_LIT("abd")));
	assert_false(slice_eq(SLICE_LIT("abc"), SLICE_LIT("ab")));
	assert_true(slice_eq((struct slice){0}, SLICE_LIT("")));
	assert_true(slice_eq(slice_of(with_nul, 3), SLICE_LIT("a\0b")));
	assert_false(slice_eq(slice_of(with_nul, 3), SLICE_LIT("a\0c")));
}

static void test_cut_starts_find(void **state)
{
	struct slice s = SLICE_LIT("head:tail");

	(void)state;
	assert_int_equal(slice_find(s, ':'), 4);
	assert_int_equal(slice_find(s, 'h'), 0);
	assert_int_equal(slice_find(s, '?'), 9);
	assert_int_equal(slice_find((struct slice){0}, 'x'), 0);
	assert_true(slice_starts(s, SLICE_LIT("head")));
	assert_true(slice_starts(s, s));
	assert_true(slice_starts(s, (struct slice){0}));
	assert_false(slice_starts(s, SLICE_LIT("head:tail?")));
	assert_false(slice_starts(s, SLICE_LIT("tail")));
	assert_true(slice_eq(slice_cut(&s, 5), SLICE_LIT("head:")));
	assert_true(slice_eq(s, SLICE_LIT("tail")));
	assert_true(slice_eq(slice_cut(&s, 4), SLICE_LIT("tail")));
	assert_int_equal(s.len, 0);
}

/* Only the 26 letters fold; every pair of bytes. */
static void test_nocase_every_pair(void **state)
{
	(void)state;
	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0; b < 256; b++) {
			uint8_t x = (uint8_t)a, y = (uint8_t)b;
			bool letters = (a ^ b) == 0x20 && (a | 0x20) >= 'a' && (a | 0x20) <= 'z';

			assert_int_equal(slice_eq_nocase(slice_of(&x, 1), slice_of(&y, 1)),
					 a == b || letters);
		}
	}
	assert_false(slice_eq_nocase(SLICE_LIT("ab"), SLICE_LIT("abc")));
	assert_true(slice_eq_nocase((struct slice){0}, SLICE_LIT("")));
	assert_true(slice_eq_nocase(SLICE_LIT("Sec-WebSocket"), SLICE_LIT("sEC-wEBsOCKET")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_cut_starts_find),
		cmocka_unit_test(test_nocase_every_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
