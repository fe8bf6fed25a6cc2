#include "link/websocket_filter.h"

#include <stdlib.h>

#include "base/buf.h"
#include "link/link_inner.h"

enum { PINGS_MAX = 2 };

struct websocket_filter {
	struct filter filter;
	struct link *link;
	const struct websocket_hooks *hooks;
	uint64_t ping_us;
	uint64_t spoke_us;  /* our last message */
	uint64_t pinged_us; /* our last ping */
	struct timer ping;
	struct buf head; /* the request, until it is whole */
	uint8_t open;
	uint8_t pings; /* without any input since */
	uint8_t pong_pending;
	uint8_t close_sent;
	uint8_t pong_len;
	uint8_t pong[WS_CONTROL_MAX];
	struct ws_in in;
};

static struct websocket_filter *of(struct filter *f)
{
	return CONTAINER_OF(f, struct websocket_filter, filter);
}

static void push_control(struct websocket_filter *wf, const uint8_t *frame, size_t len)
{
	struct link *l = wf->link;
	struct outs *o = &l->outs;
	uint8_t *p;

	if (l->flags & (LINK_BROKEN | LINK_CLOSED))
		return;
	p = arena_alloc(&l->links->turn, len);
	if (p == NULL || !link_seal(l)) {
		link_fail(l);
		return;
	}
	memcpy(p, frame, len);
	wf->spoke_us = loop_now_us(l->links->loop);
	if (!outs_insert(o, o->n, (struct out){.p = p, .len = (uint32_t)len}, &l->links->turn)) {
		link_fail(l);
		return;
	}
	o->sealed = o->n;
	link_touch(l);
}

static void send_close(struct websocket_filter *wf, enum ws_close_code code, const char *reason)
{
	uint8_t frame[WS_CONTROL_FRAME_MAX];
	size_t n;

	if (wf->close_sent)
		return;
	n = ws_close_write(frame, code, slice_str(reason), NULL);
	push_control(wf, frame, n);
	wf->close_sent = true;
}

static void send_ping(struct websocket_filter *wf, uint64_t now_us)
{
	uint8_t frame[WS_CONTROL_FRAME_MAX];

	push_control(wf, frame, ws_control_write(frame, WS_CONTROL_PING, SLICE_LIT("mb"), NULL));
	wf->pinged_us = wf->spoke_us = now_us;
	wf->pings++;
}

/* Silence of our own making is not the peer's: nobody reads, or what we said still waits here. */
static bool is_excused(const struct link *l)
{
	return io_is_paused(&l->io) || link_unsent(l) > 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Ping when either side has been silent for so long; a silent peer is asked once in that time. */
static void on_ping_due(struct timer *t)
{
	struct websocket_filter *wf = CONTAINER_OF(t, struct websocket_filter, ping);
	struct link *l = wf->link;
	uint64_t now_us = loop_now_us(l->links->loop);
	bool excused = is_excused(l);
	uint64_t heard_us = excused ? now_us : l->heard_us;
	bool deaf = now_us >= later(heard_us, wf->pinged_us) + wf->ping_us;

	if (l->flags & (LINK_DEAF | LINK_BROKEN | LINK_CLOSED))
		return;
	if (deaf && wf->pings >= PINGS_MAX) {
		link_complain(l, "no answer to two pings");
		return;
	}
	if (deaf || now_us >= wf->spoke_us + wf->ping_us)
		send_ping(wf, now_us);
	if (excused)
		wf->pings = 0;
	uint64_t quiet_since_us = later(heard_us, wf->pinged_us);

	if (wf->spoke_us < quiet_since_us)
		quiet_since_us = wf->spoke_us;
	timer_arm(l->links->loop, t, quiet_since_us + wf->ping_us);
}

static void refuse(struct websocket_filter *wf, enum ws_verdict why)
{
	char answer[WS_ANSWER_MAX_BYTES];
	struct link *l = wf->link;

	wf->close_sent = true;
	link_push_copy(l, slice_of(answer, ws_answer_refusal(answer, why)));
	l->outs.sealed = l->outs.n;
}

static bool accept_upgrade(struct websocket_filter *wf, const struct ws_request *r)
{
	char answer[WS_ANSWER_MAX_BYTES];
	struct link *l = wf->link;
	size_t n = ws_answer_upgrade(answer, r);

	if (n == 0)
		return false;
	link_push_copy(l, slice_of(answer, n));
	l->outs.sealed = l->outs.n;
	wf->open = true;
	wf->spoke_us = loop_now_us(l->links->loop);
	if (wf->ping_us > 0)
		timer_arm(l->links->loop, &wf->ping, wf->spoke_us + wf->ping_us);
	wf->hooks->on_open(l);
	return true;
}

static enum progress take_request(struct websocket_filter *wf, struct slice head,
				  const char **ret_why)
{
	struct ws_request r;
	enum ws_verdict verdict = ws_request_parse(&r, head);

	if (verdict == WS_UPGRADE)
		verdict = wf->hooks->on_request(wf->link, &r);
	if (verdict == WS_UPGRADE && accept_upgrade(wf, &r))
		return DONE;
	refuse(wf, verdict == WS_UPGRADE ? WS_BAD_REQUEST : verdict);
	*ret_why = "no WebSocket upgrade";
	return BAD;
}

static enum progress read_head(struct websocket_filter *wf, struct slice *io_in,
			       const char **ret_why)
{
	size_t before = wf->head.len;
	size_t room = WS_HEAD_MAX_BYTES + 1 - before;
	struct slice taken = {io_in->p, io_in->len < room ? io_in->len : room};
	size_t len = 0;
	enum progress got;

	*ret_why = "out of memory";
	if (!buf_append(&wf->head, taken))
		return BAD;
	got = ws_head_end(buf_slice(&wf->head), before, &len);
	if (got == BAD) {
		refuse(wf, WS_HEAD_TOO_LARGE);
		*ret_why = "request head too large";
		return BAD;
	}
	if (got == MORE) {
		slice_cut(io_in, taken.len);
		return MORE;
	}
	slice_cut(io_in, len - before);
	got = take_request(wf, slice_of(wf->head.p, len), ret_why);
	buf_fini(&wf->head);
	return got;
}

static void note_ping(struct websocket_filter *wf, struct slice payload)
{
	wf->pong_pending = true;
	wf->pong_len = (uint8_t)payload.len;
	if (payload.len > 0)
		memcpy(wf->pong, payload.p, payload.len);
	link_touch(wf->link);
}

static enum progress read_frames(struct websocket_filter *wf, struct slice *io_in,
				 struct slice *ret_piece, const char **ret_why)
{
	struct slice data = {0};

	switch (ws_in_next(&wf->in, io_in, &data)) {
	case WS_IN_DATA:
		*ret_piece = data;
		return DONE;
	case WS_IN_PING:
		note_ping(wf, data);
		return DONE;
	case WS_IN_PONG:
		return DONE;
	case WS_IN_MORE:
		return MORE;
	case WS_IN_CLOSE:
		send_close(wf,
			   wf->in.close_code == WS_CLOSE_NONE ? WS_CLOSE_NORMAL : wf->in.close_code,
			   "");
		*ret_why = NULL;
		return BAD;
	case WS_IN_BAD:
		send_close(wf, wf->in.close_code, wf->in.bad);
		*ret_why = wf->in.bad;
		return BAD;
	}
	return BAD;
}

static enum progress websocket_in(struct filter *f, struct link *l, struct slice *io_in,
				  struct slice *ret_piece, const char **ret_why)
{
	struct websocket_filter *wf = of(f);

	(void)l;
	wf->pings = 0;
	return wf->open ? read_frames(wf, io_in, ret_piece, ret_why)
			: read_head(wf, io_in, ret_why);
}

/* A pong goes before the data of this flush: between two messages. */
static bool put_pong(struct websocket_filter *wf, struct outs *io, unsigned *at, struct arena *turn)
{
	uint8_t *p = arena_alloc(turn, WS_CONTROL_FRAME_MAX);

	if (p == NULL)
		return false;
	size_t len = ws_control_write(p, WS_CONTROL_PONG, slice_of(wf->pong, wf->pong_len), NULL);

	wf->pong_pending = false;
	return outs_insert(io, (*at)++, (struct out){.p = p, .len = (uint32_t)len}, turn);
}

static bool put_header(struct outs *io, unsigned at, size_t payload_len, struct arena *turn)
{
	uint8_t *p = arena_alloc(turn, WS_HEADER_MAX);

	if (p == NULL)
		return false;
	size_t len = ws_header_write(p, payload_len, NULL);

	return outs_insert(io, at, (struct out){.p = p, .len = (uint32_t)len}, turn);
}

/* Cuts the entry at index i so that its first part is `len` long. */
static bool cut_entry(struct outs *io, unsigned i, uint32_t len, struct arena *turn)
{
	struct out rest = io->v[i];

	rest.p += len;
	rest.len -= len;
	io->v[i].len = len;
	return outs_insert(io, i + 1, rest, turn);
}

/* How many entries from `at` on make one message; the last is cut to fit. *ret_bytes: their sum. */
static bool take_message(struct outs *io, unsigned at, size_t *ret_bytes, unsigned *ret_n,
			 struct arena *turn)
{
	size_t bytes = 0;
	unsigned i = at;

	while (i < io->n && bytes < WS_MESSAGE_MAX_OUT) {
		size_t room = WS_MESSAGE_MAX_OUT - bytes;

		if (io->v[i].len > room && !cut_entry(io, i, (uint32_t)room, turn))
			return false;
		bytes += io->v[i].len;
		i++;
	}
	*ret_bytes = bytes;
	*ret_n = i - at;
	return true;
}

/* Nothing may be said before the answer to the request, nor behind a close frame. */
static bool websocket_out(struct filter *f, struct outs *io, unsigned from, struct arena *turn)
{
	struct websocket_filter *wf = of(f);
	unsigned at = from;

	if (!wf->open || wf->close_sent) {
		io->n = (uint16_t)from;
		return true;
	}
	/* Who pings and does not read would fill the backlog: the last ping is answered when there
	 * is room again. */
	if (wf->pong_pending && !(wf->link->flags & LINK_FULL) && !put_pong(wf, io, &at, turn))
		return false;
	if (at < io->n || at > from)
		wf->spoke_us = loop_now_us(wf->link->links->loop);
	while (at < io->n) {
		size_t bytes = 0;
		unsigned n = 0;

		if (!take_message(io, at, &bytes, &n, turn) || !put_header(io, at, bytes, turn))
			return false;
		at += n + 1;
	}
	return true;
}

static bool websocket_goodbye(struct filter *f, struct outs *io, struct arena *turn)
{
	struct websocket_filter *wf = of(f);

	(void)io;
	(void)turn;
	if (wf->open)
		send_close(wf, WS_CLOSE_NORMAL, "");
	return true;
}

static void websocket_free(struct filter *f)
{
	struct websocket_filter *wf = of(f);

	timer_disarm(&wf->ping);
	buf_fini(&wf->head);
	free(wf);
}

static const struct filter_ops ops = {
	.in = websocket_in,
	.out = websocket_out,
	.goodbye = websocket_goodbye,
	.free = websocket_free,
};

struct filter *websocket_filter_new(struct link *l, const struct websocket_hooks *hooks,
				    uint64_t ping_us)
{
	struct websocket_filter *wf = calloc(1, sizeof(*wf));

	if (wf == NULL)
		return NULL;
	wf->filter.ops = &ops;
	wf->link = l;
	wf->hooks = hooks;
	wf->ping_us = ping_us;
	timer_init(&wf->ping, on_ping_due);
	ws_in_init(&wf->in, WS_SERVER);
	return &wf->filter;
}

bool websocket_filter_is_open(const struct filter *f)
{
	return f->ops == &ops &&
	       CONTAINER_OF((void *)(uintptr_t)f, struct websocket_filter, filter)->open;
}

static const struct websocket_filter *peek(const struct filter *f)
{
	return CONTAINER_OF((void *)(uintptr_t)f, struct websocket_filter, filter);
}

bool websocket_filter_save(const struct filter *f, struct websocket_kept *ret)
{
	const struct websocket_filter *wf = peek(f);
	const struct ws_in *in = &wf->in;

	if (!websocket_filter_is_open(f) || wf->close_sent || ws_in_is_closed(in))
		return false;
	memset(ret, 0, sizeof(*ret));
	*ret = (struct websocket_kept){
		.spoke_us = wf->spoke_us,
		.payload_left = in->payload_left,
		.message_bytes = in->message_bytes,
		.head_len = in->head_len,
		.opcode = in->opcode,
		.flags = in->flags,
		.mask_at = in->mask_at,
		.control_len = in->control_len,
		.pings = wf->pings,
		.pong_pending = wf->pong_pending,
		.pong_len = wf->pong_len,
	};
	memcpy(ret->head, in->head, sizeof(ret->head));
	memcpy(ret->mask, in->mask, sizeof(ret->mask));
	memcpy(ret->control, in->control, sizeof(ret->control));
	memcpy(ret->pong, wf->pong, sizeof(ret->pong));
	return true;
}

static void restore_in(struct ws_in *in, const struct websocket_kept *k)
{
	ws_in_init(in, WS_SERVER);
	in->payload_left = k->payload_left;
	in->message_bytes = k->message_bytes;
	in->head_len = k->head_len;
	in->opcode = k->opcode;
	in->flags = k->flags;
	in->mask_at = k->mask_at;
	in->control_len = k->control_len;
	memcpy(in->head, k->head, sizeof(in->head));
	memcpy(in->mask, k->mask, sizeof(in->mask));
	memcpy(in->control, k->control, sizeof(in->control));
}

bool websocket_kept_is_valid(const struct websocket_kept *k)
{
	struct ws_in in;

	restore_in(&in, k);
	return ws_in_is_valid(&in) && k->pings <= PINGS_MAX && k->pong_pending <= 1 &&
	       k->pong_len <= WS_CONTROL_MAX;
}

struct filter *websocket_filter_restore(struct link *l, const struct websocket_kept *k,
					uint64_t ping_us)
{
	struct filter *f = websocket_filter_new(l, NULL, ping_us);
	struct websocket_filter *wf;

	if (f == NULL)
		return NULL;
	wf = of(f);
	wf->open = true;
	wf->spoke_us = k->spoke_us;
	wf->pings = k->pings;
	wf->pong_pending = k->pong_pending;
	wf->pong_len = k->pong_len;
	memcpy(wf->pong, k->pong, sizeof(wf->pong));
	restore_in(&wf->in, k);
	if (ping_us > 0)
		timer_arm(l->links->loop, &wf->ping, wf->spoke_us + ping_us);
	return f;
}
