#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/attr.h"
#include "websocket/frames.h"

static const uint8_t a_mask[4] = {0x37, 0xFA, 0x21, 0x3D};

static void expect_header(size_t payload_len, struct slice want)
{
	uint8_t plain[WS_HEADER_MAX], masked[WS_HEADER_MAX];

	assert_int_equal(ws_header_write(plain, payload_len, NULL), want.len);
	assert_memory_equal(plain, want.p, want.len);
	assert_int_equal(ws_header_bytes(payload_len, WS_SERVER), want.len);
	assert_int_equal(ws_header_write(masked, payload_len, a_mask), want.len + 4);
	assert_int_equal(ws_header_bytes(payload_len, WS_CLIENT), want.len + 4);
	assert_int_equal(masked[1], want.p[1] | 0x80);
	assert_memory_equal(masked + want.len, a_mask, 4);
}

static void test_headers(void **state)
{
	(void)state;
	expect_header(0, SLICE_LIT("\x82\x00"));
	expect_header(1, SLICE_LIT("\x82\x01"));
	expect_header(125, SLICE_LIT("\x82\x7D"));
	expect_header(126, SLICE_LIT("\x82\x7E\x00\x7E"));
	expect_header(256, SLICE_LIT("\x82\x7E\x01\x00"));
	expect_header(65535, SLICE_LIT("\x82\x7E\xFF\xFF"));
	expect_header(65536, SLICE_LIT("\x82\x7F\x00\x00\x00\x00\x00\x01\x00\x00"));
	expect_header(0x12345678, SLICE_LIT("\x82\x7F\x00\x00\x00\x00\x12\x34\x56\x78"));
}

static void expect_frame(const uint8_t *frame, size_t n, struct slice want)
{
	assert_int_equal(n, want.len);
	assert_memory_equal(frame, want.p, n);
}

static void test_control_frames(void **state)
{
	uint8_t f[WS_CONTROL_FRAME_MAX];
	size_t n;

	(void)state;
	n = ws_control_write(f, WS_CONTROL_PING, SLICE_LIT("Hello"), NULL);
	expect_frame(f, n, SLICE_LIT("\x89\x05Hello"));
	n = ws_control_write(f, WS_CONTROL_PONG, SLICE_LIT("Hello"), a_mask);
	expect_frame(f, n, SLICE_LIT("\x8A\x85\x37\xFA\x21\x3D\x7F\x9F\x4D\x51\x58"));
	n = ws_control_write(f, WS_CONTROL_PING, SLICE_LIT("1"), NULL);
	expect_frame(f, n, SLICE_LIT("\x89\x01\x31"));
	n = ws_control_write(f, WS_CONTROL_PONG, (struct slice){0}, NULL);
	expect_frame(f, n, SLICE_LIT("\x8A\x00"));
	n = ws_control_write(f, WS_CONTROL_CLOSE, (struct slice){0}, a_mask);
	expect_frame(f, n, SLICE_LIT("\x88\x80\x37\xFA\x21\x3D"));
}

static void test_long_control_payload_is_cut(void **state)
{
	uint8_t payload[300], f[WS_CONTROL_FRAME_MAX];
	size_t n;

	(void)state;
	memset(payload, 'x', sizeof(payload));
	n = ws_control_write(f, WS_CONTROL_PING, slice_of(payload, sizeof(payload)), NULL);
	assert_int_equal(n, 2 + 125);
	assert_int_equal(f[1], 125);
	assert_memory_equal(f + 2, payload, 125);
	n = ws_control_write(f, WS_CONTROL_PING, slice_of(payload, 125), a_mask);
	assert_int_equal(n, 2 + 4 + 125);
	assert_int_equal(f[6 + 124], 'x' ^ a_mask[0]);
}

static void test_close_frames(void **state)
{
	uint8_t f[WS_CONTROL_FRAME_MAX];
	size_t n;

	(void)state;
	n = ws_close_write(f, WS_CLOSE_NORMAL, SLICE_LIT("bye"), NULL);
	expect_frame(f, n,
		     SLICE_LIT("\x88\x05\x03\xE8"
			       "bye"));
	n = ws_close_write(f, WS_CLOSE_NORMAL, SLICE_LIT("1"), NULL);
	expect_frame(f, n, SLICE_LIT("\x88\x03\x03\xE8\x31"));
	n = ws_close_write(f, WS_CLOSE_TOO_BIG, (struct slice){0}, NULL);
	expect_frame(f, n, SLICE_LIT("\x88\x02\x03\xF1"));
	n = ws_close_write(f, WS_CLOSE_NORMAL, SLICE_LIT("\xC3\xA4"), a_mask);
	expect_frame(f, n, SLICE_LIT("\x88\x84\x37\xFA\x21\x3D\x34\x12\xE2\x99"));
	n = ws_close_write(f, WS_CLOSE_NONE, SLICE_LIT("unsaid"), NULL);
	expect_frame(f, n, SLICE_LIT("\x88\x00"));
}

/* 123 bytes of reason fit; a character that would be cut goes as a whole. */
static void test_close_reason_is_cut_between_characters(void **state)
{
	uint8_t reason[140], f[WS_CONTROL_FRAME_MAX];

	(void)state;
	for (size_t lead = 118; lead <= 124; lead++) {
		size_t fits = lead > 123 ? 123 : lead + 4 <= 123 ? lead + 4 : lead;
		size_t n;

		memset(reason, 'r', lead);
		memcpy(reason + lead, "\xF0\x9F\x98\x80", 4);
		n = ws_close_write(f, WS_CLOSE_POLICY, slice_of(reason, lead + 4), NULL);
		assert_int_equal(n, 4 + fits);
		assert_int_equal(f[1], 2 + fits);
		assert_memory_equal(f + 4, reason, fits);
	}
}

static void test_close_reason_stops_at_what_is_no_utf8(void **state)
{
	uint8_t f[WS_CONTROL_FRAME_MAX];

	(void)state;
	expect_frame(f, ws_close_write(f, WS_CLOSE_NORMAL, SLICE_LIT("ok\xFFrest"), NULL),
		     SLICE_LIT("\x88\x04\x03\xE8ok"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_control_frames),
		cmocka_unit_test(test_long_control_payload_is_cut),
		cmocka_unit_test(test_close_frames),
		cmocka_unit_test(test_close_reason_is_cut_between_characters),
		cmocka_unit_test(test_close_reason_stops_at_what_is_no_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
