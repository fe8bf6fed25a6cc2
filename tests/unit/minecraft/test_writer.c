#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/reader.h"
#include "minecraft/writer.h"

static void test_every_type(void **state)
{
	static const uint8_t want[] = {
		7, 1, 0, 0x12, 0x34, 0xFF, 0xFF, 0xFF, 0xFD, 0x80, 0, 0,
		0, 0, 0, 0,    1,    0x3F, 0x80, 0,    0,    0xC0, 0, 0,
		0, 0, 0, 0,    0,    3,    'a',  0xC3, 0xA9, 'z',
	};
	uint8_t memory[sizeof(want)];
	struct writer w = writer_of(memory, sizeof(memory));

	(void)state;
	write_u8(&w, 7);
	write_bool(&w, true);
	write_bool(&w, false);
	write_u16(&w, 0x1234);
	write_i32(&w, -3);
	write_i64(&w, INT64_MIN + 1);
	write_f32(&w, 1.0F);
	write_f64(&w, -2.0);
	write_str(&w, SLICE_LIT("a\u00e9"));
	write_bytes(&w, SLICE_LIT("z"));
	assert_false(w.full);
	assert_true(slice_eq(writer_slice(&w), slice_of(want, sizeof(want))));
}

static void test_varints_are_canonical_and_read_back(void **state)
{
	(void)state;
	for (int shift = 0; shift < 32; shift++) {
		for (int64_t off = -1; off <= 1; off++) {
			int32_t v = (int32_t)(((int64_t)1 << shift) + off);
			uint8_t memory[VARINT_MAX_BYTES];
			struct writer w = writer_of(memory, sizeof(memory));
			struct reader r;

			write_varint(&w, v);
			assert_false(w.full);
			assert_int_equal(w.len, varint_bytes(v));
			assert_true(w.len == 1 || memory[w.len - 1] != 0);
			r = reader_of(writer_slice(&w));
			assert_int_equal(read_varint(&r), v);
			assert_true(reader_done(&r));
		}
	}
	assert_int_equal(varint_bytes(0), 1);
	assert_int_equal(varint_bytes(127), 1);
	assert_int_equal(varint_bytes(128), 2);
	assert_int_equal(varint_bytes(2097151), 3);
	assert_int_equal(varint_bytes(2097152), 4);
	assert_int_equal(varint_bytes(-1), 5);
}

static void test_full_sticks(void **state)
{
	uint8_t memory[8] = {0};
	struct writer w = writer_of(memory, 3);

	(void)state;
	write_u16(&w, 0x0102);
	write_u16(&w, 0x0304);
	assert_true(w.full);
	write_u8(&w, 5);
	assert_int_equal(w.len, 2);
	assert_memory_equal(memory, "\1\2\0\0", 4);
}

static void test_frames(void **state)
{
	static const uint8_t want[] = {3, 5, 0xAA, 0xBB, 6, 0xE6, 0xFF, 0xFF, 0xFF, 0x0F, 9};
	uint8_t memory[64];
	struct writer w = writer_of(memory, sizeof(memory));
	size_t mark;

	(void)state;
	mark = frame_begin(&w, 5);
	write_u16(&w, 0xAABB);
	frame_end(&w, mark);
	mark = frame_begin(&w, -26);
	write_u8(&w, 9);
	frame_end(&w, mark);
	assert_false(w.full);
	assert_true(slice_eq(writer_slice(&w), slice_of(want, sizeof(want))));
}

static void check_frame_of(uint8_t *memory, size_t cap, size_t length)
{
	struct writer w = writer_of(memory, cap);
	size_t mark = frame_begin(&w, 1);
	struct reader r;

	for (size_t i = 1; i < length; i++)
		write_u8(&w, (uint8_t)i);
	frame_end(&w, mark);
	assert_false(w.full);
	r = reader_of(writer_slice(&w));
	assert_int_equal(read_varint(&r), length);
	assert_int_equal(r.rest.len, length);
	assert_int_equal(read_u8(&r), 1);
	for (size_t i = 1; i < length; i++)
		assert_int_equal(read_u8(&r), (uint8_t)i);
}

static void test_frame_lengths(void **state)
{
	static const size_t lengths[] = {1, 126, 127, 128, 129, 16383, 16384, FRAME_MAX_BYTES};
	size_t cap = FRAME_MAX_BYTES + 16;
	uint8_t *memory = malloc(cap);
	struct writer w = writer_of(memory, cap);
	size_t mark = frame_begin(&w, 1);

	(void)state;
	assert_non_null(memory);
	for (size_t i = 0; i < COUNT_OF(lengths); i++)
		check_frame_of(memory, cap, lengths[i]);
	for (size_t i = 0; i < FRAME_MAX_BYTES; i++)
		write_u8(&w, 0);
	assert_false(w.full);
	frame_end(&w, mark);
	assert_true(w.full);
	free(memory);
}

/* A frame that does not fit leaves no torn one: the caller sees `full` and drops it all. */
static void test_a_frame_that_does_not_fit(void **state)
{
	uint8_t memory[8];

	(void)state;
	for (size_t cap = 0; cap < sizeof(memory); cap++) {
		struct writer w = writer_of(memory, cap);
		size_t mark = frame_begin(&w, 1);

		write_i32(&w, 7);
		frame_end(&w, mark);
		assert_true(w.full);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_type),
		cmocka_unit_test(test_varints_are_canonical_and_read_back),
		cmocka_unit_test(test_full_sticks),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_frame_lengths),
		cmocka_unit_test(test_a_frame_that_does_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
