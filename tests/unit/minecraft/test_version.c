#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/slice.h"
#include "minecraft/version.h"

static void test_protocols_there_and_back(void **state)
{
	enum version v;

	(void)state;
	for (int i = 0; i < VERSION_COUNT; i++) {
		assert_true(version_of_protocol(version_protocol((enum version)i), &v));
		assert_int_equal(v, i);
	}
	assert_true(version_of_protocol(4, &v));
	assert_int_equal(v, VERSION_1_7_2);
	assert_true(version_of_protocol(5, &v));
	assert_int_equal(v, VERSION_1_7_6);
}

static void test_unknown_protocols_leave_the_output(void **state)
{
	static const int32_t unknown[] = {-1, 0, 3, 6, 47, 767, INT32_MAX, INT32_MIN};
	enum version v = VERSION_1_7_6;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(unknown); i++)
		assert_false(version_of_protocol(unknown[i], &v));
	assert_int_equal(v, VERSION_1_7_6);
}

/* The span begins as the first version's text and ends as the last one's. */
static void test_the_span_agrees_with_the_table(void **state)
{
	struct slice span = slice_str(version_span_text());
	struct slice first = slice_str(version_text((enum version)0));
	struct slice last = slice_str(version_text((enum version)(VERSION_COUNT - 1)));
	size_t dash = slice_find(span, '-');

	(void)state;
	assert_true(dash < span.len);
	assert_true(slice_eq(slice_of(span.p, dash), slice_of(first.p, slice_find(first, '-'))));
	slice_cut(&span, dash);
	slice_cut(&last, slice_find(last, '-'));
	assert_true(slice_eq(span, last));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_protocols_there_and_back),
		cmocka_unit_test(test_unknown_protocols_leave_the_output),
		cmocka_unit_test(test_the_span_agrees_with_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
