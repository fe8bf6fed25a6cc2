#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/play.h"
#include "minecraft/reader.h"

enum { LONGEST = 0x1FFF9A, MEMORY = LONGEST + 64 };

static uint8_t data[LONGEST + 1], memory[MEMORY];

static int fill(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 13 + (i >> 8));
	return 0;
}

static void test_golden_bytes(void **state)
{
	struct plugin_message m = {SLICE_LIT("MC|Brand"), SLICE_LIT("vanilla")};
	struct writer w = writer_of(memory, sizeof(memory));

	(void)state;
	plugin_c_write(&w, &m);
	assert_true(slice_eq(writer_slice(&w), SLICE_LIT("\x13\x17\x08MC|Brand\0\7vanilla")));
	w = writer_of(memory, sizeof(memory));
	plugin_s_write(&w, &m);
	assert_true(slice_eq(writer_slice(&w), SLICE_LIT("\x13\x3F\x08MC|Brand\0\7vanilla")));
}

/* The body of the one frame in w. */
static struct slice body_of(const struct writer *w)
{
	struct reader r = reader_of(writer_slice(w));
	int32_t length = read_varint(&r);

	assert_false(w->full);
	assert_int_equal(length, r.rest.len);
	(void)read_varint(&r);
	return read_rest(&r);
}

static void check_s_length(size_t n)
{
	struct plugin_message m = {SLICE_LIT("FML|HS"), slice_of(data, n)}, got;
	struct writer w = writer_of(memory, sizeof(memory));
	struct slice body;

	plugin_s_write(&w, &m);
	body = body_of(&w);
	assert_int_equal(body.len, 7 + (n <= 0x7FFF ? 2 : 3) + n);
	assert_true(plugin_s_parse(&got, body));
	assert_true(slice_eq(got.channel, m.channel));
	assert_true(slice_eq(got.data, m.data));
}

static void test_clientbound_lengths(void **state)
{
	static const size_t lengths[] = {0,      1,       255,     32766,       32767,  32768,
					 32769,  65535,   65536,   65537,       98303,  98304,
					 500000, 1048575, 1048576, LONGEST - 1, LONGEST};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lengths); i++)
		check_s_length(lengths[i]);
}

static void test_longer_ones_are_never_built(void **state)
{
	struct plugin_message m = {SLICE_LIT("a"), slice_of(data, LONGEST + 1)};
	struct writer w = writer_of(memory, sizeof(memory));

	(void)state;
	plugin_s_write(&w, &m);
	assert_true(w.full);
	m.data.len = PLUGIN_C_DATA_MAX + 1;
	w = writer_of(memory, sizeof(memory));
	plugin_c_write(&w, &m);
	assert_true(w.full);
	m.data.len = PLUGIN_C_DATA_MAX;
	w = writer_of(memory, sizeof(memory));
	plugin_c_write(&w, &m);
	assert_false(w.full);
}

/* A plain length of 32,768 and more is what vanilla servers of 1.7 may send. */
static void test_a_plain_length_with_the_high_bit(void **state)
{
	struct writer w = writer_of(memory, sizeof(memory));
	struct plugin_message got;

	(void)state;
	write_str(&w, SLICE_LIT("a"));
	write_u16(&w, 40000);
	write_bytes(&w, slice_of(data, 40000));
	assert_true(plugin_s_parse(&got, writer_slice(&w)));
	assert_int_equal(got.data.len, 40000);
}

static void test_lengths_that_do_not_fit_are_opaque(void **state)
{
	static const struct slice bodies[] = {
		SLICE_LIT(""),
		SLICE_LIT("\1"),
		SLICE_LIT("\1a"),
		SLICE_LIT("\1a\0"),
		SLICE_LIT("\1a\0\1"),
		SLICE_LIT("\1a\0\1xy"),
		SLICE_LIT("\1a\x80\1"),
		SLICE_LIT("\1a\x80\2\0x"),
		SLICE_LIT("\1a\x80\1\1x"),
		SLICE_LIT("\x15"
			  "aaaaaaaaaaaaaaaaaaaaa\0\0"),
	};
	struct plugin_message got = {.data = SLICE_LIT("untouched")};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bodies); i++)
		assert_false(plugin_s_parse(&got, bodies[i]));
	assert_true(slice_eq(got.data, SLICE_LIT("untouched")));
	assert_true(plugin_s_parse(&got, SLICE_LIT("\1a\x80\1\0x")));
	assert_true(slice_eq(got.data, SLICE_LIT("x")));
	assert_true(plugin_s_parse(&got, SLICE_LIT("\1a\x80\0\0")));
	assert_int_equal(got.data.len, 0);
}

static void test_serverbound(void **state)
{
	struct plugin_message got = {.data = SLICE_LIT("untouched")};

	(void)state;
	assert_false(plugin_c_parse(&got, SLICE_LIT("\1a\0\2x")));
	assert_false(plugin_c_parse(&got, SLICE_LIT("\1a\xFF\xFFx")));
	assert_false(plugin_c_parse(&got, SLICE_LIT("\1a\x7F\xFFx")));
	assert_false(plugin_c_parse(&got, SLICE_LIT("\1a\0")));
	assert_true(slice_eq(got.data, SLICE_LIT("untouched")));
	assert_true(plugin_c_parse(&got, SLICE_LIT("\1a\0\2xy")));
	assert_true(slice_eq(got.channel, SLICE_LIT("a")));
	assert_true(slice_eq(got.data, SLICE_LIT("xy")));
	assert_true(plugin_c_parse(&got, SLICE_LIT("\1a\0\1xmods add this")));
	assert_true(slice_eq(got.data, SLICE_LIT("x")));
	assert_true(plugin_c_parse(&got, SLICE_LIT("\1a\0\0")));
	assert_int_equal(got.data.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_bytes),
		cmocka_unit_test(test_clientbound_lengths),
		cmocka_unit_test(test_longer_ones_are_never_built),
		cmocka_unit_test(test_a_plain_length_with_the_high_bit),
		cmocka_unit_test(test_lengths_that_do_not_fit_are_opaque),
		cmocka_unit_test(test_serverbound),
	};

	return cmocka_run_group_tests(tests, fill, NULL);
}
