/* Cases 36, 38, 41 and 44 of the field, as far as a link sees them. The far end reads our frames by
 * itself: it shares no code with what writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "link/websocket_filter.h"
#include "base/dice.h"
#include "link/no_memory.h"
#include "link/proxy_filter.h"
#include "link/rig.h"

enum { POOL = 64 << 20, PING_US = 25 * US_PER_S, OP_BINARY = 2, OP_CLOSE = 8, OP_PING, OP_PONG };

static const char request[] = "GET /mc HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
			      "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
			      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
static const char proxy_line[] = "PROXY TCP4 192.0.2.7 10.0.0.1 4000 25565\r\n";
static const char accept_value[] = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

static uint8_t source[400000];
static unsigned opens, asked;
static enum ws_verdict verdict;
static struct buf sent_to_us; /* bytes on their way to the program */

static enum ws_verdict on_request(struct link *l, const struct ws_request *r)
{
	(void)l;
	asked++;
	return verdict != WS_UPGRADE ? verdict : ws_request_check(r, SLICE_LIT("/mc"));
}

static void on_open(struct link *l)
{
	assert_true(websocket_filter_is_open(l->filters));
	opens++;
}

static const struct websocket_hooks hooks = {.on_request = on_request, .on_open = on_open};

static void fill_source(void)
{
	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (uint8_t)(i * 2654435761u >> 11);
}

static void begin_closed(struct rig *r, uint32_t buffer_bytes)
{
	struct sim_options o = {.seed = 9, .buffer_bytes = buffer_bytes};

	fill_source();
	rig_open(r, &o, POOL);
	opens = asked = 0;
	verdict = WS_UPGRADE;
	buf_fini(&sent_to_us);
}

static void enable(struct rig *r, struct slice rest)
{
	struct filter *f = websocket_filter_new(r->l, &hooks, PING_US);

	assert_non_null(f);
	assert_false(websocket_filter_is_open(f));
	link_enable(r->l, f, rest);
}

/* What the far end has read, a frame at a time. */
struct reading {
	struct buf data;
	unsigned messages, pings, pongs, closes;
	size_t largest;
	unsigned close_code;
	uint8_t pong[128];
	size_t pong_len;
};

static void note_frame(struct reading *in, unsigned op, struct slice payload)
{
	if (op == OP_BINARY) {
		in->messages++;
		in->largest = payload.len > in->largest ? payload.len : in->largest;
		assert_int_equal(in->closes, 0); /* no data behind a close frame */
		assert_true(buf_append(&in->data, payload));
	} else if (op == OP_PING) {
		in->pings++;
	} else if (op == OP_PONG) {
		in->pongs++;
		in->pong_len = payload.len;
		memcpy(in->pong, payload.p, payload.len);
	} else {
		assert_int_equal(op, OP_CLOSE);
		in->closes++;
		if (payload.len >= 2)
			in->close_code = (unsigned)payload.p[0] << 8 | payload.p[1];
	}
}

/* Whole frames from the front of s; what is left is the beginning of one. */
static struct slice read_frames(struct reading *in, struct slice s)
{
	while (s.len >= 2) {
		size_t head = 2, len = s.p[1];

		assert_int_equal(s.p[0] & 0xF0, 0x80); /* FIN, nothing reserved */
		assert_true(len <= 127);               /* unmasked */
		head += len == 126 ? 2 : len == 127 ? 8 : 0;
		if (s.len < head)
			break;
		for (size_t i = 2, v = 0; i < head; i++)
			len = v = v << 8 | s.p[i];
		assert_true(head == 2 || len >= (head == 4 ? 126 : 65536));
		if (s.len - head < len)
			break;
		note_frame(in, s.p[0] & 15, slice_of(s.p + head, len));
		slice_cut(&s, head + len);
	}
	return s;
}

static struct slice behind_answer(const struct rig *r)
{
	struct slice s = buf_slice(&r->far_got);

	while (s.len >= 4 && !slice_starts(s, SLICE_LIT("\r\n\r\n")))
		slice_cut(&s, 1);
	assert_true(s.len >= 4);
	slice_cut(&s, 4);
	return s;
}

/* All that the far end got, read; the answer head first. */
static struct reading far_reading(const struct rig *r)
{
	struct reading in = {0};
	struct slice left;

	assert_true(slice_starts(buf_slice(&r->far_got), SLICE_LIT("HTTP/1.1 101 ")));
	left = read_frames(&in, behind_answer(r));
	assert_int_equal(left.len, 0);
	return in;
}

static void put_client_frame(unsigned op, struct slice payload)
{
	static const uint8_t mask[4] = {0xA5, 0x5A, 0x01, 0xFF};
	uint8_t head[4] = {(uint8_t)(0x80 | op), (uint8_t)(0x80 | payload.len)};
	size_t n = 2;

	if (payload.len > 125) {
		head[1] = 0x80 | 126;
		head[2] = (uint8_t)(payload.len >> 8);
		head[3] = (uint8_t)payload.len;
		n = 4;
	}
	assert_true(buf_append(&sent_to_us, slice_of(head, n)));
	assert_true(buf_append(&sent_to_us, slice_of(mask, 4)));
	assert_true(buf_append(&sent_to_us, payload));
	for (size_t i = 0; i < payload.len; i++)
		sent_to_us.p[sent_to_us.len - payload.len + i] ^= mask[i % 4];
}

static void client_frame(struct rig *r, unsigned op, struct slice payload)
{
	put_client_frame(op, payload);
	rig_far_send(r, buf_slice(&sent_to_us));
	buf_drop_front(&sent_to_us, sent_to_us.len);
}

static void begin(struct rig *r, uint32_t buffer_bytes)
{
	begin_closed(r, buffer_bytes);
	enable(r, (struct slice){0});
	rig_far_send(r, SLICE_LIT(request));
	rig_settle(r);
	assert_int_equal(opens, 1);
	assert_int_equal(asked, 1);
}

static void finish(struct rig *r, struct reading *in, bool drop)
{
	buf_fini(&in->data);
	buf_fini(&sent_to_us);
	rig_close(r, drop);
}

static uint8_t copies[sizeof(proxy_line) + sizeof(request) + 2000];

/* What a session does: the PROXY header first, and then what it finds is a request. */
static void enable_on_input(struct rig *r)
{
	if (r->l->filters != NULL)
		return;
	memcpy(copies, r->in.p, r->in.len);
	enable(r, slice_of(copies, r->in.len));
}

static void on_source(struct link *l, const struct addr *source_addr)
{
	(void)l;
	assert_int_equal(source_addr->port, 4000);
}

static void check_front_door(struct slice all, size_t first_cut, size_t second_cut)
{
	struct reading in;
	struct rig r;

	begin_closed(&r, 65536);
	link_enable(r.l, proxy_filter_new(on_source), (struct slice){0});
	r.on_input = enable_on_input;
	rig_far_send(&r, slice_of(all.p, first_cut));
	rig_far_send(&r, slice_of(all.p + first_cut, second_cut - first_cut));
	rig_far_send(&r, slice_of(all.p + second_cut, all.len - second_cut));
	link_push_copy(r.l, SLICE_LIT("hello"));
	rig_settle(&r);
	assert_int_equal(opens, 1);
	assert_true(r.in.len >= 300);
	assert_memory_equal(r.in.p + r.in.len - 300, source, 300);
	assert_non_null(memmem(r.far_got.p, r.far_got.len, accept_value, 28));
	in = far_reading(&r);
	assert_true(slice_eq(buf_slice(&in.data), SLICE_LIT("hello")));
	finish(&r, &in, true);
}

/* PROXY header, request and data in one go, cut at every byte. */
static void test_front_door_cut_at_every_byte(void **state)
{
	struct buf all = {0};
	uint64_t seed = 1;

	(void)state;
	fill_source();
	assert_true(buf_append(&all, SLICE_LIT(proxy_line)));
	assert_true(buf_append(&all, SLICE_LIT(request)));
	put_client_frame(OP_BINARY, slice_of(source, 200));
	put_client_frame(OP_BINARY, slice_of(source + 200, 100));
	assert_true(buf_append(&all, buf_slice(&sent_to_us)));
	for (size_t cut = 0; cut <= all.len; cut++)
		check_front_door(buf_slice(&all), cut,
				 cut + dice(&seed, (uint32_t)(all.len - cut + 1)));
	buf_fini(&all);
}

static unsigned messages_of(size_t n)
{
	return (unsigned)((n + WS_MESSAGE_MAX_OUT - 1) / WS_MESSAGE_MAX_OUT);
}

/* Case 44, one flush at a time: pieces of one size and kind, all of them borrowed. */
static void test_message_sizes(void **state)
{
	static const size_t sizes[] = {1, 125, 126, 65535, 65536, 65537, 131072, 131073, 300000};
	static const uint32_t pieces[] = {400000, 65536, 30000, 1000, 7};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		for (size_t k = 0; k < COUNT_OF(pieces); k++) {
			struct reading in;
			struct rig r;

			begin(&r, 65536);
			/* Backwards, so that no two are neighbours. */
			for (size_t left = sizes[i]; left > 0;) {
				size_t n = left < pieces[k] ? left : pieces[k];

				left -= n;
				link_push(r.l,
					  (struct out){source + left, (uint32_t)n, OUT_SHARED});
			}
			rig_settle(&r);
			in = far_reading(&r);
			assert_int_equal(in.data.len, sizes[i]);
			assert_int_equal(in.messages, messages_of(sizes[i]));
			assert_true(in.largest <= 65536);
			if (pieces[k] >= sizes[i])
				assert_memory_equal(in.data.p, source, sizes[i]);
			finish(&r, &in, true);
		}
	}
}

/* Random flushes against a slow reader with pings in between: exact, and never a message too many.
 */
static void test_byte_exact(void **state)
{
	unsigned pongs = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct buf want = {0};
		unsigned messages = 0;
		uint64_t dice_state = seed;
		struct reading in;
		struct rig r;

		begin(&r, seed % 2 == 0 ? 3000 : 65536);
		while (want.len < 600000) {
			size_t before = want.len;

			for (unsigned n = dice(&dice_state, 90); n > 0; n--) {
				bool big = dice(&dice_state, 40) == 0;
				uint32_t len = dice(&dice_state, big ? 90000 : 300);
				size_t at = dice(&dice_state, 300000);

				assert_true(buf_append(&want, slice_of(source + at, len)));
				link_push(r.l, (struct out){source + at, len, OUT_SHARED});
			}
			messages += messages_of(want.len - before);
			if (dice(&dice_state, 3) == 0) {
				put_client_frame(OP_PING, SLICE_LIT("are you there"));
				(void)far_send(&r.far, sent_to_us.p, sent_to_us.len);
				buf_drop_front(&sent_to_us, sent_to_us.len);
			}
			rig_turn(&r);
			rig_run(&r, dice(&dice_state, 3000));
			rig_far_read(&r, dice(&dice_state, 30000));
		}
		rig_settle(&r);
		in = far_reading(&r);
		pongs += in.pongs;
		assert_int_equal(in.messages, messages);
		assert_true(in.largest <= 65536);
		if (in.pongs > 0)
			assert_memory_equal(in.pong, "are you there", 13);
		assert_true(slice_eq(buf_slice(&in.data), buf_slice(&want)));
		buf_fini(&want);
		finish(&r, &in, true);
	}
	assert_true(pongs > 10);
}

/* At most one pong waits: the answer to the last ping. */
static void test_one_pong(void **state)
{
	struct reading in;
	struct rig r;

	(void)state;
	begin(&r, 65536);
	put_client_frame(OP_PING, SLICE_LIT("one"));
	put_client_frame(OP_PING, SLICE_LIT("two"));
	put_client_frame(OP_BINARY, SLICE_LIT("data"));
	put_client_frame(OP_PING, (struct slice){0});
	put_client_frame(OP_PONG, SLICE_LIT("unasked"));
	rig_far_send(&r, buf_slice(&sent_to_us));
	rig_settle(&r);
	link_push_copy(r.l, SLICE_LIT("later")); /* it is not said again */
	rig_settle(&r);
	in = far_reading(&r);
	assert_int_equal(in.pongs, 1);
	assert_int_equal(in.pong_len, 0);
	assert_true(slice_eq(buf_slice(&r.in), SLICE_LIT("data")));
	finish(&r, &in, true);
}

/* Who pings all the time and never reads: pongs stop at the high mark, and the last ping is
 * answered once there is room. */
static void test_pings_without_reading(void **state)
{
	struct reading in;
	struct rig r;
	uint32_t most = 0;
	uint8_t last = 0;

	(void)state;
	begin(&r, 1024);
	r.links.high_bytes = 4096;
	r.links.low_bytes = 1024;
	for (unsigned i = 0; i < 500; i++) {
		last = (uint8_t)i;
		buf_fini(&sent_to_us);
		put_client_frame(OP_PING, slice_of(source, 100));
		put_client_frame(OP_PING, slice_of(&last, 1));
		put_client_frame(OP_PING, i == 499 ? slice_of(&last, 1) : slice_of(source, 100));
		rig_far_send(&r, buf_slice(&sent_to_us));
		rig_turn(&r);
		most = link_unsent(r.l) > most ? link_unsent(r.l) : most;
	}
	assert_in_range(most, 4097, 4096 + WS_CONTROL_FRAME_MAX);
	rig_settle(&r);
	in = far_reading(&r);
	assert_in_range(in.pongs, 10, 100);
	assert_int_equal(in.pong_len, 1);
	assert_int_equal(in.pong[0], last);
	finish(&r, &in, true);
}

static void test_goodbye(void **state)
{
	struct reading in;
	struct rig r;

	(void)state;
	begin(&r, 4096);
	link_push(r.l, (struct out){source, 100000, OUT_SHARED});
	rig_turn(&r);
	link_push_copy(r.l, SLICE_LIT("last"));
	rig_retire(&r);
	rig_settle(&r);
	assert_true(r.far_ended);
	in = far_reading(&r);
	assert_int_equal(in.closes, 1);
	assert_int_equal(in.close_code, 1000);
	assert_int_equal(in.data.len, 100004);
	far_shutdown(&r.far);
	rig_run(&r, US_PER_S);
	finish(&r, &in, false);
}

/* The peer closes: answered with its code, told as an end; what is said afterwards is not sent, for
 * nothing may follow a close frame. */
static void test_peer_closes(void **state)
{
	static const struct {
		const char *payload;
		size_t n;
		unsigned code;
	} rows[] = {{"\x03\xE8", 2, 1000}, {"\x03\xE9going", 7, 1001}, {"", 0, 1000}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct reading in;
		struct rig r;

		begin(&r, 65536);
		link_push_copy(r.l, SLICE_LIT("before"));
		rig_turn(&r);
		client_frame(&r, OP_CLOSE, slice_of(rows[i].payload, rows[i].n));
		assert_int_equal(r.eofs, 1);
		assert_int_equal(r.eof_err, 0);
		link_push_copy(r.l, SLICE_LIT("a kick, too late"));
		rig_turn(&r);
		client_frame(&r, OP_PING, SLICE_LIT("x"));
		client_frame(&r, OP_BINARY, SLICE_LIT("y"));
		rig_retire(&r);
		rig_settle(&r);
		in = far_reading(&r);
		assert_true(slice_eq(buf_slice(&in.data), SLICE_LIT("before")));
		assert_int_equal(in.closes, 1);
		assert_int_equal(in.close_code, rows[i].code);
		assert_int_equal(in.pongs, 0);
		assert_int_equal(r.in.len, 0);
		far_shutdown(&r.far);
		rig_run(&r, US_PER_S);
		finish(&r, &in, false);
	}
}

static void test_bad_frames(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		unsigned code;
	} rows[] = {
		{"\x82\x01x", 3, 1002},                    /* not masked */
		{"\xC2\x80\0\0\0\0", 6, 1002},             /* a reserved bit */
		{"\x81\x80\0\0\0\0", 6, 1003},             /* text */
		{"\x83\x80\0\0\0\0", 6, 1002},             /* no such opcode */
		{"\x88\x81\0\0\0\0\x03", 7, 1002},         /* half a code */
		{"\x88\x83\0\0\0\0\x03\xE8\xFF", 9, 1007}, /* reason is no UTF-8 */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct reading in;
		struct rig r;

		begin(&r, 65536);
		rig_far_send(&r, slice_of(rows[i].bytes, rows[i].n));
		rig_settle(&r);
		assert_int_equal(r.eofs, 1);
		assert_int_equal(r.eof_err, -EPROTO);
		assert_non_null(link_complaint(r.l));
		rig_retire(&r);
		rig_settle(&r);
		in = far_reading(&r);
		assert_int_equal(in.closes, 1);
		assert_int_equal(in.close_code, rows[i].code);
		far_shutdown(&r.far);
		rig_run(&r, US_PER_S);
		finish(&r, &in, false);
	}
}

static void expect_refused(const char *head, enum ws_verdict answer, const char *status)
{
	struct rig r;
	struct reading none = {0};

	begin_closed(&r, 65536);
	verdict = answer;
	enable(&r, (struct slice){0});
	rig_far_send(&r, slice_str(head));
	rig_settle(&r);
	assert_int_equal(r.eofs, 1);
	assert_int_equal(r.eof_err, -EPROTO);
	assert_int_equal(opens, 0);
	link_push_copy(r.l, SLICE_LIT("NEVER SAID"));
	rig_retire(&r);
	rig_settle(&r);
	assert_true(slice_starts(buf_slice(&r.far_got), slice_str(status)));
	assert_null(memmem(r.far_got.p, r.far_got.len, "NEVER SAID", 10));
	assert_int_equal(r.in.len, 0);
	far_shutdown(&r.far);
	rig_run(&r, US_PER_S);
	finish(&r, &none, false);
}

static void test_refused(void **state)
{
	static char too_long[9000];

	(void)state;
	expect_refused("GET / HTTP/1.1\r\nHost: x\r\n\r\n", WS_UPGRADE, "HTTP/1.1 404 ");
	expect_refused("GET /mc HTTP/1.1\r\nHost: x\r\n\r\n", WS_UPGRADE, "HTTP/1.1 426 ");
	expect_refused(request, WS_FORBIDDEN, "HTTP/1.1 403 ");
	expect_refused("nonsense\r\n\r\n", WS_UPGRADE, "HTTP/1.1 400 ");
	(void)snprintf(too_long, sizeof(too_long), "GET /mc HTTP/1.1\r\nX: %08600d\r\n\r\n", 1);
	expect_refused(too_long, WS_UPGRADE, "HTTP/1.1 431 ");
}

/* What is said before the upgrade is no answer to it. */
static void test_nothing_before_the_upgrade(void **state)
{
	struct reading in;
	struct rig r;

	(void)state;
	begin_closed(&r, 65536);
	enable(&r, (struct slice){0});
	rig_far_send(&r, slice_of(request, 20));
	link_push_copy(r.l, SLICE_LIT("too early"));
	rig_turn(&r);
	rig_far_send(&r, slice_str(request + 20));
	link_push_copy(r.l, SLICE_LIT("now"));
	rig_settle(&r);
	in = far_reading(&r);
	assert_true(slice_eq(buf_slice(&in.data), SLICE_LIT("now")));
	finish(&r, &in, true);
}

static void run_s(struct rig *r, unsigned s)
{
	rig_run(r, (uint64_t)s * US_PER_S);
	rig_far_read(r, SIZE_MAX);
}

/* Case 38. Silence: a ping after 25 s, another, and at 75 s the peer is gone. */
static void test_gone_after_two_pings(void **state)
{
	static const unsigned pings_after[] = {0, 0, 1, 1, 2, 2, 2}; /* by steps of 10 s */
	struct reading in;
	struct rig r;

	(void)state;
	begin(&r, 65536);
	for (unsigned i = 0; i < COUNT_OF(pings_after); i++) {
		run_s(&r, 10);
		in = far_reading(&r);
		assert_int_equal(in.pings, pings_after[i]);
		buf_fini(&in.data);
	}
	assert_int_equal(r.eofs, 0);
	run_s(&r, 6);
	assert_int_equal(r.eofs, 1);
	assert_int_equal(r.eof_err, -EPROTO);
	assert_string_equal(link_complaint(r.l), "no answer to two pings");
	run_s(&r, 100);
	in = far_reading(&r);
	assert_int_equal(in.pings, 2);
	finish(&r, &in, true);
}

/* A peer that answers lives for ever; neither side is ever silent for 60 s. */
static void test_answered_pings(void **state)
{
	struct reading in = {0};
	struct rig r;
	unsigned answered = 0;

	(void)state;
	begin(&r, 65536);
	for (unsigned s = 0; s < 1000; s++) {
		run_s(&r, 1);
		in = far_reading(&r);
		buf_fini(&in.data);
		if (in.pings > answered)
			client_frame(&r, OP_PONG, SLICE_LIT("mb"));
		answered = in.pings;
	}
	assert_int_equal(r.eofs, 0);
	assert_in_range(answered, 1000 / 27, 1000 / 24);
	finish(&r, &in, true);
}

/* A peer that ignores pings but sends data is alive; we are not silent towards it either. */
static void test_data_without_pongs(void **state)
{
	struct reading in;
	struct rig r;

	(void)state;
	begin(&r, 65536);
	for (unsigned s = 0; s < 1000; s++) {
		run_s(&r, 1);
		if (s % 20 == 0)
			client_frame(&r, OP_BINARY, SLICE_LIT("d"));
	}
	assert_int_equal(r.eofs, 0);
	in = far_reading(&r);
	assert_in_range(in.pings, 1000 / 27, 1000 / 24);
	finish(&r, &in, true);
}

/* Data in both directions: no ping at all. */
static void test_no_pings_while_talking(void **state)
{
	struct reading in;
	struct rig r;

	(void)state;
	begin(&r, 65536);
	for (unsigned s = 0; s < 500; s++) {
		run_s(&r, 1);
		if (s % 10 == 0)
			client_frame(&r, OP_BINARY, SLICE_LIT("d"));
		if (s % 10 == 5) {
			link_push_copy(r.l, SLICE_LIT("e"));
			rig_turn(&r);
		}
	}
	in = far_reading(&r);
	assert_int_equal(in.pings, 0);
	assert_int_equal(in.messages, 50);
	finish(&r, &in, true);
}

/* Silence of our own making is not the peer's: we do not read, or our pings wait behind a backlog
 * that drains. Such peers were ended after 75 s. */
static void test_no_blame_while_paused(void **state)
{
	struct reading in;
	struct rig r;

	(void)state;
	begin(&r, 65536);
	link_pause(r.l);
	run_s(&r, 300);
	assert_int_equal(r.eofs, 0);
	in = far_reading(&r);
	assert_in_range(in.pings, 11, 13);
	buf_fini(&in.data);
	link_resume(r.l);
	run_s(&r, 100);
	assert_int_equal(r.eofs, 1);
	in = far_reading(&r);
	finish(&r, &in, true);
}

static void test_no_blame_while_backlog_drains(void **state)
{
	struct reading in;
	struct rig r;

	(void)state;
	begin(&r, 4096);
	link_push(r.l, (struct out){source, 400000, OUT_SHARED});
	rig_turn(&r);
	for (unsigned s = 0; s < 190; s++) {
		rig_run(&r, US_PER_S);
		rig_far_read(&r, 2000);
	}
	assert_true(link_unsent(r.l) > 0);
	assert_int_equal(r.eofs, 0);
	assert_int_equal(r.stalls, 0);
	rig_settle(&r);
	in = far_reading(&r);
	assert_int_equal(in.data.len, 400000);
	finish(&r, &in, true);
}

/* Output is thrown away on a broken link; a ping or close frame on it was left pointing into memory
 * of an earlier turn. */
static void test_pings_on_a_broken_link(void **state)
{
	struct reading in = {0};
	struct rig r;

	(void)state;
	begin(&r, 4096);
	link_push(r.l, (struct out){source, 100000, OUT_SHARED});
	memory_is_out = true;
	rig_turn(&r);
	memory_is_out = false;
	assert_int_equal(r.brokens, 1);
	for (unsigned s = 0; s < 60; s++) {
		run_s(&r, 1);
		assert_int_equal(r.l->outs.n, 0);
	}
	client_frame(&r, OP_PING, SLICE_LIT("x"));
	rig_far_send(&r, SLICE_LIT("\x82\x01x"));
	run_s(&r, 1);
	assert_int_equal(r.l->outs.n, 0);
	assert_int_equal(r.brokens, 1);
	finish(&r, &in, true);
}

/* Dropped in the middle of anything, the ping timer goes with it. */
static void test_drop_with_a_ping_to_come(void **state)
{
	struct reading in;
	struct rig r;

	(void)state;
	begin(&r, 65536);
	in = far_reading(&r);
	link_drop(r.l);
	r.over = true;
	run_s(&r, 100);
	finish(&r, &in, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_front_door_cut_at_every_byte),
		cmocka_unit_test(test_message_sizes),
		cmocka_unit_test(test_byte_exact),
		cmocka_unit_test(test_one_pong),
		cmocka_unit_test(test_pings_without_reading),
		cmocka_unit_test(test_goodbye),
		cmocka_unit_test(test_peer_closes),
		cmocka_unit_test(test_bad_frames),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nothing_before_the_upgrade),
		cmocka_unit_test(test_gone_after_two_pings),
		cmocka_unit_test(test_answered_pings),
		cmocka_unit_test(test_data_without_pongs),
		cmocka_unit_test(test_no_pings_while_talking),
		cmocka_unit_test(test_no_blame_while_paused),
		cmocka_unit_test(test_no_blame_while_backlog_drains),
		cmocka_unit_test(test_pings_on_a_broken_link),
		cmocka_unit_test(test_drop_with_a_ping_to_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
