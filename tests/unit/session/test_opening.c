#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "session/opening.h"

static const int32_t worlds[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, -106, 150, 255, INT32_MIN, INT32_MAX};

/* Case 11: a change each time, and only through worlds that every client knows. */
static void test_elsewhere(void **state)
{
	(void)state;
	for (size_t a = 0; a < COUNT_OF(worlds); a++) {
		for (size_t b = 0; b < COUNT_OF(worlds); b++) {
			int32_t got = opening_elsewhere(worlds[a], worlds[b]);

			assert_true(got == -1 || got == 0 || got == 1);
			assert_true(got != worlds[a] && got != worlds[b]);
			assert_int_equal(got, opening_elsewhere(worlds[b], worlds[a]));
		}
	}
}

/* Case 2: the override counts exactly when the byte is what a server makes of it. */
static void test_target(void **state)
{
	(void)state;
	for (int byte = -128; byte < 128; byte++) {
		assert_int_equal(opening_target((int8_t)byte, false, 150), byte);
		for (int32_t override = -70000; override < 70000; override += 1) {
			int32_t want = (override - byte) % 256 == 0 ? override : byte;

			if (opening_target((int8_t)byte, true, override) != want)
				fail_msg("byte %d, override %d", byte, override);
		}
	}
	assert_int_equal(opening_target(-106, true, 150), 150);
	assert_int_equal(opening_target(-1, true, 255), 255);
	assert_int_equal(opening_target(-1, true, -1), -1);
	assert_int_equal(opening_target(7, true, 7), 7);
	assert_int_equal(opening_target(0, true, 7), 0); /* left over from another server */
	assert_int_equal(opening_target(-106, true, -106), -106);
	assert_int_equal(opening_target(0, true, INT32_MIN), INT32_MIN);
	assert_int_equal(opening_target(-1, true, INT32_MAX), INT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
