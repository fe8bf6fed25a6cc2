#include "session/server.h"

#include <errno.h>
#include <string.h>

#include "base/format.h"
#include "session/relay.h"
#include "session/session.h"
#include "session/tunnel.h"

static void on_bytes(struct link *l, struct slice in)
{
	struct session *s = l->owner;

	if (s->kept.phase == PHASE_PASS)
		tunnel_from_server(s, in);
	else
		relay_from_server(s, in);
}

static enum end why_gone(const struct session *s, int err)
{
	if (s->kept.flags & KEPT_KICKED)
		return END_BACKEND_KICKED;
	if (s->cold != NULL && s->cold->from_server.torn_left > 0)
		return END_TORN_FRAME;
	return err == 0 ? END_BACKEND_GONE : END_BACKEND_LOST;
}

static void on_stalled(struct link *l)
{
	struct session *s = l->owner;
	char limit[24];
	struct text t = text_of(limit, sizeof(limit));

	text_put_duration(&t, session_settings(s)->timeouts.stall_us);
	session_end_with(s, END_BACKEND_STALLED, &(struct end_detail){.limit = limit});
}

/* ETIMEDOUT: the kernel's own stall limit, TCP_USER_TIMEOUT, was quicker than ours. */
static void on_eof(struct link *l, int err)
{
	struct session *s = l->owner;
	const char *reason = err == 0 ? NULL : strerrordesc_np(-err);

	if (err == -ETIMEDOUT)
		on_stalled(l);
	else
		session_end_with(s, why_gone(s, err), &(struct end_detail){.reason = reason});
}

/* A server that takes nothing more may still have something to say, often a kick: it is read to its
 * end. */
static void on_broken(struct link *l, int err)
{
	struct session *s = l->owner;

	if (err == -ENOMEM)
		session_end(s, END_OUT_OF_MEMORY);
}

static void on_full(struct link *l)
{
	session_pause_player(l->owner, PAUSE_PEER);
}

static void on_drained(struct link *l)
{
	session_resume_player(l->owner, PAUSE_PEER);
}

const struct link_ops server_ops = {
	.on_bytes = on_bytes,
	.on_eof = on_eof,
	.on_broken = on_broken,
	.on_full = on_full,
	.on_drained = on_drained,
	.on_stalled = on_stalled,
};
