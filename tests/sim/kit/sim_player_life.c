/* How a player comes and goes, and what is asked of it at the end. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "minecraft/handshake.h"
#include "minecraft/login.h"
#include "minecraft/play.h"
#include "sim_player_inner.h"
#include "sim_traffic.h"

static struct sim_world *world(const struct sim_player *p)
{
	return p->st->world;
}

static void write_login(struct sim_player *p, struct buf *b)
{
	struct handshake h = {
		.protocol = p->old_protocol ? 4 : 5,
		.host = SLICE_LIT("play.example.org"),
		.port = (uint16_t)p->number,
		.next = p->vice == VICE_STATUS ? NEXT_STATUS : NEXT_LOGIN,
	};
	struct writer w;

	sim_player_must(buf_reserve(b, 512));
	w = writer_of(b->p, b->cap);
	if (p->vice == VICE_BAD_VERSION)
		h.protocol = 763;
	handshake_write(&w, &h);
	if (p->vice == VICE_STATUS)
		write_bytes(&w, SLICE_LIT("\1\0\11\1\1\2\3\4\5\6\7\10"));
	else
		login_start_write(&w, slice_str(p->vice == VICE_BAD_NAME ? "no name!" : p->name));
	b->len = w.len;
}

static void drip(void *arg)
{
	struct sim_player *p = arg;
	struct buf b = {0};

	write_login(p, &b);
	if (p->actor.peer != NULL && p->dripped < b.len) {
		sim_actor_send(&p->actor, slice_of(b.p + p->dripped++, 1));
		sim_player_at(p, US_PER_S, drip);
	}
	buf_fini(&b);
}

static void send_random(struct sim_player *p)
{
	struct buf b = {0};

	for (unsigned i = 0; i < 1 + sim_dice(world(p), 100); i++) {
		uint8_t byte = (uint8_t)sim_dice(world(p), 256);

		sim_player_must(buf_append(&b, slice_of(&byte, 1)));
	}
	sim_actor_send(&p->actor, buf_slice(&b));
	buf_fini(&b);
}

static void send_login(struct sim_player *p)
{
	struct buf b = {0};

	write_login(p, &b);
	if (p->vice == VICE_HALF)
		b.len = 1 + sim_dice(world(p), (uint32_t)b.len - 1);
	if (p->vice == VICE_BIG_FRAME) {
		b.len = 0;
		sim_traffic_frame(world(p), &b, 0, 1, 5000);
	}
	sim_actor_send(&p->actor, buf_slice(&b));
	p->spoke = p->vice != VICE_HALF && p->vice != VICE_BIG_FRAME && p->vice != VICE_STATUS;
	buf_fini(&b);
}

static void send_get(struct sim_player *p, bool upgrade)
{
	static const char head[] = "GET /mc HTTP/1.1\r\nHost: x\r\n";
	static const char more[] = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
				   "Sec-WebSocket-Version: 13\r\n"
				   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

	sim_actor_send_raw(&p->actor, slice_str(head));
	if (upgrade)
		sim_actor_send_raw(&p->actor, slice_str(more));
	sim_actor_send_raw(&p->actor, SLICE_LIT("\r\n"));
}

static void begin(struct sim_player *p)
{
	if (p->websocket)
		send_get(p, true);
	switch (p->vice) {
	case VICE_SILENT:
		break;
	case VICE_GARBAGE:
		send_random(p);
		break;
	case VICE_DRIP:
		drip(p);
		break;
	case VICE_LEGACY_PING:
		sim_actor_send_raw(&p->actor, SLICE_LIT("\xFE\x01"));
		break;
	case VICE_HTTP:
		send_get(p, false);
		break;
	case VICE_BAD_WS:
		sim_actor_send_raw(&p->actor, SLICE_LIT("\x82\x02hi"));
		break;
	case VICE_NONE:
	case VICE_LEAVES:
	case VICE_NEVER_READS:
	case VICE_SLOW:
	case VICE_MUTE:
	case VICE_HALF:
	case VICE_BIG_FRAME:
	case VICE_BAD_NAME:
	case VICE_BAD_VERSION:
	case VICE_BAD_FRAME:
	case VICE_STATUS:
	case VICE_COUNT:
		send_login(p);
		break;
	}
}

static void on_event(struct sim_peer *peer, unsigned events)
{
	struct sim_player *p = peer->arg;

	sim_actor_on_event(&p->actor, events);
	if (events & (SYS_IN | SYS_HUP) && !p->actor.no_reading)
		sim_player_on_input(p);
}

static const struct sim_peer_ops ops = {on_event};

void sim_player_leave(struct sim_player *p)
{
	if (p->actor.peer == NULL)
		return;
	p->left = true;
	if (p->vice == VICE_LEAVES && sim_dice(world(p), 3) == 0)
		sim_actor_reset(&p->actor);
	else
		sim_actor_close(&p->actor);
}

static void leave(void *arg)
{
	sim_player_leave(arg);
}

static void arrive(void *arg)
{
	struct sim_player *p = arg;

	p->arrived = true;
	p->actor.websocket = p->websocket;
	p->actor.peer = sim_dial(world(p), STAGE_FRONT, p->from, &ops, p);
	p->heard_us = sim_now_us(world(p));
	begin(p);
	if (p->stays_us > 0)
		sim_player_at(p, p->stays_us, leave);
}

void sim_player_start(struct sim_player *p)
{
	p->beat_us = p->beat_us == 0 ? 100 * US_PER_MS : p->beat_us;
	p->big_bytes = p->big_bytes == 0 ? 500 : p->big_bytes;
	if (p->name[0] == '\0')
		(void)snprintf(p->name, sizeof(p->name), "Player_%u", p->number);
	if (p->from[0] == '\0')
		(void)snprintf(p->from, sizeof(p->from), "198.51.%u.%u:%u", p->number % 7,
			       1 + p->number % 200, 10000 + p->number);
	if (p->vice == VICE_HTTP || p->vice == VICE_LEGACY_PING || p->vice == VICE_SILENT)
		p->websocket = false;
	if (p->vice == VICE_BAD_WS)
		p->websocket = true;
	sim_player_at(p, p->arrive_us, arrive);
}

static void check_told(const struct sim_player *p)
{
	bool answered = p->vice == VICE_STATUS || p->vice == VICE_LEGACY_PING ||
			p->vice == VICE_HTTP;

	/* Whoever reads slowly may not get to the last words within the 5 s of a closing link. */
	if (p->left || !p->gone || p->excused || p->vice == VICE_NEVER_READS ||
	    p->vice == VICE_SLOW)
		return;
	stage_check(p->st, !p->spoke || p->told, "%s: closed without a word (vice %d, broken %d)",
		    p->name, p->vice, p->actor.broken);
	/* A goodbye to all may overtake what is no Minecraft. */
	answered = answered && (!p->st->draining || p->gone_us < p->st->drain_us);
	stage_check(p->st, !answered || p->answered, "%s: no answer, vice %d", p->name, p->vice);
}

static size_t same_bytes(const struct buf *a, const struct buf *b)
{
	size_t n = 0;

	while (n < a->len && n < b->len && a->p[n] == b->p[n])
		n++;
	return n;
}

static size_t whole_frames(const struct buf *b)
{
	struct slice rest = buf_slice(b);
	struct sim_frame f;

	while (rest.len > 0 && sim_frame_cut(&rest, &f))
		continue;
	return b->len - rest.len;
}

/* Whoever reads slowly gets 5 s for what was sent before a server's end. */
static bool reads_all(const struct sim_player *p)
{
	return p->gone && !p->left && !p->excused && p->vice != VICE_NEVER_READS &&
	       p->vice != VICE_SLOW && p->vice != VICE_BAD_FRAME && p->vice != VICE_MUTE;
}

/* The player read what the server sent, and behind it at most a kick of ours. */
static void check_down(const struct sim_player *p, const struct sim_backend_conn *c)
{
	size_t n = same_bytes(&p->got, &c->sent);
	struct slice rest = buf_slice(&p->got);
	struct sim_frame f;

	slice_cut(&rest, n);
	if (rest.len > 0) {
		/* What differs may have begun alike: back to a frame's first byte. */
		struct slice all = buf_slice(&p->got);

		while (all.len >= rest.len && sim_frame_cut(&all, &f))
			continue;
		stage_check(p->st, p->told && all.len == 0 && f.id == PLAY_S_KICK,
			    "%s: got other bytes than the server sent, at %zu of %zu (sent %zu)",
			    p->name, n, p->got.len, c->sent.len);
		n = p->got.len - f.wire.len;
	}
	if (c->ended && reads_all(p))
		stage_check(p->st, n == whole_frames(&c->sent),
			    "%s: got %zu of the %zu bytes that the server sent before its end",
			    p->name, n, c->sent.len);
}

static void check_up(const struct sim_player *p, const struct sim_backend_conn *c)
{
	size_t n = same_bytes(&c->got, &p->sent);

	stage_check(p->st, n == c->got.len,
		    "%s: the server got other bytes than were sent, at %zu of %zu (sent %zu)",
		    p->name, n, c->got.len, p->sent.len);
}

void sim_player_check(struct sim_player *p, struct sim_backend *backends, unsigned n)
{
	struct sim_backend_conn *c = NULL;

	check_told(p);
	if (p->serial == 0)
		return;
	for (unsigned i = 0; i < n && c == NULL; i++) {
		struct sim_backend_conn *found = sim_backend_find(&backends[i], p->serial);

		if (found != NULL && found->player == p->number)
			c = found;
	}
	stage_check(p->st, c != NULL, "%s plays on no server", p->name);
	check_down(p, c);
	check_up(p, c);
}

void sim_player_fini(struct sim_player *p)
{
	sim_actor_fini(&p->actor);
	buf_fini(&p->got);
	buf_fini(&p->sent);
	buf_fini(&p->late);
}
