#include "session/player.h"

#include <errno.h>

#include "base/format.h"
#include "session/greet.h"
#include "session/place.h"
#include "session/relay.h"
#include "session/session.h"
#include "session/transfer.h"
#include "session/tunnel.h"
#include "session/worker.h"

static void on_bytes(struct link *l, struct slice in)
{
	struct session *s = l->owner;

	if (s->kept.phase == PHASE_PASS)
		tunnel_from_player(s, in);
	else if (s->kept.phase == PHASE_GREET)
		greet_on_bytes(s, in);
	else
		relay_from_player(s, in);
}

/* Before it has spoken Minecraft a peer is a scanner; behind a WebSocket it broke its own protocol.
 * ETIMEDOUT: the kernel's own stall limit, TCP_USER_TIMEOUT, was quicker than ours.
 */
static enum end why_gone(const struct session *s, int err)
{
	if (err == -EPROTO)
		return s->kept.flags & KEPT_WEBSOCKET ? END_WEBSOCKET_BAD : END_HTTP_REFUSED;
	if (s->kept.phase == PHASE_GREET)
		return END_SCANNER;
	if (s->kept.phase == PHASE_STATUS)
		return END_STATUS_DONE;
	if (err == -ETIMEDOUT)
		return END_PLAYER_STALLED;
	return err == 0 ? END_PLAYER_LEFT : END_PLAYER_LOST;
}

static void player_is_gone(struct session *s, int err)
{
	enum end why = why_gone(s, err);

	if (s->kept.phase == PHASE_DRAIN) {
		session_say_last_words(s);
		return;
	}
	session_end_with(s, why, &(struct end_detail){.reason = link_complaint(s->player)});
}

static void on_eof(struct link *l, int err)
{
	player_is_gone(l->owner, err);
}

static void on_broken(struct link *l, int err)
{
	struct session *s = l->owner;

	if (err == -ENOMEM && !session_is_over(s))
		session_end(s, END_OUT_OF_MEMORY);
	else
		player_is_gone(s, err);
}

static void on_full(struct link *l)
{
	session_pause_server(l->owner, PAUSE_PEER);
}

static void on_drained(struct link *l)
{
	session_resume_server(l->owner, PAUSE_PEER);
}

static void on_stalled(struct link *l)
{
	struct session *s = l->owner;
	char limit[24];
	struct text t = text_of(limit, sizeof(limit));

	text_put_duration(&t, session_settings(s)->timeouts.stall_us);
	session_end_with(s, END_PLAYER_STALLED, &(struct end_detail){.limit = limit});
}

const struct link_ops player_ops = {
	.on_bytes = on_bytes,
	.on_eof = on_eof,
	.on_broken = on_broken,
	.on_full = on_full,
	.on_drained = on_drained,
	.on_stalled = on_stalled,
};

void player_on_deadline(struct session *s)
{
	switch ((enum phase)s->kept.phase) {
	case PHASE_GREET:
		greet_on_silence(s);
		break;
	case PHASE_STATUS:
		session_end(s, END_STATUS_DONE);
		break;
	case PHASE_LOGIN:
		session_end(s, END_LOGIN_TIMEOUT);
		break;
	case PHASE_PASS:
		tunnel_on_deadline(s);
		break;
	case PHASE_PLACE:
		place_on_deadline(s);
		break;
	case PHASE_HOLD:
		place_again(s);
		break;
	case PHASE_MOVE:
		transfer_on_deadline(s);
		break;
	case PHASE_DRAIN:
		session_say_last_words(s);
		break;
	case PHASE_PLAY:
	case PHASE_GONE:
	case PHASE_COUNT:
		break;
	}
}
