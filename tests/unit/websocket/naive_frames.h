/* A second reading of RFC 6455, as simple as can be, to hold websocket/frames.c against: it has the
 * whole input at once and walks it by index. Both write a trace: the payload bytes, and the other
 * events with their place. */
#ifndef TESTS_NAIVE_FRAMES_H
#define TESTS_NAIVE_FRAMES_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "websocket/frames.h"

struct trace {
	struct buf data, events;
};

static inline void trace_fini(struct trace *t)
{
	buf_fini(&t->data);
	buf_fini(&t->events);
}

static inline void trace_event(struct trace *t, const char *name, unsigned code,
			       struct slice payload)
{
	assert_true(buf_printf(&t->events, "%s %u at %zu:", name, code, t->data.len));
	for (size_t i = 0; i < payload.len; i++)
		assert_true(buf_printf(&t->events, "%02x", payload.p[i]));
	assert_true(buf_append(&t->events, SLICE_LIT("\n")));
}

static inline bool same_bytes(const struct buf *a, const struct buf *b)
{
	return slice_eq(buf_slice(a), buf_slice(b));
}

static inline void assert_same_trace(const struct trace *a, const struct trace *b)
{
	assert_int_equal(a->events.len, b->events.len);
	assert_true(same_bytes(&a->events, &b->events));
	assert_int_equal(a->data.len, b->data.len);
	assert_true(same_bytes(&a->data, &b->data));
}

/* One frame with whatever bits; mask NULL: unmasked. */
static inline void put_frame(struct buf *b, unsigned first, struct slice payload,
			     const uint8_t *mask)
{
	unsigned masked = mask == NULL ? 0 : 0x80;
	uint8_t head[10] = {(uint8_t)first};
	size_t n = 2;

	if (payload.len < 126) {
		head[1] = (uint8_t)(masked | payload.len);
	} else if (payload.len < 65536) {
		head[1] = (uint8_t)(masked | 126);
		head[2] = (uint8_t)(payload.len >> 8);
		head[3] = (uint8_t)payload.len;
		n = 4;
	} else {
		head[1] = (uint8_t)(masked | 127);
		for (int i = 0; i < 8; i++)
			head[2 + i] = (uint8_t)((uint64_t)payload.len >> (56 - 8 * i));
		n = 10;
	}
	assert_true(buf_append(b, slice_of(head, n)));
	if (mask != NULL)
		assert_true(buf_append(b, slice_of(mask, 4)));
	assert_true(buf_append(b, payload));
	for (size_t i = 0; mask != NULL && i < payload.len; i++)
		b->p[b->len - payload.len + i] ^= mask[i % 4];
}

/* The decoder under test, fed with pieces of 1..max_piece bytes (sizes from *seed), each in memory
 * of its own. */
static inline void feed_piece(struct ws_in *in, struct trace *t, struct slice piece)
{
	static const char *const names[] = {"data", "ping", "pong", "close", "bad", "more"};
	uint8_t *copy = malloc(piece.len);
	struct slice left = slice_of(copy, piece.len), payload;
	enum ws_in_event e;

	memcpy(copy, piece.p, piece.len);
	while ((e = ws_in_next(in, &left, &payload)) != WS_IN_MORE) {
		if (e == WS_IN_DATA) {
			assert_true(payload.len > 0);
			assert_true(payload.p >= copy &&
				    payload.p + payload.len <= copy + piece.len);
			assert_true(buf_append(&t->data, payload));
		} else if (e == WS_IN_BAD) {
			assert_non_null(in->bad);
			trace_event(t, names[e], in->close_code, (struct slice){0});
		} else {
			trace_event(t, names[e], e == WS_IN_CLOSE ? in->close_code : 0, payload);
		}
	}
	assert_int_equal(left.len, 0);
	free(copy);
}

static inline uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static inline void feed(struct trace *t, enum ws_role role, struct slice all, size_t max_piece,
			uint64_t *seed)
{
	struct ws_in in;

	ws_in_init(&in, role);
	while (all.len > 0) {
		size_t n = 1 + next_random(seed) % max_piece;

		feed_piece(&in, t, slice_cut(&all, n < all.len ? n : all.len));
	}
}

struct naive {
	struct slice all;
	size_t at;
	bool server, in_message;
	uint64_t message;
	struct trace *t;
};

static inline bool naive_bad(struct naive *n, unsigned code)
{
	trace_event(n->t, "bad", code, (struct slice){0});
	return false;
}

static inline bool naive_close(struct naive *n, const uint8_t *p, size_t len)
{
	static const unsigned good[] = {1000, 1001, 1002, 1003, 1007, 1008,
					1009, 1010, 1011, 1012, 1013, 1014};
	unsigned code = len < 2 ? 1005 : (unsigned)(p[0] * 256 + p[1]);
	bool ok = len == 0 || (code >= 3000 && code < 5000);

	if (len == 1)
		return naive_bad(n, 1002);
	for (size_t i = 0; len > 0 && i < COUNT_OF(good); i++)
		ok = ok || code == good[i];
	if (!ok)
		return naive_bad(n, 1002);
	for (size_t i = 2; i < len;
	     i++) { /* what the generator makes: ASCII, or 0xFF which is never valid */
		if (p[i] >= 0x80)
			return naive_bad(n, 1007);
	}
	trace_event(n->t, "close", code, len < 2 ? (struct slice){0} : slice_of(p + 2, len - 2));
	return false;
}

static inline unsigned naive_first_two(const struct naive *n, unsigned a, unsigned b)
{
	unsigned op = a % 16;

	if ((a / 16) % 8 != 0)
		return 1002;
	if (op != 0 && op != 1 && op != 2 && op != 8 && op != 9 && op != 10)
		return 1002;
	if ((b >= 128) != n->server)
		return 1002;
	if (op >= 8)
		return a < 128 || b % 128 > 125 ? 1002 : 0;
	if ((op == 0) != n->in_message)
		return 1002;
	return op == 1 ? 1003 : 0;
}

static inline bool naive_payload(struct naive *n, unsigned first, uint64_t len, const uint8_t *mask)
{
	unsigned op = first % 16;
	uint64_t here = n->all.len - n->at < len ? n->all.len - n->at : len;
	uint8_t *plain = malloc(here + 1);
	bool on = here == len;

	for (uint64_t i = 0; i < here; i++)
		plain[i] = n->all.p[n->at + i] ^ mask[i % 4];
	n->at += here;
	if (op < 8) {
		assert_true(buf_append(&n->t->data, slice_of(plain, here)));
	} else if (here == len && op == 8) {
		on = naive_close(n, plain, len);
	} else if (here == len) {
		trace_event(n->t, op == 9 ? "ping" : "pong", 0, slice_of(plain, len));
	}
	free(plain);
	return on;
}

/* One frame; false: nothing comes after it. */
static inline bool naive_frame(struct naive *n)
{
	const uint8_t *p = n->all.p + n->at;
	size_t left = n->all.len - n->at, extra;
	uint8_t mask[4] = {0};
	uint64_t len;
	unsigned code;

	if (left < 2)
		return false;
	code = naive_first_two(n, p[0], p[1]);
	if (code != 0)
		return naive_bad(n, code);
	len = p[1] % 128;
	extra = len == 126 ? 2 : len == 127 ? 8 : 0;
	if (left < 2 + extra + (n->server ? 4 : 0))
		return false;
	for (size_t i = 0; i < extra; i++)
		len = (i == 0 ? 0 : len * 256) + p[2 + i];
	if ((extra == 2 && len < 126) || (extra == 8 && (len < 65536 || len > INT64_MAX)))
		return naive_bad(n, 1002);
	if (p[0] % 16 < 8) {
		n->message = p[0] % 16 == 0 ? n->message : 0;
		if (len > WS_MESSAGE_MAX_IN || n->message + len > WS_MESSAGE_MAX_IN)
			return naive_bad(n, 1009);
		n->message += len;
		n->in_message = p[0] < 128;
	}
	n->at += 2 + extra;
	if (n->server) {
		memcpy(mask, n->all.p + n->at, 4);
		n->at += 4;
	}
	return naive_payload(n, p[0], len, mask);
}

static inline void naive_feed(struct trace *t, enum ws_role role, struct slice all)
{
	struct naive n = {.all = all, .server = role == WS_SERVER, .t = t};

	while (naive_frame(&n))
		continue;
}

#endif
