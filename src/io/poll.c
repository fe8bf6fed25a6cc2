/* Foreign descriptors in the loop, level-triggered. */
#include "io/loop_inner.h"

static void poll_on_events(struct watched *w, struct loop *l, unsigned events)
{
	struct poll *p = CONTAINER_OF(w, struct poll, watched);

	(void)l;
	p->on_ready(p, events);
}

int poll_open(struct loop *l, struct poll *p, int fd, unsigned events)
{
	p->watched.on_events = poll_on_events;
	p->fd = fd;
	return l->sys->ops->watch(l->sys, fd, &p->watched, events, true, false);
}

int poll_change(struct loop *l, struct poll *p, unsigned events)
{
	return l->sys->ops->rewatch(l->sys, p->fd, &p->watched, events);
}

void poll_close(struct loop *l, struct poll *p)
{
	l->sys->ops->unwatch(l->sys, p->fd);
	loop_forget(l, &p->watched);
}
