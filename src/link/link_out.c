/*
 * The way out of a link: gather, seal, write once, keep the rest.
 *
 * Invariant: the backlog holds wire form only, and while it holds anything nothing overtakes it.
 */
#include "link/link.h"

#include <assert.h>
#include <errno.h>

#include "link/link_inner.h"

enum { IOVS_MAX = 128, BACKLOG_BLOCK_MIN = 4096, BACKLOG_BLOCK_MAX = 65536 };

void link_touch(struct link *l)
{
	if (!(l->flags & LINK_CLOSED))
		list_move(&l->dirty, &l->links->dirty);
}

void link_break(struct link *l, int err)
{
	if (l->flags & (LINK_BROKEN | LINK_CLOSED))
		return;
	l->flags |= LINK_BROKEN;
	l->outs = (struct outs){0};
	link_drop_backlog(l);
	l->ops->on_broken(l, err);
}

void link_fail(struct link *l)
{
	l->flags |= LINK_FAILED;
	link_touch(l);
}

/* Everything queued and unsealed becomes one entry in the arena. */
static bool gather(struct link *l)
{
	struct outs *o = &l->outs;
	uint32_t total = 0;
	uint8_t *p;

	assert(o->v != NULL);
	for (unsigned i = o->sealed; i < o->n; i++)
		total += o->v[i].len;
	p = arena_alloc(&l->links->turn, total);
	if (p == NULL)
		return false;
	total = 0;
	for (unsigned i = o->sealed; i < o->n; i++) {
		memcpy(p + total, o->v[i].p, o->v[i].len);
		total += o->v[i].len;
	}
	o->v[o->sealed] = (struct out){.p = p, .len = total, .kind = OUT_TURN};
	o->n = (uint16_t)(o->sealed + 1);
	return true;
}

void link_push(struct link *l, struct out out)
{
	struct outs *o = &l->outs;
	struct out *last = o->n > o->sealed ? &o->v[o->n - 1] : NULL;
	bool ok = true;

	if (out.len == 0 || l->flags & (LINK_BROKEN | LINK_RETIRING | LINK_CLOSED | LINK_FAILED))
		return;
	link_touch(l);
	if (last != NULL && last->p + last->len == out.p && last->kind == out.kind) {
		last->len += out.len;
		return;
	}
	if (o->n - o->sealed >= OUTS_MAX)
		ok = gather(l);
	if (!ok || !outs_insert(o, o->n, out, &l->links->turn))
		link_fail(l);
}

void link_push_copy(struct link *l, struct slice s)
{
	uint8_t *p;

	if (s.len == 0)
		return;
	p = arena_alloc(&l->links->turn, s.len);
	if (p == NULL) {
		link_fail(l);
		return;
	}
	memcpy(p, s.p, s.len);
	link_push(l, (struct out){.p = p, .len = (uint32_t)s.len, .kind = OUT_TURN});
}

/* Top first: the filter nearest to the wire works last. */
static bool seal_through(struct link *l, struct filter *f)
{
	if (f == NULL)
		return true;
	if (!seal_through(l, f->up))
		return false;
	return f->ops->out == NULL || f->ops->out(f, &l->outs, l->outs.sealed, &l->links->turn);
}

bool link_seal(struct link *l)
{
	if (!seal_through(l, l->filters))
		return false;
	l->outs.sealed = l->outs.n;
	return true;
}

bool link_say_goodbye(struct link *l)
{
	if (l->flags & LINK_BROKEN || !link_seal(l))
		return false;
	for (struct filter *f = l->filters; f != NULL; f = f->up) {
		if (f->ops->goodbye != NULL && !f->ops->goodbye(f, &l->outs, &l->links->turn))
			return false;
	}
	l->outs.sealed = l->outs.n;
	return true;
}

void link_drop_backlog(struct link *l)
{
	struct list_node *n;

	while ((n = list_take_first(&l->backlog)) != NULL)
		pool_give(&l->links->pool, LIST_ENTRY(n, struct block, node));
	l->unsent_bytes = 0;
}

static struct block *backlog_tail(struct link *l, uint32_t want)
{
	struct block *b = NULL;

	if (!list_is_empty(&l->backlog)) {
		b = LIST_ENTRY(l->backlog.prev, struct block, node);
		if (b->start + b->len < b->cap)
			return b;
	}
	want = want > BACKLOG_BLOCK_MAX ? BACKLOG_BLOCK_MAX : want;
	want = want < BACKLOG_BLOCK_MIN ? BACKLOG_BLOCK_MIN : want;
	/* Its marks bound it; a full pool is no reason to lose a player who is only slow. */
	b = pool_take_beyond(&l->links->pool, want);
	if (b != NULL)
		list_append(&l->backlog, &b->node);
	return b;
}

static bool keep(struct link *l, const uint8_t *p, uint32_t len)
{
	if (l->unsent_bytes == 0) {
		l->taken_us = loop_now_us(l->links->loop);
		if (!(l->flags & LINK_RETIRING))
			timer_arm(l->links->loop, &l->timer, l->taken_us + l->links->stall_us);
	}
	while (len > 0) {
		struct block *b = backlog_tail(l, len);
		uint32_t room, n;

		if (b == NULL)
			return false;
		room = b->cap - b->start - b->len;
		n = len < room ? len : room;
		memcpy(b->p + b->start + b->len, p, n);
		b->len += n;
		l->unsent_bytes += n;
		p += n;
		len -= n;
	}
	return true;
}

bool link_keep(struct link *l, struct slice wire)
{
	return keep(l, wire.p, (uint32_t)wire.len);
}

/* What lies behind the first `taken` bytes of the outs goes into the backlog. */
static bool keep_outs(struct link *l, size_t taken)
{
	bool ok = true;

	for (unsigned i = 0; i < l->outs.n && ok; i++) {
		struct out *o = &l->outs.v[i];
		uint32_t skip = taken < o->len ? (uint32_t)taken : o->len;

		taken -= skip;
		if (skip < o->len)
			ok = keep(l, o->p + skip, o->len - skip);
	}
	l->outs = (struct outs){0};
	return ok;
}

/* Drops up to n taken bytes from the backlog; returns how many of n were not its. */
static size_t backlog_took(struct link *l, size_t n)
{
	while (n > 0 && !list_is_empty(&l->backlog)) {
		struct block *b = LIST_ENTRY(l->backlog.next, struct block, node);
		uint32_t got = n < b->len ? (uint32_t)n : b->len;

		b->start += got;
		b->len -= got;
		l->unsent_bytes -= got;
		n -= got;
		if (b->len == 0) {
			list_remove(&b->node);
			pool_give(&l->links->pool, b);
		}
	}
	return n;
}

/* Backlog first, then outs. */
static unsigned fill_iov(struct link *l, struct iovec *v)
{
	unsigned n = 0;

	LIST_EACH(node, &l->backlog)
	{
		struct block *b = LIST_ENTRY(node, struct block, node);

		if (n == IOVS_MAX)
			return n;
		v[n++] = (struct iovec){.iov_base = b->p + b->start, .iov_len = b->len};
	}
	for (unsigned i = 0; i < l->outs.n && n < IOVS_MAX; i++)
		v[n++] = (struct iovec){.iov_base = l->outs.v[i].p, .iov_len = l->outs.v[i].len};
	return n;
}

static void after_write(struct link *l)
{
	struct links *ls = l->links;

	if (l->unsent_bytes > ls->high_bytes && !(l->flags & LINK_FULL)) {
		l->flags |= LINK_FULL;
		l->ops->on_full(l);
	} else if (l->unsent_bytes <= ls->low_bytes && (l->flags & LINK_FULL)) {
		l->flags &= (uint16_t)~LINK_FULL;
		link_touch(l); /* a filter may have kept an answer back */
		l->ops->on_drained(l);
	}
	if ((l->flags & LINK_RETIRING) && l->unsent_bytes == 0 && !(l->flags & LINK_SHUT)) {
		l->flags |= LINK_SHUT;
		(void)io_shutdown_write(ls->loop, &l->io);
		link_close_if_over(l);
	}
}

/* One round: true when there may be more to write (an iov was full and all of it was taken). */
static bool write_once(struct link *l)
{
	struct iovec v[IOVS_MAX];
	unsigned n = fill_iov(l, v);
	size_t want = 0;
	ssize_t took;
	size_t of_outs;

	for (unsigned i = 0; i < n; i++)
		want += v[i].iov_len;
	took = n == 0 ? 0 : io_send(l->links->loop, &l->io, v, n);
	if (took < 0) {
		link_break(l, (int)took);
		return false;
	}
	l->links->bytes_out += (uint64_t)took;
	if (took > 0)
		l->taken_us = loop_now_us(l->links->loop);
	of_outs = backlog_took(l, (size_t)took);
	if (!keep_outs(l, of_outs)) {
		link_break(l, -ENOMEM);
		return false;
	}
	if ((size_t)took < want)
		l->flags |= LINK_BLOCKED;
	return (size_t)took == want && l->unsent_bytes > 0;
}

static void link_flush(struct link *l)
{
	if (l->flags & LINK_BROKEN) {
		link_close_if_over(l);
		return;
	}
	if (l->flags & LINK_FAILED || !link_seal(l)) {
		link_break(l, -ENOMEM);
		return;
	}
	if (l->flags & LINK_BLOCKED) {
		if (!keep_outs(l, 0))
			link_break(l, -ENOMEM);
	} else {
		while (write_once(l))
			continue;
	}
	if (!(l->flags & (LINK_BROKEN | LINK_CLOSED)))
		after_write(l);
}

/* The kernel reports room when a third of a full buffer has drained, megabytes often: a slow reader
 * needs longer for that than a stalled one may take. */
bool link_flush_anyway(struct link *l)
{
	struct loop *loop = l->links->loop;

	l->flags &= (uint16_t)~LINK_BLOCKED;
	link_flush(l);
	if (l->flags & (LINK_BROKEN | LINK_CLOSED) || l->unsent_bytes == 0)
		return true;
	if (l->taken_us != loop_now_us(loop))
		return false;
	timer_arm(loop, &l->timer, l->taken_us + l->links->stall_us);
	return true;
}

void links_flush(struct links *ls)
{
	struct list_node *n;

	while ((n = list_take_first(&ls->dirty)) != NULL)
		link_flush(LIST_ENTRY(n, struct link, dirty));
}
