/*
 * Birth, phases, and small services of a session. How it ends: session_end.c.
 *
 * Invariant: s is in the worker's list of its phase, and its deadline is the phase's.
 */
#include "session/session.h"

#include <assert.h>
#include <stdlib.h>

#include "minecraft/chat.h"
#include "minecraft/play.h"
#include "session/alive.h"
#include "session/candidate.h"
#include "session/player.h"
#include "session/server.h"
#include "session/transfer.h"
#include "session/tunnel.h"
#include "session/worker.h"

/* Largest frame from a player who is not logged in yet. */
enum { UNTRUSTED_FRAME_MAX = 4096 };

uint64_t session_now_us(const struct session *s)
{
	return loop_now_us(s->worker->loop);
}

const struct settings *session_settings(const struct session *s)
{
	return s->worker->settings;
}

static void on_deadline(struct timer *t)
{
	player_on_deadline(CONTAINER_OF(t, struct session, deadline));
}

struct session *session_new(struct worker *w, struct listener *ls, int fd, const struct addr *peer)
{
	struct session *s = calloc(1, sizeof(*s));
	uint64_t now_us = loop_now_us(w->loop);

	if (s == NULL) {
		struct sys *sys = loop_sys(w->loop);

		sys->ops->close(sys, fd);
		return NULL;
	}
	s->worker = w;
	s->listener = ls;
	s->kept = (struct kept){.format = KEPT_FORMAT, .addr = *peer};
	s->kept.conn = atomic_fetch_add(&w->common->last_conn, 1) + 1;
	s->player = link_new(&w->links, fd, &player_ops, s);
	if (s->player == NULL || !idmap_put(&w->by_conn, s->kept.conn, s)) {
		link_drop(s->player);
		free(s);
		return NULL;
	}
	split_init(&s->from_player, &w->links.pool, UNTRUSTED_FRAME_MAX, false);
	timer_init(&s->deadline, on_deadline);
	list_init(&s->node);
	list_append(&w->by_phase[PHASE_GREET], &s->node);
	timer_arm(w->loop, &s->deadline, now_us + w->settings->timeouts.first_byte_us);
	return s;
}

/* 0: the phase has no deadline of its own. */
static uint64_t phase_limit_us(const struct session *s, enum phase p)
{
	const struct settings *set = session_settings(s);

	switch (p) {
	case PHASE_GREET:
	case PHASE_STATUS:
	case PHASE_LOGIN:
		return 0; /* one limit from the first byte on: player_on_first_byte */
	case PHASE_PASS:
	case PHASE_PLACE:
		return set->timeouts.route_us;
	case PHASE_MOVE:
		return set->timeouts.first_play_us;
	case PHASE_PLAY:
	case PHASE_HOLD:
	case PHASE_DRAIN:
	case PHASE_GONE:
	case PHASE_COUNT:
		break;
	}
	return 0;
}

void session_enter(struct session *s, enum phase to)
{
	uint64_t limit_us = phase_limit_us(s, to);

	assert(phase_allows(s->kept.phase, to));
	list_move(&s->node, &s->worker->by_phase[to]);
	s->kept.phase = (uint8_t)to;
	if (limit_us > 0)
		timer_arm(s->worker->loop, &s->deadline, session_now_us(s) + limit_us);
	else if (to != PHASE_STATUS && to != PHASE_LOGIN)
		timer_disarm(&s->deadline);
}

bool session_warm_up(struct session *s)
{
	struct cold *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		session_end(s, END_OUT_OF_MEMORY);
		return false;
	}
	split_init(&c->from_server, &s->worker->links.pool, FRAME_MAX_BYTES, true);
	timer_init(&c->beat, alive_on_beat);
	c->session = s;
	s->cold = c;
	return true;
}

static void cold_free(struct cold *c)
{
	split_fini(&c->from_server);
	timer_disarm(&c->beat);
	backend_unref(c->at);
	catalog_unref(c->catalog);
	buf_fini(&c->last_words);
	buf_fini(&c->channels);
	free(c);
}

void session_free(struct session *s)
{
	timer_disarm(&s->deadline);
	list_remove(&s->node);
	split_fini(&s->from_player);
	if (s->cold != NULL)
		cold_free(s->cold);
	free(s);
}

void session_pause_player(struct session *s, enum session_pause why)
{
	s->player_paused |= (uint8_t)why;
	if (s->player != NULL)
		link_pause(s->player);
}

void session_resume_player(struct session *s, enum session_pause why)
{
	s->player_paused &= (uint8_t)~why;
	if (s->player != NULL && s->player_paused == 0)
		link_resume(s->player);
}

void session_pause_server(struct session *s, enum session_pause why)
{
	s->server_paused |= (uint8_t)why;
	if (s->server != NULL)
		link_pause(s->server);
}

void session_resume_server(struct session *s, enum session_pause why)
{
	s->server_paused &= (uint8_t)~why;
	if (s->server != NULL && s->server_paused == 0)
		link_resume(s->server);
}

void session_attach_server(struct session *s, struct link *l)
{
	assert(s->server == NULL);
	s->server = l;
	l->ops = &server_ops;
	l->owner = s;
	if (s->server_paused != 0)
		link_pause(l);
}

void session_say(struct session *s, const char *text)
{
	struct buf json = {0};
	uint8_t *p;

	if (chat_json(&json, slice_str(text))) {
		p = arena_alloc(&s->worker->links.turn, json.len + 16);
		if (p != NULL) {
			struct writer w = writer_of(p, json.len + 16);

			chat_write(&w, buf_slice(&json));
			link_push(s->player, (struct out){.p = p, .len = (uint32_t)w.len});
		}
	}
	buf_fini(&json);
}
