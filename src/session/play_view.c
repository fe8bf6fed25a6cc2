#include "session/play_view.h"

#include "base/format.h"
#include "minecraft/chat.h"
#include "minecraft/play.h"
#include "session/alive.h"
#include "session/client_info.h"
#include "session/session.h"

enum verdict play_on_player_frame(struct session *s, const struct frame *f)
{
	struct plugin_message m;

	if (f->id == PLAY_C_KEEP_ALIVE)
		return alive_swallows(s, f) ? VERDICT_DROP : VERDICT_PASS;
	(void)client_info_note(s, f, &m);
	return VERDICT_PASS;
}

static void note_kick(struct session *s, const struct frame *f)
{
	char quoted[320];
	struct text t = text_of(quoted, sizeof(quoted));
	struct slice json = {0};
	struct buf plain = {0};

	s->kept.flags |= KEPT_KICKED;
	if (kick_parse(&json, f->body) && chat_plain(&plain, json))
		text_put_value(&t, buf_slice(&plain));
	session_log(s, LOG_INFO, 0, "server kicks the player", "reason=%s", quoted);
	buf_fini(&plain);
}

static void note_world(struct session *s, int32_t dimension)
{
	s->kept.dimension = dimension;
	s->kept.flags &= (uint16_t)~KEPT_POSITIONED;
}

enum verdict play_on_server_frame(struct session *s, const struct frame *f)
{
	struct join_game j;
	struct respawn r;

	switch (f->id) {
	case PLAY_S_KEEP_ALIVE:
		alive_note_server(s, f);
		break;
	case PLAY_S_JOIN_GAME:
		if (join_game_parse(&j, f->body))
			note_world(s, j.dimension);
		break;
	case PLAY_S_RESPAWN:
		if (respawn_parse(&r, f->body))
			note_world(s, r.dimension);
		break;
	case PLAY_S_POSITION:
		s->kept.flags |= KEPT_POSITIONED;
		break;
	case PLAY_S_KICK:
		note_kick(s, f);
		break;
	default:
		break;
	}
	return VERDICT_PASS;
}
