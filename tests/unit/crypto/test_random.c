#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include <limits.h>
#include <string.h>

#include "crypto/random.h"

enum { N = 32, GUARD = 8 };

static void test_exactly_n_bytes_that_differ(void **state)
{
	unsigned char a[N + GUARD] = {0}, b[N + GUARD] = {0}, zero[N + GUARD] = {0};

	(void)state;
	assert_true(random_bytes(a, N));
	assert_true(random_bytes(b, N));
	assert_memory_not_equal(a, b, N);
	assert_memory_not_equal(a, zero, N);
	assert_memory_equal(a + N, zero, GUARD);
	assert_true(random_bytes(a, 0));
}

static void test_more_than_can_be_asked_for(void **state)
{
	unsigned char a = 7;

	(void)state;
	assert_false(random_bytes(&a, (size_t)INT_MAX + 1));
	assert_int_equal(a, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exactly_n_bytes_that_differ),
		cmocka_unit_test(test_more_than_can_be_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
