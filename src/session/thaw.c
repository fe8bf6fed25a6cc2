/*
 * The way back from bytes to a session: session/freeze.h.
 *
 * Everything is read and checked, and all memory but the links' is taken, before anything is
 * touched; from then on it is a session like any other, and ends like one.
 */
#include <errno.h>
#include <stdlib.h>

#include "minecraft/forge/fml.h"
#include "minecraft/profile.h"
#include "minecraft/reader.h"
#include "session/alive.h"
#include "session/channels.h"
#include "session/freeze.h"
#include "session/player.h"
#include "session/server.h"
#include "session/worker.h"

struct text_of_frozen {
	struct frozen_fixed x;
	struct slice parts[FROZEN_PARTS];
};

static bool read_all(struct text_of_frozen *ret, struct slice bytes)
{
	struct reader r = reader_of(bytes);
	int32_t magic = read_i32(&r);
	int32_t kept_bytes = read_i32(&r);
	int32_t fixed_bytes = read_i32(&r);
	struct slice fixed;

	if (magic != FROZEN_MAGIC || kept_bytes != (int32_t)sizeof(struct kept) ||
	    fixed_bytes != (int32_t)sizeof(ret->x))
		return false;
	fixed = read_bytes(&r, sizeof(ret->x));
	for (unsigned i = 0; i < FROZEN_PARTS; i++) {
		int32_t n = read_i32(&r);

		ret->parts[i] = read_bytes(&r, n < 0 ? SIZE_MAX : (size_t)n);
	}
	if (!reader_done(&r))
		return false;
	memcpy(&ret->x, fixed.p, sizeof(ret->x));
	return true;
}

static bool kept_is_valid(const struct kept *k)
{
	size_t name = strnlen(k->name, sizeof(k->name));

	return k->format == KEPT_FORMAT && (k->phase == PHASE_PLAY || k->phase == PHASE_HOLD) &&
	       k->version < VERSION_COUNT && k->fml <= FML_CLIENT_WAITING_HELLO &&
	       name < sizeof(k->name) && player_name_is_valid(slice_of(k->name, name)) &&
	       k->conn != 0 && k->addr.kind <= ADDR_UNIX;
}

static bool is_valid(const struct text_of_frozen *t, const struct frozen *f)
{
	const struct frozen_fixed *x = &t->x;
	const struct slice *part = t->parts;
	bool plays = x->kept.phase == PHASE_PLAY;

	if (!kept_is_valid(&x->kept) || x->has_server != plays || plays != (f->server_fd >= 0) ||
	    f->player_fd < 0 || x->swallows > 1 || x->has_websocket > 1)
		return false;
	if (!plays && (part[FROZEN_TO_SERVER].len > 0 || part[FROZEN_FROM_SERVER].len > 0))
		return false;
	return part[FROZEN_HOST].len < sizeof(((struct cold *)NULL)->host) &&
	       slice_find(part[FROZEN_HOST], 0) == part[FROZEN_HOST].len &&
	       part[FROZEN_CHANNELS].len <= CHANNELS_MAX_BYTES;
}

static void on_deadline(struct timer *t)
{
	player_on_deadline(CONTAINER_OF(t, struct session, deadline));
}

static struct order *new_claim(const struct session *s)
{
	struct order *o = order_new(ORDER_CLAIM, s->kept.conn);

	if (o == NULL)
		return NULL;
	o->worker = s->worker->index;
	o->granted = true;
	o->addr = s->kept.addr;
	memcpy(o->uuid, s->kept.uuid, sizeof(o->uuid));
	memcpy(o->name, s->kept.name, sizeof(o->name));
	return o;
}

static bool fill_cold(struct cold *c, const struct text_of_frozen *t)
{
	const struct frozen_fixed *x = &t->x;
	struct slice host = t->parts[FROZEN_HOST];

	c->retry_n = x->retry_n;
	c->told = x->told;
	c->server_alive_id = x->server_alive_id;
	c->server_alive_us = x->server_alive_us;
	c->alive_due_us = x->alive_due_us;
	c->port = x->port;
	if (host.len > 0)
		memcpy(c->host, host.p, host.len);
	return split_restore(&c->from_server, t->parts[FROZEN_FROM_SERVER], x->from_server_torn) &&
	       buf_append(&c->channels, t->parts[FROZEN_CHANNELS]);
}

/* The server's name may be one that the config has no longer: then it is only not named. */
static void find_server(struct session *s, struct slice name)
{
	const struct catalog *all = s->worker->catalog;

	for (size_t i = 0; all != NULL && i < all->n; i++) {
		if (slice_eq(slice_str(all->backends[i]->set->name), name))
			s->cold->at = backend_ref(all->backends[i]);
	}
}

static bool fill(struct session *s, const struct text_of_frozen *t)
{
	s->kept = t->x.kept;
	s->swallows = t->x.swallows;
	timer_init(&s->deadline, on_deadline);
	list_init(&s->node);
	split_init(&s->from_player, &s->worker->links.pool, FRAME_MAX_BYTES, false);
	s->cold = calloc(1, sizeof(*s->cold));
	if (s->cold == NULL)
		return false;
	s->cold->session = s;
	timer_init(&s->cold->beat, alive_on_beat);
	split_init(&s->cold->from_server, &s->worker->links.pool, FRAME_MAX_BYTES, true);
	return fill_cold(s->cold, t) &&
	       split_restore(&s->from_player, t->parts[FROZEN_FROM_PLAYER], t->x.from_player_torn);
}

static bool open_player(struct session *s, const struct text_of_frozen *t, int fd)
{
	const struct frozen_fixed *x = &t->x;
	struct filter *f;

	s->player = link_new(&s->worker->links, fd, &player_ops, s);
	if (s->player == NULL)
		return false;
	s->player->heard_us = x->player_heard_us;
	if (x->has_websocket) {
		f = websocket_filter_restore(s->player, &x->websocket,
					     session_settings(s)->timeouts.ws_ping_us);
		if (f == NULL)
			return false;
		link_enable(s->player, f, (struct slice){0});
	}
	return link_restore_unsent(s->player, t->parts[FROZEN_TO_PLAYER], x->player_taken_us);
}

static bool open_server(struct session *s, const struct text_of_frozen *t, int fd)
{
	struct link *l = link_new(&s->worker->links, fd, &server_ops, s);

	if (l == NULL)
		return false;
	l->heard_us = t->x.server_heard_us;
	session_attach_server(s, l);
	return link_restore_unsent(l, t->parts[FROZEN_TO_SERVER], t->x.server_taken_us);
}

static void go_on(struct session *s, const struct text_of_frozen *t, struct frozen *f)
{
	bool ok = open_player(s, t, f->player_fd);

	/* Whatever became of the one, the other's descriptor must find its owner. */
	if (f->server_fd >= 0)
		ok = open_server(s, t, f->server_fd) && ok;
	buf_fini(&f->bytes);
	*f = (struct frozen){.player_fd = -1, .server_fd = -1};
	if (!ok) {
		session_end(s, END_OUT_OF_MEMORY);
		return;
	}
	if (t->x.deadline_us > 0)
		timer_arm(s->worker->loop, &s->deadline, t->x.deadline_us);
	alive_wake(s);
}

static bool websocket_is_valid(const struct frozen_fixed *x)
{
	return !x->has_websocket || websocket_kept_is_valid(&x->websocket);
}

static struct session *build(struct worker *w, const struct text_of_frozen *t)
{
	struct session *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->worker = w;
	if (!fill(s, t) || (s->cold->claim = new_claim(s)) == NULL ||
	    !idmap_put(&w->by_conn, s->kept.conn, s)) {
		if (s->cold != NULL)
			order_free(s->cold->claim);
		session_free(s);
		return NULL;
	}
	list_append(&w->by_phase[s->kept.phase], &s->node);
	find_server(s, t->parts[FROZEN_BACKEND]);
	return s;
}

int session_thaw(struct worker *w, struct frozen *f, struct session **ret)
{
	struct text_of_frozen t;
	struct order *here;
	struct session *s;

	if (!read_all(&t, buf_slice(&f->bytes)) || !is_valid(&t, f) || !websocket_is_valid(&t.x) ||
	    idmap_get(&w->by_conn, t.x.kept.conn) != NULL)
		return -EBADMSG;
	if (w->draining)
		return -ESHUTDOWN;
	here = order_new(ORDER_HERE, t.x.kept.conn);
	s = here == NULL ? NULL : build(w, &t);
	if (s == NULL) {
		order_free(here);
		return -ENOMEM;
	}
	here->worker = w->index;
	memcpy(here->name, s->kept.name, sizeof(here->name));
	worker_tell_hub(w, here);
	go_on(s, &t, f);
	*ret = s;
	return 0;
}
