#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/jsontext.h"

/* jansson's memory, failing at the n-th request. */
static long fail_at;

static void *failing_malloc(size_t n)
{
	return fail_at-- == 0 ? NULL : malloc(n);
}

static void test_strings(void **state)
{
	json_t *j = jsontext_string(SLICE_LIT("a\xFFz\0"));

	(void)state;
	assert_non_null(j);
	assert_int_equal(json_string_length(j), 4);
	assert_memory_equal(json_string_value(j), "a?z\0", 4);
	json_decref(j);
	j = jsontext_string(slice_of(NULL, 0));
	assert_string_equal(json_string_value(j), "");
	json_decref(j);
}

static void test_append_takes_its_argument(void **state)
{
	json_t *j = json_pack("{s:i}", "a", 1);
	struct buf b = {0};

	(void)state;
	json_incref(j);
	assert_true(jsontext_take_append(&b, j));
	assert_int_equal(j->refcount, 1);
	json_decref(j);
	assert_true(slice_eq(buf_slice(&b), SLICE_LIT("{\"a\":1}")));
	assert_false(jsontext_take_append(&b, NULL));
	assert_int_equal(b.len, 7);
	buf_fini(&b);
}

/* Whichever request fails: NULL, and nothing is lost. */
static void test_no_memory(void **state)
{
	json_t *j = NULL;
	long n;

	(void)state;
	json_set_alloc_funcs(failing_malloc, free);
	for (n = 0; j == NULL && n < 100; n++) {
		fail_at = n;
		j = jsontext_component(SLICE_LIT("a\xFF"));
	}
	fail_at = -1;
	assert_non_null(j);
	assert_true(n > 2 && n < 100);
	json_decref(j);
	json_set_alloc_funcs(malloc, free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_append_takes_its_argument),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
