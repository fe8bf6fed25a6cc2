#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "crypto/secret.h"

static void test_equal_only_when_all_is(void **state)
{
	uint8_t a[33], b[33];

	(void)state;
	for (size_t i = 0; i < sizeof(a); i++)
		a[i] = b[i] = (uint8_t)(i * 7);
	assert_true(secret_eq(slice_of(a, sizeof(a)), slice_of(b, sizeof(b))));
	for (size_t i = 0; i < sizeof(a); i++) {
		b[i] ^= 0x10;
		assert_false(secret_eq(slice_of(a, sizeof(a)), slice_of(b, sizeof(b))));
		b[i] ^= 0x10;
	}
	assert_false(secret_eq(slice_of(a, 32), slice_of(b, 33)));
	assert_true(secret_eq(slice_of(NULL, 0), slice_of(b, 0)));
}

static void test_wipe(void **state)
{
	uint8_t a[4] = {1, 2, 3, 4};

	(void)state;
	secret_wipe(a, 3);
	assert_memory_equal(a, "\0\0\0\4", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_only_when_all_is),
		cmocka_unit_test(test_wipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
