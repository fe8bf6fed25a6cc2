#include "session/freeze.h"

#include <errno.h>
#include <stdlib.h>

#include "minecraft/writer.h"
#include "session/worker.h"

bool session_may_freeze(const struct session *s)
{
	const struct cold *c = s->cold;

	if (c == NULL || c->claim == NULL || c->candidate != NULL || c->transfer != NULL ||
	    s->player == NULL)
		return false;
	if (s->kept.phase == PHASE_HOLD)
		return s->server == NULL;
	return s->kept.phase == PHASE_PLAY && s->server != NULL;
}

/* What is to be written, until both links are known to come out. */
struct wires {
	struct buf player, server;
};

static void wires_fini(struct wires *w)
{
	buf_fini(&w->player);
	buf_fini(&w->server);
}

static bool save_filters(const struct session *s, struct frozen_fixed *x)
{
	const struct filter *f = s->player->filters;

	x->has_websocket = f != NULL;
	if (s->server != NULL && s->server->filters != NULL)
		return false;
	return f == NULL || (f->up == NULL && websocket_filter_save(f, &x->websocket));
}

static void fill(const struct session *s, struct frozen_fixed *x)
{
	const struct cold *c = s->cold;

	memcpy(&x->kept, &s->kept, sizeof(x->kept));
	x->deadline_us = timer_is_armed(&s->deadline) ? s->deadline.due_us : 0;
	x->alive_due_us = c->alive_due_us;
	x->server_alive_us = c->server_alive_us;
	x->server_alive_id = c->server_alive_id;
	x->player_heard_us = s->player->heard_us;
	x->player_taken_us = s->player->taken_us;
	x->from_player_torn = s->from_player.torn_left;
	x->retry_n = c->retry_n;
	x->port = c->port;
	x->told = c->told;
	x->swallows = s->swallows;
	x->has_server = s->server != NULL;
	if (s->server == NULL)
		return;
	x->server_heard_us = s->server->heard_us;
	x->server_taken_us = s->server->taken_us;
	x->from_server_torn = c->from_server.torn_left;
}

static bool put_u32(struct buf *b, size_t v)
{
	uint8_t memory[4];
	struct writer w = writer_of(memory, sizeof(memory));

	write_i32(&w, (int32_t)v);
	return v <= INT32_MAX && buf_append(b, writer_slice(&w));
}

static bool put_part(struct buf *b, struct slice s)
{
	return put_u32(b, s.len) && buf_append(b, s);
}

static bool put_all(struct buf *b, const struct session *s, const struct frozen_fixed *x,
		    const struct wires *wires)
{
	const struct cold *c = s->cold;
	const struct slice parts[FROZEN_PARTS] = {
		[FROZEN_HOST] = slice_str(c->host),
		[FROZEN_BACKEND] = slice_str(c->at == NULL ? "" : c->at->set->name),
		[FROZEN_CHANNELS] = buf_slice(&c->channels),
		[FROZEN_TO_PLAYER] = buf_slice(&wires->player),
		[FROZEN_FROM_PLAYER] = split_peek_part(&s->from_player),
		[FROZEN_TO_SERVER] = buf_slice(&wires->server),
		[FROZEN_FROM_SERVER] = split_peek_part(&c->from_server),
	};
	bool ok = put_u32(b, FROZEN_MAGIC) && put_u32(b, sizeof(struct kept)) &&
		  put_u32(b, sizeof(*x)) && buf_append(b, slice_of(x, sizeof(*x)));

	for (unsigned i = 0; i < FROZEN_PARTS; i++)
		ok = ok && put_part(b, parts[i]);
	return ok;
}

static int write_down(struct session *s, struct buf *ret)
{
	struct frozen_fixed x;
	struct wires wires = {0};
	int err;

	memset(&x, 0, sizeof(x));
	err = link_save_unsent(s->player, &wires.player);
	if (err == 0 && s->server != NULL)
		err = link_save_unsent(s->server, &wires.server);
	if (err == 0 && !save_filters(s, &x))
		err = -EPIPE;
	if (err == 0) {
		fill(s, &x);
		err = put_all(ret, s, &x, &wires) ? 0 : -ENOMEM;
	}
	wires_fini(&wires);
	return err;
}

/* Without the player the session cannot go on: a bug's path, as the loop knows its descriptors. */
static int lose(struct session *s, int fd, int err)
{
	struct sys *sys = loop_sys(s->worker->loop);

	sys->ops->close(sys, fd);
	session_end(s, END_PLAYER_LOST);
	return err;
}

static int take_out(struct session *s, struct frozen *f)
{
	f->server_fd = -1;
	f->player_fd = link_detach(s->player);
	if (f->player_fd < 0)
		return f->player_fd;
	s->player = NULL;
	if (s->server == NULL)
		return 0;
	f->server_fd = link_detach(s->server);
	if (f->server_fd < 0)
		return lose(s, f->player_fd, f->server_fd);
	s->server = NULL;
	return 0;
}

int session_freeze(struct session *s, struct frozen *ret)
{
	struct worker *w = s->worker;
	struct frozen f = {0};
	int err;

	if (!session_may_freeze(s))
		return -EBUSY;
	err = write_down(s, &f.bytes);
	if (err == 0)
		err = take_out(s, &f);
	if (err < 0) {
		buf_fini(&f.bytes);
		return err;
	}
	order_free(s->cold->claim);
	s->cold->claim = NULL;
	idmap_remove(&w->by_conn, s->kept.conn);
	session_free(s);
	*ret = f;
	return 0;
}
