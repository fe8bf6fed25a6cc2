/*
 * How a session ends. Once `end` is set nothing but the last words is sent; the links are retired,
 * so that queued output still arrives, and the memory goes at the end of the turn.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/format.h"
#include "minecraft/chat.h"
#include "minecraft/login.h"
#include "minecraft/play.h"
#include "session/candidate.h"
#include "session/session.h"
#include "session/transfer.h"
#include "session/tunnel.h"
#include "session/worker.h"

/* For so long after Login Success a kick meets the client's login handler. */
enum { FIRST_SECOND_US = 1100 * US_PER_MS };

static void give_name_back(struct session *s)
{
	struct order *o = s->cold == NULL ? NULL : s->cold->claim;

	if (o == NULL)
		return;
	s->cold->claim = NULL;
	o->mail.kind = ORDER_LEAVE;
	worker_tell_hub(s->worker, o);
}

static void let_go_of_backends(struct session *s)
{
	tunnel_free(s->tunnel);
	s->tunnel = NULL;
	if (s->cold != NULL) {
		candidate_free(s->cold->candidate);
		s->cold->candidate = NULL;
		transfer_free(s->cold->transfer);
		s->cold->transfer = NULL;
		timer_disarm(&s->cold->beat);
	}
	if (s->server != NULL)
		link_retire(s->server);
	s->server = NULL;
}

static void release_limits(struct session *s)
{
	if (s->kept.flags & KEPT_COUNTED)
		limits_release(s->worker->common->limits, &s->kept.addr);
	s->kept.flags &= (uint16_t)~KEPT_COUNTED;
	limits_leave(s->worker->common->limits);
}

static void be_gone(struct session *s)
{
	if (s->player != NULL)
		link_retire(s->player);
	s->player = NULL;
	session_enter(s, PHASE_GONE);
}

static bool json_of(struct buf *ret, enum end why, const struct end_detail *d)
{
	struct buf text = {0};
	bool ok;

	if (d->json.len > 0)
		return buf_append(ret, d->json);
	ok = end_text(&text, why, d) && text.len > 0 && chat_json(ret, buf_slice(&text));
	buf_fini(&text);
	return ok;
}

static bool frame_of(struct buf *ret, enum phase at, const struct buf *json)
{
	struct writer w;

	if (!buf_reserve(ret, json->len + 16))
		return false;
	w = writer_of(ret->p, ret->cap);
	if (phase_is_in_game(at))
		kick_write(&w, buf_slice(json));
	else
		login_disconnect_write(&w, buf_slice(json));
	ret->len = w.len;
	return !w.full;
}

/* True: they wait for the client's first second to pass. */
static bool must_wait(const struct session *s, enum phase at)
{
	return phase_is_in_game(at) && session_now_us(s) < s->kept.success_us + FIRST_SECOND_US;
}

static void keep_for_later(struct session *s, struct buf *frame)
{
	s->cold->last_words = *frame;
	*frame = (struct buf){0};
	timer_arm(s->worker->loop, &s->deadline, s->kept.success_us + FIRST_SECOND_US);
}

static bool has_last_words(const struct session *s)
{
	return s->cold != NULL && s->cold->last_words.len > 0;
}

static void say_last_words(struct session *s, enum phase at, enum end why,
			   const struct end_detail *d)
{
	struct buf json = {0}, frame = {0};

	if (json_of(&json, why, d) && frame_of(&frame, at, &json)) {
		if (must_wait(s, at))
			keep_for_later(s, &frame);
		else
			link_push_copy(s->player, buf_slice(&frame));
	}
	buf_fini(&json);
	buf_fini(&frame);
}

/* In a tunnel that carries bytes already, and in a frame that was cut through, a word of ours would
 * land in the middle of theirs. */
static bool may_speak(const struct session *s)
{
	enum phase at = s->kept.phase;

	if (s->player == NULL || (s->cold != NULL && s->cold->from_server.torn_left > 0))
		return false;
	return at == PHASE_LOGIN || (at == PHASE_PASS && s->server == NULL) || phase_is_in_game(at);
}

static void log_end(struct session *s, enum end why, const struct end_detail *d)
{
	const struct end_row *row = end_row(why);
	char reason[256];
	struct text t = text_of(reason, sizeof(reason));

	text_put_value(&t, slice_str(d->reason == NULL ? "" : d->reason));
	if (d->reason != NULL)
		session_log(s, row->level, why, "session ended", "why=%s reason=%s", row->label,
			    reason);
	else
		session_log(s, row->level, why, "session ended", "why=%s", row->label);
}

static void count_end(struct session *s, enum end why)
{
	struct counters *c = &s->worker->desk->counters;

	counter_add(&c->ends, 1);
	if (why == END_SCANNER)
		counter_add(&c->scanners, 1);
	if (why == END_HTTP_REFUSED)
		counter_add(&c->http_refused, 1);
}

void session_end_with(struct session *s, enum end why, const struct end_detail *given)
{
	enum phase at = s->kept.phase;
	struct end_detail d = *given;
	bool speak = may_speak(s);

	if (session_is_over(s))
		return;
	if (d.backend == NULL && s->cold != NULL && s->cold->at != NULL)
		d.backend = s->cold->at->set->name;
	if (d.name == NULL)
		d.name = s->kept.name;
	log_end(s, why, &d);
	count_end(s, why);
	s->end = (uint8_t)why;
	let_go_of_backends(s);
	session_enter(s, PHASE_DRAIN);
	if (speak)
		say_last_words(s, at, why, &d);
	give_name_back(s);
	release_limits(s);
	if (!has_last_words(s))
		be_gone(s);
}

void session_end(struct session *s, enum end why)
{
	session_end_with(s, why, &(struct end_detail){0});
}

void session_say_last_words(struct session *s)
{
	if (has_last_words(s) && s->player != NULL)
		link_push_copy(s->player, buf_slice(&s->cold->last_words));
	be_gone(s);
}
