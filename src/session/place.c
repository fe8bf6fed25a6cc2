#include "session/place.h"

#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "network/route.h"
#include "session/hold.h"
#include "session/session.h"
#include "session/worker.h"

/* Back-off of a player who waits in HOLD. */
enum { RETRY_FIRST_US = 1 * US_PER_S, RETRY_MAX_US = 15 * US_PER_S };

static uint64_t retry_in_us(const struct session *s)
{
	unsigned shift = s->cold->retry_n < 4 ? s->cold->retry_n : 4;
	uint64_t us = (uint64_t)RETRY_FIRST_US << shift;

	return us < RETRY_MAX_US ? us : RETRY_MAX_US;
}

static void retry_later(struct session *s)
{
	timer_arm(s->worker->loop, &s->deadline, session_now_us(s) + retry_in_us(s));
	s->cold->retry_n++;
}

/* Every server of the route was tried. */
static void nobody_is_free(struct session *s)
{
	if (s->kept.phase == PHASE_HOLD) {
		retry_later(s);
	} else if (session_settings(s)->when_no_server == NO_SERVER_HOLD) {
		hold_enter(s, false);
		retry_later(s);
	} else {
		session_end(s, s->cold->route->servers.n == 1 && s->cold->at != NULL
				       ? END_BACKEND_UNREACHABLE
				       : END_NO_SERVER);
	}
}

static void enter_lobby(struct session *s)
{
	if (s->kept.phase == PHASE_HOLD)
		retry_later(s);
	else
		hold_enter(s, true);
}

static void set_at(struct session *s, struct backend *b)
{
	backend_ref(b);
	backend_unref(s->cold->at);
	s->cold->at = b;
}

static void try_next(struct session *s)
{
	struct cold *c = s->cold;

	while (c->route_at < c->route->servers.n) {
		const char *name = c->route->servers.v[c->route_at++];
		struct backend *b = catalog_find(c->catalog, name);

		if (strcmp(name, LOBBY_NAME) == 0) {
			enter_lobby(s);
			return;
		}
		if (b == NULL || b->set->mode != BACKEND_MANAGED)
			continue;
		set_at(s, b);
		s->cold->candidate = candidate_new(s, b);
		if (s->cold->candidate == NULL)
			session_end(s, END_OUT_OF_MEMORY);
		return;
	}
	nobody_is_free(s);
}

/* The newest catalog counts for a whole round through the route. */
static void begin_round(struct session *s)
{
	struct cold *c = s->cold;

	catalog_unref(c->catalog);
	c->catalog = catalog_ref(s->worker->catalog);
	c->route = route_find(c->catalog->settings, c->host);
	c->route_at = 0;
	try_next(s);
}

void place_start(struct session *s)
{
	if (s->worker->catalog == NULL)
		session_end(s, END_NO_SERVER);
	else
		begin_round(s);
}

void place_again(struct session *s)
{
	if (s->cold->candidate == NULL && !(s->kept.flags & KEPT_LOBBY))
		begin_round(s);
}

static enum end end_of(enum candidate_failed what)
{
	switch (what) {
	case CANDIDATE_UNREACHABLE:
		return END_BACKEND_UNREACHABLE;
	case CANDIDATE_REFUSED:
		return END_BACKEND_REFUSED;
	case CANDIDATE_ONLINE_MODE:
		return END_BACKEND_ONLINE_MODE;
	case CANDIDATE_LOGIN_TIMEOUT:
		return END_BACKEND_LOGIN_TIMEOUT;
	case CANDIDATE_JOIN_TIMEOUT:
		return END_BACKEND_JOIN_TIMEOUT;
	case CANDIDATE_GONE:
		return END_BACKEND_GONE;
	case CANDIDATE_BAD:
		return END_BACKEND_PACKET_BAD;
	case CANDIDATE_TOO_BIG:
		return END_FRAME_TOO_BIG;
	case CANDIDATE_NEEDS_FORGE:
		return END_FORGE_NEEDED;
	case CANDIDATE_NEEDS_REJOIN:
		return END_FORGE_REJOIN;
	case CANDIDATE_NO_MEMORY:
		return END_OUT_OF_MEMORY;
	}
	return END_BACKEND_GONE;
}

static void log_failure(struct session *s, enum candidate_failed what, const char *reason)
{
	char quoted[320];
	struct text t = text_of(quoted, sizeof(quoted));

	text_put_value(&t, slice_str(reason == NULL ? "" : reason));
	session_log(s, LOG_WARN, CAUSE_CANDIDATE, "server did not take the player",
		    "why=%s reason=%s", end_row(end_of(what))->label, quoted);
}

/* In HOLD a failure costs nothing: the player reads why, once for each new reason, and goes on
 * waiting. */
static void tell_waiting(struct session *s, const struct candidate_failure *why,
			 const struct end_detail *d)
{
	struct buf text = {0};

	if (why->what != CANDIDATE_UNREACHABLE && s->cold->told != (uint8_t)why->what &&
	    end_text(&text, end_of(why->what), d) && buf_append(&text, SLICE_LIT("\0")))
		session_say(s, (const char *)text.p);
	s->cold->told = (uint8_t)why->what;
	buf_fini(&text);
}

void place_on_failure(struct session *s, const struct candidate_failure *given)
{
	struct candidate_failure why = *given;
	struct end_detail d = {
		.reason = why.reason, .json = why.json, .backend = s->cold->at->set->name};
	char limit[24];
	struct text t = text_of(limit, sizeof(limit));

	if (why.what == CANDIDATE_TOO_BIG)
		text_put_size(&t, why.max_bytes);
	else
		text_put_duration(&t, session_settings(s)->timeouts.first_play_us);
	d.limit = limit;
	log_failure(s, why.what, why.reason);
	if (s->kept.phase == PHASE_HOLD)
		tell_waiting(s, &why, &d);
	else if (why.what != CANDIDATE_UNREACHABLE)
		session_end_with(s, end_of(why.what), &d);
	candidate_free(s->cold->candidate);
	s->cold->candidate = NULL;
	if (!session_is_over(s))
		try_next(s);
}

void place_on_deadline(struct session *s)
{
	if (s->cold->candidate != NULL && candidate_is_dialling(s->cold->candidate)) {
		candidate_free(s->cold->candidate);
		s->cold->candidate = NULL;
		nobody_is_free(s);
	}
}
