#include "session/candidate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "minecraft/chat.h"
#include "minecraft/forge/fml.h"
#include "minecraft/handshake.h"
#include "minecraft/login.h"
#include "minecraft/play.h"
#include "minecraft/version.h"
#include "session/place.h"
#include "session/reach.h"
#include "session/session.h"
#include "session/transfer.h"
#include "session/worker.h"

/* Frames of a backend in login, which is trusted upstream; and what may come before it is ready. */
enum { LOGIN_FRAME_MAX = 131072, HELD_MAX = 4 * 1024 * 1024 };

enum stage { DIALLING, LOGIN, JOINING };

struct candidate {
	struct session *session;
	struct reach reach;
	struct link *link;
	struct split split;
	struct timer deadline;
	enum stage stage;
	struct buf held; /* frames before the ready one */
};

static const struct watch watch_all = {{~0ull, ~0ull, ~0ull, ~0ull}};

static void fail(struct candidate *c, enum candidate_failed what, const char *reason)
{
	place_on_failure(c->session, &(struct candidate_failure){.what = what, .reason = reason});
}

static void fail_with_json(struct candidate *c, struct slice json)
{
	struct candidate_failure why = {.what = CANDIDATE_REFUSED, .json = json};
	struct buf plain = {0};

	if (chat_plain(&plain, json) && buf_append(&plain, SLICE_LIT("\0")))
		why.reason = (const char *)plain.p;
	place_on_failure(c->session, &why);
	buf_fini(&plain);
}

static void on_deadline(struct timer *t)
{
	struct candidate *c = CONTAINER_OF(t, struct candidate, deadline);

	fail(c, c->stage == LOGIN ? CANDIDATE_LOGIN_TIMEOUT : CANDIDATE_JOIN_TIMEOUT, NULL);
}

static void enter_joining(struct candidate *c)
{
	uint64_t limit_us = session_settings(c->session)->timeouts.first_play_us;

	c->stage = JOINING;
	c->split.cap = FRAME_MAX_BYTES;
	timer_arm(c->session->worker->loop, &c->deadline, session_now_us(c->session) + limit_us);
}

/* The transfer takes link, splitter and what was read: this candidate has done its work. */
static void hand_over(struct candidate *c, struct slice rest)
{
	struct session *s = c->session;
	struct link *l = c->link;
	struct buf held = c->held;

	split_fini(&s->cold->from_server);
	s->cold->from_server = c->split;
	s->cold->from_server.cap = FRAME_MAX_BYTES;
	c->split = (struct split){0};
	c->link = NULL;
	c->held = (struct buf){0};
	candidate_free(c);
	s->cold->candidate = NULL;
	transfer_begin(s, l, &held, rest);
}

/* True: *io_rest has been used up or given away, the caller must stop. */
static bool on_login_frame(struct candidate *c, const struct frame *f, struct slice rest)
{
	struct slice json;

	switch (f->id) {
	case LOGIN_S_SUCCESS:
		enter_joining(c);
		if (c->session->kept.phase != PHASE_PLACE)
			return false;
		hand_over(c, rest);
		return true;
	case LOGIN_S_DISCONNECT:
		if (login_disconnect_parse(&json, f->body))
			fail_with_json(c, json);
		else
			fail(c, CANDIDATE_BAD, "a disconnect without a text");
		return true;
	case LOGIN_S_ENCRYPTION:
		fail(c, CANDIDATE_ONLINE_MODE, NULL);
		return true;
	default:
		fail(c, CANDIDATE_BAD, "an unknown packet in its login");
		return true;
	}
}

static void answer_keep_alive(struct candidate *c, const struct frame *f)
{
	uint8_t memory[16];
	struct writer w = writer_of(memory, sizeof(memory));
	int32_t id;

	/* Who asks and asks and reads no answer gets none: it would wait in our memory. */
	if (link_unsent(c->link) > 0 || !keep_alive_parse(&id, f->body))
		return;
	keep_alive_write(&w, id);
	link_push_copy(c->link, writer_slice(&w));
}

static bool is_fml(const struct frame *f)
{
	struct plugin_message m;

	return f->id == PLAY_S_PLUGIN && plugin_s_parse(&m, f->body) &&
	       (slice_eq(m.channel, SLICE_LIT(FML_CHANNEL)) ||
		(slice_eq(m.channel, SLICE_LIT("REGISTER")) &&
		 register_has(m.data, SLICE_LIT(FML_CHANNEL))));
}

/* A client that is done with FML must be reset first, and Forge for 1.7.2 knows no reset. */
static bool may_begin_fml(const struct session *s)
{
	return s->kept.fml != FML_CLIENT_DONE || s->kept.version != VERSION_1_7_2;
}

static bool hold_frame(struct candidate *c, const struct frame *f)
{
	if (c->held.len + f->wire.len <= HELD_MAX && buf_append(&c->held, f->wire))
		return true;
	fail(c, CANDIDATE_NO_MEMORY, NULL);
	return false;
}

static bool on_joining_frame(struct candidate *c, const struct frame *f, struct slice rest)
{
	bool fml = is_fml(f);
	struct slice json;

	if (f->id == PLAY_S_KEEP_ALIVE) {
		answer_keep_alive(c, f);
		return false;
	}
	if (f->id == PLAY_S_KICK && kick_parse(&json, f->body)) {
		fail_with_json(c, json);
		return true;
	}
	if (fml && !(c->session->kept.flags & KEPT_FORGE)) {
		fail(c, CANDIDATE_NEEDS_FORGE, NULL);
		return true;
	}
	if (fml && !may_begin_fml(c->session)) {
		fail(c, CANDIDATE_NEEDS_REJOIN, NULL);
		return true;
	}
	if (!hold_frame(c, f))
		return true;
	if (!fml && f->id != PLAY_S_JOIN_GAME)
		return false;
	hand_over(c, rest);
	return true;
}

static void on_bad_split(struct candidate *c)
{
	struct candidate_failure too_big = {.what = CANDIDATE_TOO_BIG, .max_bytes = c->split.cap};

	if (c->split.bad == SPLIT_NO_MEMORY)
		fail(c, CANDIDATE_NO_MEMORY, NULL);
	else if (c->split.bad == SPLIT_FRAME_TOO_BIG)
		place_on_failure(c->session, &too_big);
	else
		fail(c, CANDIDATE_BAD, NULL);
}

static void on_bytes(struct link *l, struct slice in)
{
	struct candidate *c = l->owner;
	struct slice run;
	struct frame f;
	bool stop = false;

	while (!stop) {
		switch (split_next(&c->split, &in, &watch_all, &run, &f)) {
		case SPLIT_RUN: /* ids that no table knows: they wait like the others */
			f = (struct frame){.wire = run, .id = -1};
			stop = c->stage == JOINING && !hold_frame(c, &f);
			break;
		case SPLIT_FRAME:
			stop = c->stage == LOGIN ? on_login_frame(c, &f, in)
						 : on_joining_frame(c, &f, in);
			break;
		case SPLIT_MORE:
			return;
		case SPLIT_BAD:
			on_bad_split(c);
			return;
		}
	}
}

static void on_eof(struct link *l, int err)
{
	struct candidate *c = l->owner;

	fail(c, CANDIDATE_GONE, err == 0 ? "closed the connection" : strerrordesc_np(-err));
}

/* What it has to say still comes: it is read to its end. */
static void on_broken(struct link *l, int err)
{
	struct candidate *c = l->owner;

	if (err == -ENOMEM)
		fail(c, CANDIDATE_NO_MEMORY, NULL);
}

static void on_mark(struct link *l)
{
	(void)l;
}

static void on_stalled(struct link *l)
{
	struct candidate *c = l->owner;

	fail(c, CANDIDATE_GONE, "took no data");
}

static const struct link_ops ops = {
	.on_bytes = on_bytes,
	.on_eof = on_eof,
	.on_broken = on_broken,
	.on_full = on_mark,
	.on_drained = on_mark,
	.on_stalled = on_stalled,
};

static void push_login(struct candidate *c)
{
	struct session *s = c->session;
	uint8_t memory[512];
	struct writer w = writer_of(memory, sizeof(memory));
	struct handshake h = {
		.protocol = version_protocol(s->kept.version),
		.host = slice_str(s->cold->host),
		.port = s->cold->port,
		.next = NEXT_LOGIN,
	};

	handshake_write(&w, &h);
	login_start_write(&w, slice_str(s->kept.name));
	link_push_copy(c->link, writer_slice(&w));
}

static void on_reached(struct reach *r, int fd)
{
	struct candidate *c = CONTAINER_OF(r, struct candidate, reach);
	struct session *s = c->session;

	if (fd < 0) {
		fail(c, CANDIDATE_UNREACHABLE, reach_error_text(r, fd));
		return;
	}
	c->link = link_new(&s->worker->links, fd, &ops, c);
	if (c->link == NULL) {
		fail(c, CANDIDATE_NO_MEMORY, NULL);
		return;
	}
	c->stage = LOGIN;
	timer_arm(s->worker->loop, &c->deadline,
		  session_now_us(s) + session_settings(s)->timeouts.backend_login_us);
	if (s->kept.phase == PHASE_PLACE)
		timer_disarm(&s->deadline);
	push_login(c);
}

struct candidate *candidate_new(struct session *s, struct backend *b)
{
	struct candidate *c = calloc(1, sizeof(*c));
	uint64_t due_us = session_now_us(s) + session_settings(s)->timeouts.route_us;

	if (c == NULL)
		return NULL;
	c->session = s;
	timer_init(&c->deadline, on_deadline);
	split_init(&c->split, &s->worker->links.pool, LOGIN_FRAME_MAX, true);
	reach_start(&c->reach, s->worker, b, due_us, on_reached);
	return c;
}

void candidate_free(struct candidate *c)
{
	if (c == NULL)
		return;
	reach_stop(&c->reach);
	timer_disarm(&c->deadline);
	if (c->link != NULL)
		link_retire(c->link);
	if (c->split.pool != NULL)
		split_fini(&c->split);
	buf_fini(&c->held);
	free(c);
}

bool candidate_is_dialling(const struct candidate *c)
{
	return c->stage == DIALLING;
}
