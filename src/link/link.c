/*
 * Input and the life of a link. Output is in link_out.c.
 *
 * Invariant: after link_retire or link_drop no op of the owner is called again; `ops` points at the
 * quiet table.
 */
#include "link/link.h"

#include <errno.h>
#include <stdlib.h>

#include "link/link_inner.h"

enum { RETIRE_US = 5 * US_PER_S };

static void quiet_bytes(struct link *l, struct slice in)
{
	(void)l;
	(void)in;
}

static void quiet_eof(struct link *l, int err)
{
	(void)err;
	l->flags |= LINK_PEER_DONE;
	link_close_if_over(l);
}

static void quiet_event(struct link *l)
{
	(void)l;
}

static void quiet_broken(struct link *l, int err)
{
	(void)err;
	link_close(l);
}

static const struct link_ops quiet_ops = {
	.on_bytes = quiet_bytes,
	.on_eof = quiet_eof,
	.on_broken = quiet_broken,
	.on_full = quiet_event,
	.on_drained = quiet_event,
	.on_stalled = link_close,
};

void links_init(struct links *ls, struct loop *loop, size_t pool_bytes)
{
	*ls = (struct links){.loop = loop,
			     .high_bytes = 256 * 1024,
			     .low_bytes = 64 * 1024,
			     .stall_us = 30ull * US_PER_S};
	pool_init(&ls->pool, pool_bytes);
	arena_init(&ls->turn, 64 * 1024);
	list_init(&ls->dirty);
	list_init(&ls->retiring);
}

void links_fini(struct links *ls)
{
	arena_fini(&ls->turn);
	pool_fini(&ls->pool);
}

void links_turn_end(struct links *ls)
{
	pool_turn_end(&ls->pool);
	arena_reset(&ls->turn);
}

void links_close_all(struct links *ls)
{
	LIST_EACH(n, &ls->retiring)
	link_close(LIST_ENTRY(n, struct link, retired));
}

/* One filter's worth: pulls pieces until the input is used up, or the link ends. */
static void feed(struct link *l, struct filter *f, struct slice in)
{
	const struct link_ops *ops = l->ops;

	if (f == NULL) {
		ops->on_bytes(l, in);
		return;
	}
	while (in.len > 0 && !(l->flags & LINK_DEAF)) {
		struct slice piece = {0};
		const char *why = NULL;
		enum progress got = f->ops->in(f, l, &in, &piece, &why);

		if (piece.len > 0)
			feed(l, f->up, piece);
		if (got == BAD) {
			link_complain(l, why);
			return;
		}
		if (f->spent) {
			filter_take_out(l, f, in);
			return;
		}
	}
}

void filter_take_out(struct link *l, struct filter *f, struct slice rest)
{
	struct filter **at = &l->filters;
	struct filter *up = f->up;

	while (*at != f)
		at = &(*at)->up;
	*at = up;
	f->ops->free(f);
	if (rest.len > 0 && !(l->flags & LINK_DEAF))
		feed(l, up, rest);
}

void filter_feed_up(struct link *l, struct filter *f, struct slice piece)
{
	feed(l, f->up, piece);
}

void link_complain(struct link *l, const char *why)
{
	l->complaint = why;
	l->flags |= LINK_DEAF;
	l->ops->on_eof(l, why == NULL ? 0 : -EPROTO);
}

static struct link *link_of(struct io *io)
{
	return CONTAINER_OF(io, struct link, io);
}

static void on_data(struct io *io, struct chunk in)
{
	struct link *l = link_of(io);

	l->links->bytes_in += in.len;
	l->heard_us = loop_now_us(l->links->loop);
	if (!(l->flags & LINK_DEAF))
		feed(l, l->filters, slice_of(in.p, in.len));
}

static void on_eof(struct io *io, int err)
{
	struct link *l = link_of(io);
	bool told = l->flags & LINK_DEAF && l->ops != &quiet_ops;

	l->flags |= LINK_DEAF | LINK_PEER_DONE;
	if (!told)
		l->ops->on_eof(l, err);
}

void link_free_filters(struct link *l)
{
	while (l->filters != NULL) {
		struct filter *f = l->filters;

		l->filters = f->up;
		f->ops->free(f);
	}
}

static void on_closed(struct io *io)
{
	struct link *l = link_of(io);

	link_free_filters(l);
	l->links->n--;
	free(l);
}

static void on_writable(struct io *io)
{
	struct link *l = link_of(io);

	l->flags &= (uint16_t)~LINK_BLOCKED;
	link_touch(l);
}

static const struct io_ops io_ops = {
	.on_data = on_data,
	.on_eof = on_eof,
	.on_writable = on_writable,
	.on_closed = on_closed,
};

static void on_timer(struct timer *t)
{
	struct link *l = CONTAINER_OF(t, struct link, timer);
	uint64_t now_us = loop_now_us(l->links->loop);
	uint64_t due_us = l->taken_us + l->links->stall_us;

	if (l->flags & LINK_RETIRING)
		link_close(l);
	else if (l->unsent_bytes == 0)
		return;
	else if (now_us < due_us)
		timer_arm(l->links->loop, t, due_us);
	else if (!link_flush_anyway(l))
		l->ops->on_stalled(l);
}

struct link *link_new(struct links *ls, int fd, const struct link_ops *ops, void *owner)
{
	struct sys *sys = loop_sys(ls->loop);
	struct link *l = calloc(1, sizeof(*l));

	if (l == NULL) {
		sys->ops->close(sys, fd);
		return NULL;
	}
	l->links = ls;
	l->ops = ops;
	l->owner = owner;
	l->heard_us = loop_now_us(ls->loop);
	list_init(&l->dirty);
	list_init(&l->retired);
	list_init(&l->backlog);
	timer_init(&l->timer, on_timer);
	if (io_open(ls->loop, &l->io, fd, &io_ops) < 0) {
		free(l);
		return NULL;
	}
	ls->n++;
	return l;
}

void link_enable(struct link *l, struct filter *f, struct slice rest)
{
	struct filter **at = &l->filters;

	if (!link_seal(l))
		link_fail(l);
	while (*at != NULL)
		at = &(*at)->up;
	f->up = NULL;
	*at = f;
	if (rest.len > 0)
		feed(l, f, rest);
}

void link_pause(struct link *l)
{
	io_pause(l->links->loop, &l->io);
}

void link_resume(struct link *l)
{
	io_resume(l->links->loop, &l->io);
}

void link_close(struct link *l)
{
	if (l->flags & LINK_CLOSED)
		return;
	l->flags |= LINK_CLOSED | LINK_DEAF;
	l->ops = &quiet_ops;
	timer_disarm(&l->timer);
	list_remove(&l->dirty);
	list_remove(&l->retired);
	link_drop_backlog(l);
	io_close(l->links->loop, &l->io);
}

void link_drop(struct link *l)
{
	if (l != NULL)
		link_close(l);
}

void link_close_if_over(struct link *l)
{
	unsigned over = LINK_SHUT | LINK_PEER_DONE;

	if ((l->flags & LINK_RETIRING) && ((l->flags & over) == over || (l->flags & LINK_BROKEN)))
		link_close(l);
}

void link_retire(struct link *l)
{
	if (l->flags & (LINK_CLOSED | LINK_RETIRING))
		return;
	l->ops = &quiet_ops;
	l->owner = NULL;
	l->flags |= LINK_RETIRING | LINK_DEAF;
	if (!link_say_goodbye(l))
		l->flags |= LINK_BROKEN;
	list_move(&l->retired, &l->links->retiring);
	timer_arm(l->links->loop, &l->timer, loop_now_us(l->links->loop) + RETIRE_US);
	link_resume(l);
	link_touch(l);
}
