/* Case 37 of the field: what a WebSocket peer may send, and what it may not. */
#include "websocket/frames.h"
#include "websocket/naive_frames.h"

/* ThreadSanitizer learns nothing from one thread, and is slow. */
#ifdef __SANITIZE_THREAD__
enum { ROUNDS = 300 };
#else
enum { ROUNDS = 6000 };
#endif

static const uint8_t a_mask[4] = {0x37, 0xFA, 0x21, 0x3D};

static const uint8_t *mask_for(enum ws_role role)
{
	return role == WS_SERVER ? a_mask : NULL;
}

/* Bytes that show where a piece belongs. */
static struct buf pattern(size_t len)
{
	struct buf b = {0};

	assert_true(buf_reserve(&b, len + 1));
	for (size_t i = 0; i < len; i++)
		b.p[i] = (uint8_t)(i * 7 + (i >> 8) * 3 + (i >> 16));
	b.len = len;
	return b;
}

static void expect_trace(enum ws_role role, struct slice all, size_t max_piece,
			 const struct trace *want)
{
	struct trace got = {0};
	uint64_t seed = max_piece;

	feed(&got, role, all, max_piece, &seed);
	assert_same_trace(&got, want);
	trace_fini(&got);
}

/* All cuts into two, byte by byte, and whole. */
static void expect_at_every_cut(enum ws_role role, struct slice all, const struct trace *want)
{
	for (size_t cut = 0; cut <= all.len; cut++) {
		struct trace got = {0};
		struct ws_in in;

		ws_in_init(&in, role);
		feed_piece(&in, &got, slice_of(all.p, cut));
		feed_piece(&in, &got, slice_of(all.p + cut, all.len - cut));
		assert_same_trace(&got, want);
		trace_fini(&got);
	}
	expect_trace(role, all, 1, want);
}

static void expect_events(enum ws_role role, struct slice all, const char *data, const char *events)
{
	struct trace want = {0};

	assert_true(buf_append(&want.data, slice_str(data)));
	assert_true(buf_append(&want.events, slice_str(events)));
	expect_at_every_cut(role, all, &want);
	trace_fini(&want);
}

static void test_examples_of_the_rfc(void **state)
{
	static const uint8_t ping[] = {0x89, 0x05, 'H', 'e', 'l', 'l', 'o'};
	static const uint8_t pong[] = {0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D,
				       0x7F, 0x9F, 0x4D, 0x51, 0x58};
	static const uint8_t masked[] = {0x82, 0x85, 0x37, 0xFA, 0x21, 0x3D,
					 0x7F, 0x9F, 0x4D, 0x51, 0x58};
	static const uint8_t parts[] = {0x02, 0x03, 'H', 'e', 'l', 0x80, 0x02, 'l', 'o'};
	static const uint8_t text[] = {0x81, 0x05, 'H', 'e', 'l', 'l', 'o'};

	(void)state;
	expect_events(WS_CLIENT, slice_of(ping, sizeof(ping)), "", "ping 0 at 0:48656c6c6f\n");
	expect_events(WS_SERVER, slice_of(pong, sizeof(pong)), "", "pong 0 at 0:48656c6c6f\n");
	expect_events(WS_SERVER, slice_of(masked, sizeof(masked)), "Hello", "");
	expect_events(WS_CLIENT, slice_of(parts, sizeof(parts)), "Hello", "");
	expect_events(WS_CLIENT, slice_of(text, sizeof(text)), "", "bad 1003 at 0:\n");
}

static void one_size(enum ws_role role, size_t len, size_t max_piece)
{
	struct trace want = {.data = pattern(len)};
	struct buf wire = {0};

	put_frame(&wire, 0x82, buf_slice(&want.data), mask_for(role));
	put_frame(&wire, 0x89, SLICE_LIT("p"), mask_for(role));
	trace_event(&want, "ping", 0, SLICE_LIT("p"));
	expect_trace(role, buf_slice(&wire), max_piece, &want);
	if (wire.len < 400)
		expect_at_every_cut(role, buf_slice(&wire), &want);
	trace_fini(&want);
	buf_fini(&wire);
}

static void test_frame_sizes(void **state)
{
	static const size_t sizes[] = {0,   1,   2,     124,   125,   126,
				       127, 128, 65535, 65536, 65537, 1 << 20};
	static const size_t pieces[] = {1, 3, 16, 1000, 65536, 1 << 21};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		for (size_t j = 0; j < COUNT_OF(pieces); j++) {
			one_size(WS_SERVER, sizes[i], pieces[j]);
			one_size(WS_CLIENT, sizes[i], pieces[j]);
		}
	}
}

/* Each byte in a frame of its own, between them empty continuations and control frames. */
static void test_fragmented_at_every_byte(void **state)
{
	struct trace want = {0};
	struct buf message = pattern(60), wire = {0};

	(void)state;
	for (size_t i = 0; i < message.len; i++) {
		struct slice byte = slice_of(message.p + i, 1);
		bool last = i + 1 == message.len;

		put_frame(&wire, i == 0 ? 0x02 : last ? 0x80 : 0x00, byte, a_mask);
		assert_true(buf_append(&want.data, byte));
		if (last)
			continue;
		put_frame(&wire, 0x00, (struct slice){0}, a_mask);
		put_frame(&wire, i % 2 == 0 ? 0x89 : 0x8A, byte, a_mask);
		trace_event(&want, i % 2 == 0 ? "ping" : "pong", 0, byte);
	}
	put_frame(&wire, 0x82, SLICE_LIT("next"), a_mask);
	assert_true(buf_append(&want.data, SLICE_LIT("next")));
	expect_at_every_cut(WS_SERVER, buf_slice(&wire), &want);
	trace_fini(&want);
	buf_fini(&message);
	buf_fini(&wire);
}

static void test_control_frame_of_125_bytes(void **state)
{
	struct trace want = {0};
	struct buf payload = pattern(125), wire = {0};

	(void)state;
	put_frame(&wire, 0x89, buf_slice(&payload), a_mask);
	put_frame(&wire, 0x8A, (struct slice){0}, a_mask);
	trace_event(&want, "ping", 0, buf_slice(&payload));
	trace_event(&want, "pong", 0, (struct slice){0});
	expect_at_every_cut(WS_SERVER, buf_slice(&wire), &want);
	trace_fini(&want);
	buf_fini(&payload);
	buf_fini(&wire);
}

#define BYTES(...)                                                                     \
	{                                                                              \
		(const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}) \
	}

/* first_only: two bytes are enough to know. */
static const struct {
	enum ws_role role;
	struct slice wire;
	unsigned code;
	bool first_only;
} refusals[] = {
	{WS_SERVER, BYTES(0x82, 0x00), 1002, true},       /* unmasked */
	{WS_SERVER, BYTES(0x89, 0x00), 1002, true},       /* unmasked ping */
	{WS_CLIENT, BYTES(0x82, 0x80), 1002, true},       /* masked by a server */
	{WS_CLIENT, BYTES(0xC2, 0x01, 0x00), 1002, true}, /* RSV1: compression nobody agreed on */
	{WS_CLIENT, BYTES(0xA2, 0x01, 0x00), 1002, true},
	{WS_CLIENT, BYTES(0x92, 0x01, 0x00), 1002, true},
	{WS_CLIENT, BYTES(0xC9, 0x00), 1002, true},
	{WS_CLIENT, BYTES(0x83, 0x00), 1002, true}, /* opcodes that are none */
	{WS_CLIENT, BYTES(0x87, 0x00), 1002, true},
	{WS_CLIENT, BYTES(0x8B, 0x00), 1002, true},
	{WS_CLIENT, BYTES(0x8F, 0x00), 1002, true},
	{WS_CLIENT, BYTES(0x09, 0x00), 1002, true}, /* fragmented control */
	{WS_CLIENT, BYTES(0x08, 0x00), 1002, true},
	{WS_CLIENT, BYTES(0x89, 126, 0, 126), 1002, true}, /* 126-byte ping */
	{WS_CLIENT, BYTES(0x8A, 127, 0, 0, 0, 0, 0, 1, 0, 0), 1002, true},
	{WS_CLIENT, BYTES(0x88, 126, 0, 5), 1002, true},
	{WS_CLIENT, BYTES(0x80, 0x00), 1002, true}, /* continuation of nothing */
	{WS_CLIENT, BYTES(0x00, 0x00), 1002, true},
	{WS_CLIENT, BYTES(0x81, 0x00), 1003, true}, /* text */
	{WS_CLIENT, BYTES(0x01, 0x01, 'x'), 1003, true},
	{WS_CLIENT, BYTES(0x82, 126, 0, 125), 1002,
	 false}, /* lengths in a longer form than needed */
	{WS_CLIENT, BYTES(0x82, 126, 0, 0), 1002, false},
	{WS_CLIENT, BYTES(0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF), 1002, false},
	{WS_CLIENT, BYTES(0x82, 127, 0, 0, 0, 0, 0, 0, 0, 0), 1002, false},
	{WS_CLIENT, BYTES(0x82, 127, 0x80, 0, 0, 0, 0, 1, 0, 0), 1002, false}, /* top bit */
	{WS_CLIENT, BYTES(0x82, 127, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF), 1002, false},
	{WS_CLIENT, BYTES(0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF), 1009, false},
	{WS_CLIENT, BYTES(0x82, 127, 0, 0, 0, 0, 1, 0, 0, 1), 1009, false}, /* 16 MiB + 1 */
	{WS_CLIENT, BYTES(0x88, 1, 3), 1002, false},                        /* half a close code */
};

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		struct trace want = {0};
		struct buf wire = {0};

		trace_event(&want, "bad", refusals[i].code, (struct slice){0});
		assert_true(buf_append(&wire, refusals[i].wire));
		assert_true(buf_append(&wire, SLICE_LIT("\x82\x01z swallowed whatever it is")));
		expect_at_every_cut(refusals[i].role, buf_slice(&wire), &want);
		if (refusals[i].first_only)
			expect_trace(refusals[i].role, slice_of(wire.p, 2), 2, &want);
		buf_fini(&wire);
		trace_fini(&want);
	}
}

static void test_refusals_inside_a_message(void **state)
{
	static const uint8_t binary[] = {0x02, 1, 'a', 0x82, 1, 'b'};
	static const uint8_t text[] = {0x02, 1, 'a', 0x81, 1, 'b'};
	static const uint8_t over[] = {0x02, 1, 'a', 0x80, 1, 'b', 0x80, 1, 'c'};

	(void)state;
	expect_events(WS_CLIENT, slice_of(binary, sizeof(binary)), "a", "bad 1002 at 1:\n");
	expect_events(WS_CLIENT, slice_of(text, sizeof(text)), "a", "bad 1002 at 1:\n");
	expect_events(WS_CLIENT, slice_of(over, sizeof(over)), "ab", "bad 1002 at 2:\n");
}

/* Every code there is. */
static void test_close_codes(void **state)
{
	(void)state;
	for (unsigned code = 0; code <= UINT16_MAX; code++) {
		uint8_t wire[] = {0x88, 4, (uint8_t)(code >> 8), (uint8_t)code, 'h', 'i'};
		bool known = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
		bool good = known || (code >= 3000 && code <= 4999);
		struct slice in = slice_of(wire, sizeof(wire)), reason = SLICE_LIT("as it was");
		struct ws_in ws;

		ws_in_init(&ws, WS_CLIENT);
		assert_int_equal(ws_in_next(&ws, &in, &reason), good ? WS_IN_CLOSE : WS_IN_BAD);
		assert_int_equal(ws.close_code, good ? code : 1002);
		assert_true(slice_eq(reason, good ? SLICE_LIT("hi") : SLICE_LIT("as it was")));
		assert_int_equal(ws_in_next(&ws, &in, &reason), WS_IN_MORE);
	}
}

static void test_close_forms(void **state)
{
	static const uint8_t empty[] = {0x88, 0, 0x82, 1, 'x'};
	static const uint8_t bare[] = {0x88, 2, 0x03, 0xE8, 0x88, 0};
	static const uint8_t utf8[] = {0x88, 4, 0x03, 0xE9, 0xC3, 0xA4};
	static const uint8_t cut_utf8[] = {0x88, 3, 0x03, 0xE9, 0xC3};
	static const uint8_t overlong[] = {0x88, 4, 0x03, 0xE9, 0xC0, 0xAF};
	static const uint8_t surrogate[] = {0x88, 5, 0x03, 0xE9, 0xED, 0xA0, 0x80};

	(void)state;
	expect_events(WS_CLIENT, slice_of(empty, sizeof(empty)), "", "close 1005 at 0:\n");
	expect_events(WS_CLIENT, slice_of(bare, sizeof(bare)), "", "close 1000 at 0:\n");
	expect_events(WS_CLIENT, slice_of(utf8, sizeof(utf8)), "", "close 1001 at 0:c3a4\n");
	expect_events(WS_CLIENT, slice_of(cut_utf8, sizeof(cut_utf8)), "", "bad 1007 at 0:\n");
	expect_events(WS_CLIENT, slice_of(overlong, sizeof(overlong)), "", "bad 1007 at 0:\n");
	expect_events(WS_CLIENT, slice_of(surrogate, sizeof(surrogate)), "", "bad 1007 at 0:\n");
}

/* Feeds one frame of zeros without ever having it as a whole; returns the last event. */
static enum ws_in_event feed_zeros(struct ws_in *in, unsigned first, size_t len, size_t *io_data)
{
	static uint8_t zeros[65536];
	struct buf head = {0};
	struct slice s, payload;
	enum ws_in_event e;

	assert_true(len >= 65536);
	put_frame(&head, first, (struct slice){zeros, 65536}, NULL);
	for (int i = 0; i < 8; i++)
		head.p[2 + i] = (uint8_t)((uint64_t)len >> (56 - 8 * i));
	s = slice_of(head.p, 10);
	e = ws_in_next(in, &s, &payload);
	buf_fini(&head);
	while (e == WS_IN_MORE && len > 0) {
		s = slice_of(zeros, len < sizeof(zeros) ? len : sizeof(zeros));
		len -= s.len;
		e = ws_in_next(in, &s, &payload);
		if (e == WS_IN_DATA) {
			*io_data += payload.len;
			e = ws_in_next(in, &s, &payload);
		}
	}
	return e;
}

static void test_message_size_limit(void **state)
{
	struct ws_in in;
	struct slice payload, one = SLICE_LIT("\x80\x01x"), none = SLICE_LIT("\x80\x00");
	size_t data = 0;

	(void)state;
	ws_in_init(&in, WS_CLIENT); /* exactly the limit, then another message of it */
	assert_int_equal(feed_zeros(&in, 0x82, WS_MESSAGE_MAX_IN, &data), WS_IN_MORE);
	assert_int_equal(data, WS_MESSAGE_MAX_IN);
	assert_int_equal(feed_zeros(&in, 0x02, WS_MESSAGE_MAX_IN / 2, &data), WS_IN_MORE);
	assert_int_equal(feed_zeros(&in, 0x00, WS_MESSAGE_MAX_IN / 2, &data), WS_IN_MORE);
	assert_int_equal(data, 2 * WS_MESSAGE_MAX_IN);
	assert_int_equal(ws_in_next(&in, &none, &payload), WS_IN_MORE);
	assert_int_equal(feed_zeros(&in, 0x02, WS_MESSAGE_MAX_IN, &data), WS_IN_MORE);
	assert_int_equal(ws_in_next(&in, &one, &payload), WS_IN_BAD); /* and one byte more */
	assert_int_equal(in.close_code, WS_CLOSE_TOO_BIG);
}

static void random_frame(struct buf *wire, enum ws_role role, bool *io_in_message, uint64_t *seed)
{
	static const unsigned lengths[] = {0,   1,   5,     30,    124,   125,
					   126, 300, 65534, 65535, 65536, 66000};
	uint32_t r = next_random(seed);
	uint8_t mask[4] = {(uint8_t)r, (uint8_t)(r >> 8), (uint8_t)(r >> 16), (uint8_t)(r >> 24)};
	bool fin = next_random(seed) % 3 == 0, control = next_random(seed) % 3 == 0;
	unsigned first = (fin ? 0x80u : 0) | (*io_in_message ? 0 : 2);
	size_t len =
		lengths[next_random(seed) % (next_random(seed) % 20 == 0 ? COUNT_OF(lengths) : 6)];
	struct buf payload = pattern(len);

	if (control)
		first = next_random(seed) % 2 == 0 ? 0x89 : 0x8A;
	else
		*io_in_message = !fin;
	put_frame(wire, first, buf_slice(&payload), role == WS_SERVER ? mask : NULL);
	buf_fini(&payload);
}

static void random_end(struct buf *wire, enum ws_role role, uint64_t *seed)
{
	uint8_t payload[6] = {(uint8_t)(3 + next_random(seed) % 2),
			      (uint8_t)(0xE5 + next_random(seed) % 20),
			      'o',
			      'k',
			      next_random(seed) % 4 == 0 ? 0xFF : '!',
			      '.'};

	put_frame(wire, 0x88, slice_of(payload, next_random(seed) % 7), mask_for(role));
	put_frame(wire, 0x82, SLICE_LIT("after the end"), mask_for(role));
}

/* Random streams, some with a bit turned over, in random pieces, against the naive reading of the
 * whole. */
static void test_random_streams(void **state)
{
	uint64_t seed = 20;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		enum ws_role role = round % 2 ? WS_SERVER : WS_CLIENT;
		struct trace want = {0}, got = {0};
		struct buf wire = {0};
		bool in_message = false;

		for (unsigned n = next_random(&seed) % 12; n > 0; n--)
			random_frame(&wire, role, &in_message, &seed);
		random_end(&wire, role, &seed);
		if (round % 3 == 0 && wire.len < 1000)
			wire.p[next_random(&seed) % wire.len] ^=
				(uint8_t)(1 << next_random(&seed) % 8);
		naive_feed(&want, role, buf_slice(&wire));
		feed(&got, role, buf_slice(&wire), 1 + next_random(&seed) % 50, &seed);
		assert_same_trace(&got, &want);
		trace_fini(&want);
		trace_fini(&got);
		buf_fini(&wire);
	}
}

/* What one role writes the other reads. */
static void test_round_trip(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < ROUNDS / 15; round++) {
		enum ws_role to = round % 2 ? WS_SERVER : WS_CLIENT;
		size_t len = next_random(&seed) % (round % 10 == 0 ? 140000 : 400);
		struct buf payload = pattern(len), wire = {0};
		struct trace got = {0};
		uint8_t head[WS_HEADER_MAX];
		const uint8_t *mask = mask_for(to);
		size_t n = ws_header_write(head, len, mask);

		assert_true(buf_append(&wire, slice_of(head, n)));
		assert_true(buf_append(&wire, buf_slice(&payload)));
		if (mask != NULL)
			ws_mask_apply(wire.p + n, len, mask, 0);
		feed(&got, to, buf_slice(&wire), 1 + next_random(&seed) % 9000, &seed);
		assert_true(same_bytes(&got.data, &payload));
		assert_int_equal(got.events.len, 0);
		trace_fini(&got);
		buf_fini(&payload);
		buf_fini(&wire);
	}
}

static void test_empty_input(void **state)
{
	struct slice none = {0}, payload = SLICE_LIT("kept");
	struct ws_in in;

	(void)state;
	ws_in_init(&in, WS_SERVER);
	assert_int_equal(ws_in_next(&in, &none, &payload), WS_IN_MORE);
	assert_true(slice_eq(payload, SLICE_LIT("kept")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples_of_the_rfc),
		cmocka_unit_test(test_frame_sizes),
		cmocka_unit_test(test_fragmented_at_every_byte),
		cmocka_unit_test(test_control_frame_of_125_bytes),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_refusals_inside_a_message),
		cmocka_unit_test(test_close_codes),
		cmocka_unit_test(test_close_forms),
		cmocka_unit_test(test_message_size_limit),
		cmocka_unit_test(test_random_streams),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_empty_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
