/* A link taken out of its loop alive, and put into another: docs/architecture.md, live upgrade. */
#include <errno.h>
#include <stdlib.h>

#include "link/link.h"
#include "link/link_inner.h"

static bool is_ending(const struct link *l)
{
	return l->flags & (LINK_DEAF | LINK_PEER_DONE | LINK_BROKEN | LINK_RETIRING | LINK_SHUT |
			   LINK_CLOSED | LINK_FAILED);
}

static bool append_unsent(struct link *l, struct buf *wire)
{
	bool ok = true;

	LIST_EACH(n, &l->backlog)
	{
		const struct block *b = LIST_ENTRY(n, struct block, node);

		ok = ok && buf_append(wire, slice_of(b->p + b->start, b->len));
	}
	for (unsigned i = 0; i < l->outs.n; i++)
		ok = ok && buf_append(wire, slice_of(l->outs.v[i].p, l->outs.v[i].len));
	return ok;
}

int link_save_unsent(struct link *l, struct buf *ret_wire)
{
	struct buf wire = {0};

	if (is_ending(l))
		return -EPIPE;
	if (!link_seal(l)) {
		link_fail(l);
		return -ENOMEM;
	}
	if (!append_unsent(l, &wire)) {
		buf_fini(&wire);
		return -ENOMEM;
	}
	*ret_wire = wire;
	return 0;
}

int link_detach(struct link *l)
{
	int fd;

	if (is_ending(l))
		return -EPIPE;
	fd = io_detach(l->links->loop, &l->io);
	if (fd < 0)
		return fd;
	timer_disarm(&l->timer);
	list_remove(&l->dirty);
	link_drop_backlog(l);
	link_free_filters(l);
	l->links->n--;
	free(l);
	return fd;
}

bool link_restore_unsent(struct link *l, struct slice wire, uint64_t taken_us)
{
	if (wire.len == 0)
		return true;
	if (wire.len > UINT32_MAX || !link_keep(l, wire))
		return false;
	l->taken_us = taken_us;
	timer_arm(l->links->loop, &l->timer, taken_us + l->links->stall_us);
	link_touch(l);
	return true;
}
