#include "session/hold.h"

#include "base/clock.h"
#include "minecraft/forge/fml.h"
#include "minecraft/limbo.h"
#include "session/alive.h"
#include "session/client_info.h"
#include "session/session.h"
#include "session/worker.h"

enum { ANSWER_EVERY_US = US_PER_S };

static void push_world(struct session *s)
{
	struct join_game join = limbo_join_game();
	struct slice world = s->worker->limbo[s->kept.version];
	uint8_t memory[64];
	struct writer w = writer_of(memory, sizeof(memory));

	join_game_write(&w, &join);
	link_push_copy(s->player, writer_slice(&w));
	link_push(s->player, (struct out){.p = (uint8_t *)(uintptr_t)world.p,
					  .len = (uint32_t)world.len,
					  .kind = OUT_SHARED});
	s->kept.dimension = LIMBO_DIMENSION;
	s->kept.flags |= KEPT_JOINED | KEPT_POSITIONED;
	s->kept.fml = FML_CLIENT_DONE;
}

void hold_enter(struct session *s, bool lobby)
{
	session_enter(s, PHASE_HOLD);
	push_world(s);
	if (lobby) {
		s->kept.flags |= KEPT_LOBBY;
		backend_unref(s->cold->at);
		s->cold->at = NULL;
		session_say(s,
			    "\u00a7aWelcome to MoonBridge.\u00a7r You are in the built-in lobby.");
	} else {
		session_say(
			s,
			"\u00a7eNo server is free right now.\u00a7r You wait here and join as soon as one answers.");
	}
	session_log(s, LOG_INFO, 0, lobby ? "player joined the lobby" : "player waits for a server",
		    "retries=%u", s->cold->retry_n);
	alive_wake(s);
}

/* Once a second, and only to who has read the last one: nobody is the source of these words that
 * could be paused, so whoever chats and does not read would fill our memory. */
static void answer_chat(struct session *s)
{
	uint64_t now_us = session_now_us(s);

	if (s->kept.phase != PHASE_HOLD || link_unsent(s->player) > 0 ||
	    now_us < s->cold->chat_answered_us + ANSWER_EVERY_US)
		return;
	s->cold->chat_answered_us = now_us;
	session_say(s, "\u00a77Nobody can hear you here.");
}

enum verdict hold_on_player_frame(struct session *s, const struct frame *f)
{
	struct plugin_message m;

	switch (f->id) {
	case PLAY_C_KEEP_ALIVE:
		(void)alive_swallows(s, f);
		break;
	case PLAY_C_CHAT:
		answer_chat(s);
		break;
	default:
		(void)client_info_note(s, f, &m);
		break;
	}
	return VERDICT_DROP;
}
