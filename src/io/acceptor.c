/*
 * Listening sockets in the loop, level-triggered: what a turn leaves over is reported again. A
 * pause takes the socket out of the loop, since an exclusive registration cannot be changed.
 */
#include "io/loop_inner.h"

#include <errno.h>

#include "base/clock.h"

enum { EXHAUSTED_PAUSE_MS = 100 };

static void acceptor_on_events(struct watched *w, struct loop *l, unsigned events);

static int acceptor_watch(struct acceptor *a)
{
	struct sys *sys = a->loop->sys;

	return sys->ops->watch(sys, a->fd, &a->watched, SYS_IN, true, a->shared);
}

static void acceptor_pause(struct acceptor *a)
{
	uint64_t pause_us = EXHAUSTED_PAUSE_MS * US_PER_MS;

	if (!a->paused)
		a->loop->sys->ops->unwatch(a->loop->sys, a->fd);
	a->paused = true;
	timer_arm(a->loop, &a->again, a->loop->now_us + pause_us);
}

static void acceptor_on_again(struct timer *t)
{
	struct acceptor *a = CONTAINER_OF(t, struct acceptor, again);

	if (acceptor_watch(a) < 0)
		acceptor_pause(a);
	else
		a->paused = false;
}

int acceptor_open(struct loop *l, struct acceptor *a, int fd, bool shared)
{
	a->watched.on_events = acceptor_on_events;
	a->fd = fd;
	a->loop = l;
	a->shared = shared;
	a->paused = false;
	timer_init(&a->again, acceptor_on_again);
	return acceptor_watch(a);
}

void acceptor_close(struct loop *l, struct acceptor *a)
{
	timer_disarm(&a->again);
	if (!a->paused)
		l->sys->ops->unwatch(l->sys, a->fd);
	loop_forget(l, &a->watched);
	if (l->accepting == a)
		l->accepting = NULL;
}

/* The connection that was to be accepted is already gone, or Linux passes on an error of its
 * network. */
static bool is_lost_peer(int err)
{
	switch (-err) {
	case ECONNABORTED:
	case EINTR:
	case EPERM:
	case EPROTO:
	case ENETDOWN:
	case ENOPROTOOPT:
	case EHOSTDOWN:
	case ENONET:
	case EHOSTUNREACH:
	case EOPNOTSUPP:
	case ENETUNREACH:
	case ETIMEDOUT:
		return true;
	default:
		return false;
	}
}

static bool is_exhausted(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -ENOBUFS;
}

static void acceptor_on_failed(struct acceptor *a, int err)
{
	if (err == -EAGAIN)
		return;
	/* Anything unknown pauses too: the socket would be reported in every turn. */
	acceptor_pause(a);
	if (is_exhausted(err) && a->on_exhausted != NULL)
		a->on_exhausted(a);
}

static void acceptor_on_events(struct watched *w, struct loop *l, unsigned events)
{
	struct acceptor *a = CONTAINER_OF(w, struct acceptor, watched);
	struct sockaddr_storage peer;

	(void)events;
	l->accepting = a;
	while (l->accepting == a && l->accepts_left > 0) {
		int fd = l->sys->ops->accept(l->sys, a->fd, &peer);

		l->accepts_left--;
		if (fd >= 0) {
			a->on_accept(a, fd, &peer);
		} else if (!is_lost_peer(fd)) {
			acceptor_on_failed(a, fd);
			break;
		}
	}
	l->accepting = NULL;
}
