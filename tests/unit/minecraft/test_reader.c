#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/reader.h"
#include "minecraft/varint.h"

static struct reader over(const void *p, size_t n)
{
	return reader_of(slice_of(p, n));
}

static void test_every_type(void **state)
{
	static const uint8_t body[] = {
		0x07, 0xFE, 0x12, 0x34, 0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 0xFD,       /* u8 .. i32 */
		0x80, 0,    0,    0,    0,    0,    0,    1,    0x3F, 0x80, 0, 0, /* i64, f32 */
		0xC0, 0x00, 0,    0,    0,    0,    0,    0,    1,    0,          /* f64, bools */
		3,    'a',  0xC3, 0xA9, 'x',  'y',                                /* str, rest */
	};
	struct reader r = over(body, sizeof(body));

	(void)state;
	assert_int_equal(read_u8(&r), 7);
	assert_int_equal(read_i8(&r), -2);
	assert_int_equal(read_u16(&r), 0x1234);
	assert_int_equal(read_i16(&r), -2);
	assert_int_equal(read_i32(&r), -3);
	assert_true(read_i64(&r) == INT64_MIN + 1);
	assert_true(read_f32(&r) == 1.0F);
	assert_true(read_f64(&r) == -2.0);
	assert_true(read_bool(&r));
	assert_false(read_bool(&r));
	assert_true(slice_eq(read_str(&r, 2), SLICE_LIT("a\u00e9")));
	assert_false(reader_done(&r));
	assert_true(slice_eq(read_rest(&r), SLICE_LIT("xy")));
	assert_true(reader_done(&r));
}

static const struct {
	uint8_t wire[6];
	size_t len;
	int32_t value;
} varints[] = {
	{{0}, 1, 0},
	{{0x7F}, 1, 127},
	{{0x80, 0x01}, 2, 128},
	{{0xFF, 0xFF, 0x7F}, 3, 2097151},
	{{0xFF, 0xFF, 0xFF, 0xFF, 0x07}, 5, INT32_MAX},
	{{0x80, 0x80, 0x80, 0x80, 0x08}, 5, INT32_MIN},
	{{0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, 5, -1},
	{{0xFF, 0xFF, 0xFF, 0xFF, 0x7F}, 5, -1}, /* what is above 32 bits drops out */
	{{0x85, 0x80, 0x80, 0x80, 0x00}, 5, 5},
	{{0x85, 0x00}, 2, 5},
};

static void test_varints(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(varints); i++) {
		struct reader r = over(varints[i].wire, varints[i].len);

		assert_int_equal(read_varint(&r), varints[i].value);
		assert_true(reader_done(&r));
		for (size_t cut = 0; cut < varints[i].len; cut++) {
			r = over(varints[i].wire, cut);
			assert_int_equal(read_varint(&r), 0);
			assert_true(r.bad);
		}
	}
}

static void test_a_varint_of_six_bytes_is_bad(void **state)
{
	static const uint8_t wire[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
	struct reader r = over(wire, sizeof(wire));
	uint32_t value;

	(void)state;
	assert_int_equal(read_varint(&r), 0);
	assert_true(r.bad);
	assert_int_equal(varint_at(wire, 5, &value), VARINT_TOO_LONG);
	assert_int_equal(varint_at(wire, 4, &value), VARINT_CUT);
}

/* After the first field that does not fit nothing is read any more, though bytes are left. */
static void test_bad_sticks(void **state)
{
	static const uint8_t body[] = {1, 2, 3};
	struct reader r = over(body, sizeof(body));

	(void)state;
	assert_int_equal(read_i32(&r), 0);
	assert_true(r.bad);
	assert_int_equal(read_u8(&r), 0);
	assert_int_equal(read_varint(&r), 0);
	assert_int_equal(read_u16(&r), 0);
	assert_true(read_i64(&r) == 0 && read_f64(&r) == 0 && read_f32(&r) == 0);
	assert_false(read_bool(&r));
	assert_int_equal(read_rest(&r).len, 0);
	assert_int_equal(read_str(&r, 10).len, 0);
	assert_int_equal(read_bytes(&r, 1).len, 0);
	assert_false(reader_done(&r));
}

static void test_bools_are_0_or_1(void **state)
{
	struct reader r = over("\2", 1);

	(void)state;
	assert_false(read_bool(&r));
	assert_true(r.bad);
}

static bool str_fits(struct slice wire, unsigned max_units)
{
	struct reader r = reader_of(wire);

	(void)read_str(&r, max_units);
	return reader_done(&r);
}

static void test_strings(void **state)
{
	(void)state;
	assert_true(str_fits(SLICE_LIT("\0"), 0));
	assert_true(str_fits(SLICE_LIT("\2ab"), 2));
	assert_false(str_fits(SLICE_LIT("\2ab"), 1));
	assert_false(str_fits(SLICE_LIT("\3ab"), 9));
	/* One character beyond the BMP is two units. */
	assert_true(str_fits(SLICE_LIT("\4\xF0\x9F\x98\x80"), 2));
	assert_false(str_fits(SLICE_LIT("\4\xF0\x9F\x98\x80"), 1));
	assert_false(str_fits(SLICE_LIT("\2\xC3\x28"), 9));
	assert_false(str_fits(SLICE_LIT("\1\xC3"), 9));
	assert_false(str_fits(SLICE_LIT("\xFF\xFF\xFF\xFF\x0F"), 9));
	assert_false(str_fits(SLICE_LIT("\xFF\xFF\xFF\xFF\x07"), 9));
	assert_false(str_fits(SLICE_LIT(""), 9));
}

static void test_empty_body(void **state)
{
	struct reader r = over(NULL, 0);

	(void)state;
	assert_true(reader_done(&r));
	assert_int_equal(read_rest(&r).len, 0);
	assert_true(reader_done(&r));
	assert_int_equal(read_varint(&r), 0);
	assert_false(reader_done(&r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_type),
		cmocka_unit_test(test_varints),
		cmocka_unit_test(test_a_varint_of_six_bytes_is_bad),
		cmocka_unit_test(test_bad_sticks),
		cmocka_unit_test(test_bools_are_0_or_1),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_empty_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
