/*
 * Connections. Everything that one side does reaches the other as an event, later, and in order:
 * segments, FIN, reset, and room that a reader made. As in Linux, what arrived before a reset can
 * still be read.
 */
#include "sim_inner.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t latency(struct sim_world *w)
{
	return w->o.latency_us + sim_dice(w, w->o.latency_us + 1);
}

static void side_init(struct sim_conn *c, unsigned i)
{
	struct sim_side *s = &c->sides[i];

	s->conn = c;
	s->other = &c->sides[1 - i];
	s->latency_us = latency(c->w);
	s->ring = sim_alloc(c->w->o.buffer_bytes);
}

struct sim_conn *sim_conn_new(struct sim_world *w, const char *to,
			      const struct sockaddr_storage *from)
{
	struct sim_conn *c = sim_alloc(sizeof(*c));

	c->w = w;
	c->from = *from;
	c->refs = 2;
	memcpy(c->to, to, strnlen(to, SIM_KEY_MAX - 1));
	side_init(c, 0);
	side_init(c, 1);
	list_init(&c->queue_node);
	list_append(&w->conns, &c->node);
	return c;
}

void sim_conn_free(struct sim_conn *c)
{
	list_remove(&c->node);
	list_remove(&c->queue_node);
	for (int i = 0; i < 2; i++) {
		free(c->sides[i].ring);
		free(c->sides[i].peer);
	}
	free(c);
}

static void unref(struct sim_conn *c)
{
	if (--c->refs == 0)
		sim_conn_free(c);
}

/* Plans something to reach `to`, behind all that is already under way to it. */
static void plan(struct sim_side *to, enum sim_kind kind, size_t n)
{
	struct sim_world *w = to->conn->w;
	uint64_t at_us = w->now_us + to->latency_us + sim_dice(w, w->o.jitter_us + 1);

	if (at_us < to->last_us)
		at_us = to->last_us;
	to->last_us = at_us;
	sim_push(w, (struct sim_event){.at_us = at_us, .kind = kind, .side = to, .n = n});
}

static size_t room(const struct sim_side *s)
{
	return s->conn->w->o.buffer_bytes - s->unacked;
}

/* Linux calls a socket writable again when a third is free. */
static bool has_room(const struct sim_side *s)
{
	return room(s) * 3 >= s->conn->w->o.buffer_bytes;
}

unsigned sim_side_state(const struct sim_side *s)
{
	unsigned e = 0;

	if (s->dead)
		return SYS_IN | SYS_OUT | SYS_HUP;
	if (!s->connected)
		return 0;
	if (s->arrived > 0 || s->fin_got)
		e |= SYS_IN;
	if (s->fin_got)
		e |= SYS_HUP;
	if (s->fin_sent || has_room(s))
		e |= SYS_OUT;
	return e;
}

static void changed(struct sim_side *s)
{
	if (s->socket != NULL)
		sim_socket_edge(s->conn->w, s->socket);
	else if (s->peer != NULL && s->peer->ops != NULL)
		s->peer->ops->on_event(s->peer, sim_side_state(s));
}

static void on_segment(struct sim_side *s, size_t n)
{
	s->flying -= n;
	if (s->closed || s->dead) {
		/* Nobody is there: its own host answers with a reset. */
		if (!s->dead)
			plan(s->other, EV_RESET, ECONNRESET);
		return;
	}
	s->arrived += n;
	changed(s);
}

static void on_fin(struct sim_side *s)
{
	s->fin_got = true;
	if (!s->dead)
		changed(s);
}

static void on_reset(struct sim_side *s, int err)
{
	if (s->dead)
		return;
	s->dead = true;
	s->err = s->fin_got ? EPIPE : err;
	if (!s->closed)
		changed(s);
}

static void on_room(struct sim_side *s, size_t n)
{
	s->unacked -= n;
	if (s->closed || s->dead || !s->no_space || !has_room(s))
		return;
	s->no_space = false;
	changed(s);
}

static void on_connected(struct sim_side *s)
{
	s->connected = true;
	if (!s->closed && !s->dead)
		changed(s);
}

/* The one who dialled may have gone meanwhile: its own FIN or reset comes behind this. */
static void on_syn(struct sim_side *s)
{
	sim_peer_arrive(s->conn);
}

void sim_side_event(const struct sim_event *e)
{
	struct sim_conn *c = e->side->conn;

	switch (e->kind) {
	case EV_SYN:
		on_syn(e->side);
		break;
	case EV_CONNECTED:
		on_connected(e->side);
		break;
	case EV_SEGMENT:
		on_segment(e->side, e->n);
		break;
	case EV_FIN:
		on_fin(e->side);
		break;
	case EV_RESET:
		on_reset(e->side, (int)e->n);
		break;
	case EV_ROOM:
		on_room(e->side, e->n);
		break;
	case EV_WAKE:
	case EV_CALL:
		abort();
	}
	unref(c);
}

static int take_error(struct sim_side *s)
{
	int err = s->err;

	s->err = 0;
	return -err;
}

static void ring_put(struct sim_side *to, const uint8_t *p, size_t n)
{
	size_t cap = to->conn->w->o.buffer_bytes;
	size_t end = (to->start + to->arrived + to->flying) % cap;
	size_t first = n < cap - end ? n : cap - end;

	memcpy(to->ring + end, p, first);
	memcpy(to->ring, p + first, n - first);
	to->flying += n;
}

static size_t put_all(struct sim_side *s, const struct iovec *v, unsigned n)
{
	size_t left = room(s);
	size_t taken = 0;

	for (unsigned i = 0; i < n && left > 0; i++) {
		size_t bytes = v[i].iov_len < left ? v[i].iov_len : left;

		/* A socket that is closed or dead takes no bytes; the sender does not know yet. */
		if (bytes > 0)
			ring_put(s->other, v[i].iov_base, bytes);
		left -= bytes;
		taken += bytes;
	}
	s->unacked += taken;
	return taken;
}

/* Pieces of random size, but not so many that a test takes for ever. */
static void plan_segments(struct sim_side *to, size_t bytes)
{
	struct sim_world *w = to->conn->w;
	size_t most = w->o.segment_bytes;
	size_t least = bytes / 32 + 1;

	while (bytes > 0) {
		size_t n = most == 0 ? bytes : least + sim_dice(w, (uint32_t)most);

		n = n < bytes ? n : bytes;
		plan(to, EV_SEGMENT, n);
		bytes -= n;
	}
}

static size_t sum(const struct iovec *v, unsigned n)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += v[i].iov_len;
	return bytes;
}

ssize_t sim_side_send(struct sim_side *s, const struct iovec *v, unsigned n)
{
	size_t bytes = sum(v, n);
	size_t taken;

	if (s->err != 0)
		return take_error(s);
	if (s->dead || s->fin_sent)
		return -EPIPE;
	if (!s->connected)
		return -EAGAIN;
	taken = put_all(s, v, n);
	plan_segments(s->other, taken);
	if (taken < bytes)
		s->no_space = true;
	return taken == 0 && bytes > 0 ? -EAGAIN : (ssize_t)taken;
}

static void ring_take(struct sim_side *s, uint8_t *ret, size_t n)
{
	size_t cap = s->conn->w->o.buffer_bytes;
	size_t first = n < cap - s->start ? n : cap - s->start;

	memcpy(ret, s->ring + s->start, first);
	memcpy(ret + first, s->ring, n - first);
	s->start = (s->start + n) % cap;
	s->arrived -= n;
}

ssize_t sim_side_recv(struct sim_side *s, void *ret, size_t n)
{
	if (s->arrived > 0) {
		n = n < s->arrived ? n : s->arrived;
		ring_take(s, ret, n);
		plan(s->other, EV_ROOM, n);
		return (ssize_t)n;
	}
	if (s->fin_got)
		return 0;
	if (s->err != 0)
		return take_error(s);
	return s->dead ? 0 : -EAGAIN;
}

int sim_side_shutdown(struct sim_side *s)
{
	if (s->dead || !s->connected)
		return -ENOTCONN;
	if (!s->fin_sent)
		plan(s->other, EV_FIN, 0);
	s->fin_sent = true;
	return 0;
}

static void side_gone(struct sim_side *s)
{
	struct sim_conn *c = s->conn;

	s->closed = true;
	s->socket = NULL;
	free(s->peer);
	s->peer = NULL;
	unref(c);
}

void sim_side_close(struct sim_side *s)
{
	if (s->arrived > 0) {
		sim_side_reset(s);
		return;
	}
	if (!s->dead && !s->fin_sent)
		plan(s->other, EV_FIN, 0);
	s->fin_sent = true;
	side_gone(s);
}

void sim_side_reset(struct sim_side *s)
{
	if (!s->dead)
		plan(s->other, EV_RESET, ECONNRESET);
	s->dead = true;
	side_gone(s);
}

void sim_conn_break(struct sim_conn *c)
{
	c->refs++;
	for (int i = 0; i < 2; i++)
		plan(&c->sides[i], EV_RESET, ECONNRESET);
	unref(c);
}
