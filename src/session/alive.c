#include "session/alive.h"

#include "base/clock.h"
#include "base/format.h"
#include "minecraft/play.h"
#include "session/session.h"
#include "session/transfer.h"
#include "session/worker.h"

/* Positive, and far from the small or random ids that servers use. */
enum { ALIVE_BASE = 0x4D420000, ALIVE_MASK = 0xFFFF, FIRST_AFTER_US = 1100 * US_PER_MS };

static bool we_keep_alive(const struct session *s)
{
	enum phase p = s->kept.phase;

	return p == PHASE_PLACE || p == PHASE_HOLD ||
	       (p == PHASE_MOVE && !transfer_has_joined(s->cold->transfer));
}

static void send_one(struct session *s)
{
	int32_t id = ALIVE_BASE | s->kept.alive_sent++;
	uint8_t memory[16];
	struct writer w = writer_of(memory, sizeof(memory));

	keep_alive_write(&w, id);
	link_push_copy(s->player, writer_slice(&w));
}

/* 0: not watched. Silence that we made ourselves (the player is paused) does not count. */
static uint64_t idle_due_us(const struct session *s)
{
	uint64_t limit_us = session_settings(s)->timeouts.idle_us;
	uint64_t since_us = s->player->heard_us;

	if (limit_us == 0 || (s->kept.phase != PHASE_PLAY && s->kept.phase != PHASE_HOLD))
		return 0;
	if (link_unsent(s->player) > 0 && s->player->taken_us > since_us)
		since_us = s->player->taken_us;
	if (s->player_paused != 0)
		since_us = session_now_us(s);
	return since_us + limit_us;
}

static void end_idle(struct session *s)
{
	char limit[24];
	struct text t = text_of(limit, sizeof(limit));

	text_put_duration(&t, session_settings(s)->timeouts.idle_us);
	session_end_with(s, END_PLAYER_IDLE, &(struct end_detail){.limit = limit});
}

static void arm(struct session *s)
{
	uint64_t idle_us = idle_due_us(s);
	uint64_t due_us = we_keep_alive(s) ? s->cold->alive_due_us : idle_us;

	if (idle_us > 0 && idle_us < due_us)
		due_us = idle_us;
	if (due_us > 0)
		timer_arm(s->worker->loop, &s->cold->beat, due_us);
	else
		timer_disarm(&s->cold->beat);
}

void alive_start(struct session *s)
{
	s->cold->alive_due_us = s->kept.success_us + FIRST_AFTER_US;
	arm(s);
}

void alive_wake(struct session *s)
{
	arm(s);
}

void alive_on_beat(struct timer *t)
{
	struct cold *c = CONTAINER_OF(t, struct cold, beat);
	struct session *s = c->session;
	uint64_t now_us = session_now_us(s);
	uint64_t idle_us = idle_due_us(s);

	if (idle_us > 0 && now_us >= idle_us) {
		end_idle(s);
		return;
	}
	if (we_keep_alive(s) && now_us >= c->alive_due_us) {
		send_one(s);
		c->alive_due_us = now_us + session_settings(s)->timeouts.keep_alive_us;
	}
	arm(s);
}

/* One of those that are still out; the ones before it will not be answered any more. */
static bool is_answer(struct kept *k, int32_t id)
{
	uint16_t ahead = (uint16_t)((uint16_t)(id & ALIVE_MASK) - k->alive_answered);
	uint16_t out = (uint16_t)(k->alive_sent - k->alive_answered);

	if ((id & ~ALIVE_MASK) != ALIVE_BASE || ahead >= out)
		return false;
	k->alive_answered = (uint16_t)(k->alive_answered + ahead + 1);
	return true;
}

static void measure(struct session *s, int32_t id)
{
	struct cold *c = s->cold;
	uint64_t ms;

	if (c->server_alive_us == 0 || id != c->server_alive_id)
		return;
	ms = (session_now_us(s) - c->server_alive_us) / US_PER_MS;
	s->kept.rtt_ms = (uint16_t)(ms > UINT16_MAX ? UINT16_MAX : ms);
	c->server_alive_us = 0;
}

bool alive_swallows(struct session *s, const struct frame *f)
{
	int32_t id;

	if (!keep_alive_parse(&id, f->body))
		return false;
	if (is_answer(&s->kept, id))
		return true;
	measure(s, id);
	return false;
}

void alive_note_server(struct session *s, const struct frame *f)
{
	if (keep_alive_parse(&s->cold->server_alive_id, f->body))
		s->cold->server_alive_us = session_now_us(s);
}
