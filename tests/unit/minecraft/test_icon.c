#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/status.h"

/* Signature, IHDR of 64 x 64. */
static const uint8_t head[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0,
			       0,    13,  'I', 'H', 'D',  'R',  0,    0,    0, 64,
			       0,    0,   0,   64,  8,    6,    0,    0,    0};

static void test_a_good_icon(void **state)
{
	const char *why = "untouched";

	(void)state;
	assert_true(icon_check(slice_of(head, sizeof(head)), &why));
	assert_string_equal(why, "untouched");
}

static void test_every_byte_of_the_head_counts(void **state)
{
	uint8_t png[sizeof(head)];

	(void)state;
	for (size_t i = 0; i < 24; i++) {
		const char *why = NULL;

		memcpy(png, head, sizeof(png));
		png[i] ^= 1;
		assert_false(icon_check(slice_of(png, sizeof(png)), &why));
		assert_non_null(strstr(why, i < 16 ? "PNG" : "64 x 64"));
		assert_false(icon_check(slice_of(head, i), &why));
		assert_non_null(strstr(why, "PNG"));
	}
}

static void test_an_icon_must_fit_an_answer(void **state)
{
	static uint8_t png[24001];
	const char *why = NULL;

	(void)state;
	memcpy(png, head, sizeof(head));
	assert_true(icon_check(slice_of(png, 24000), &why));
	assert_false(icon_check(slice_of(png, 24001), &why));
	assert_non_null(strstr(why, "24,000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_good_icon),
		cmocka_unit_test(test_every_byte_of_the_head_counts),
		cmocka_unit_test(test_an_icon_must_fit_an_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
