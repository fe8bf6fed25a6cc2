#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/dice.h"

/* Appends and drops at random against an array. */
static void test_against_an_array(void **state)
{
	static uint8_t model[200000];
	size_t len = 0;
	struct buf b = {0};
	uint64_t seed = 5;

	(void)state;
	for (unsigned step = 0; step < 3000; step++) {
		uint8_t bytes[300];
		size_t n = dice(&seed, sizeof(bytes));

		if (dice(&seed, 4) == 0 || len + n > sizeof(model)) {
			n = dice(&seed, (uint32_t)len + 1);
			buf_drop_front(&b, n);
			memmove(model, model + n, len - n);
			len -= n;
		} else {
			memset(bytes, (int)(step & 255), sizeof(bytes));
			assert_true(buf_append(&b, slice_of(bytes, n)));
			memcpy(model + len, bytes, n);
			len += n;
		}
		assert_int_equal(b.len, len);
		assert_true(b.cap >= b.len);
		assert_true(slice_eq(buf_slice(&b), slice_of(model, len)));
	}
	buf_fini(&b);
	assert_true(b.p == NULL && b.len == 0 && b.cap == 0);
}

static void test_empty_things(void **state)
{
	struct buf b = {0};

	(void)state;
	assert_true(buf_append(&b, (struct slice){0}));
	assert_true(buf_reserve(&b, 0));
	buf_drop_front(&b, 0);
	assert_int_equal(b.len, 0);
	buf_fini(&b);
	buf_fini(&b);
	assert_true(buf_append(&b, SLICE_LIT("again")));
	assert_true(slice_eq(buf_slice(&b), SLICE_LIT("again")));
	buf_drop_front(&b, 5);
	assert_int_equal(b.len, 0);
	buf_fini(&b);
}

/* Reserved room can be written without growing. */
static void test_reserve(void **state)
{
	struct buf b = {0};
	uint8_t *p;

	(void)state;
	assert_true(buf_append(&b, SLICE_LIT("abc")));
	assert_true(buf_reserve(&b, 5000));
	p = b.p;
	for (unsigned i = 0; i < 5000; i++)
		assert_true(buf_append(&b, SLICE_LIT("x")));
	assert_ptr_equal(b.p, p);
	assert_int_equal(b.len, 5003);
	buf_fini(&b);
}

static void test_too_much(void **state)
{
	struct buf b = {0};

	(void)state;
	assert_true(buf_append(&b, SLICE_LIT("abc")));
	for (size_t less = 0; less < 8; less++)
		assert_false(buf_reserve(&b, SIZE_MAX - less));
	assert_false(buf_reserve(&b, SIZE_MAX / 4));
	assert_true(slice_eq(buf_slice(&b), SLICE_LIT("abc")));
	buf_fini(&b);
}

static void test_printf(void **state)
{
	static char long_text[3000];
	struct buf b = {0};

	(void)state;
	memset(long_text, 'y', sizeof(long_text) - 1);
	assert_true(buf_printf(&b, "%s", ""));
	assert_int_equal(b.len, 0);
	assert_true(buf_printf(&b, "%d-%s", 42, "x"));
	assert_true(slice_eq(buf_slice(&b), SLICE_LIT("42-x")));
	assert_true(buf_printf(&b, "%s", long_text));
	assert_int_equal(b.len, 4 + 2999);
	assert_int_equal(b.p[4 + 2998], 'y');
	/* Exactly as much as there is room for, with and without its NUL. */
	for (size_t n = 50; n < 70; n++) {
		struct buf c = {0};

		assert_true(buf_printf(&c, "%.*s", (int)n, long_text));
		assert_true(slice_eq(buf_slice(&c), slice_of(long_text, n)));
		buf_fini(&c);
	}
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_an_array), cmocka_unit_test(test_empty_things),
		cmocka_unit_test(test_reserve),          cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
