/* A dial runs as long as its deadline is armed. */
#include "io/dial.h"

#include <errno.h>
#include <stdint.h>
#include <sys/un.h>

#include "io/loop_inner.h"

static int unix_sockaddr(const char *path, struct sockaddr_storage *ret, socklen_t *ret_len)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	size_t len = path == NULL ? 0 : strlen(path);

	if (len == 0)
		return -EINVAL;
	if (len >= sizeof(un.sun_path))
		return -ENAMETOOLONG;
	memcpy(un.sun_path, path, len + 1);
	memcpy(ret, &un, sizeof(un));
	*ret_len = (socklen_t)sizeof(un);
	return 0;
}

static int target_sockaddr(const struct dial_target *to, struct sockaddr_storage *ret,
			   socklen_t *ret_len)
{
	switch ((enum addr_kind)to->addr.kind) {
	case ADDR_IP4:
	case ADDR_IP6:
		*ret_len = addr_to_sockaddr(&to->addr, ret);
		return 0;
	case ADDR_UNIX:
		return unix_sockaddr(to->unix_path, ret, ret_len);
	case ADDR_NONE:
	default:
		return -EINVAL;
	}
}

/* Leaves the descriptor to the caller. */
static int dial_stop(struct dial *d)
{
	struct sys *sys = d->loop->sys;
	int fd = d->fd;

	timer_disarm(&d->deadline);
	sys->ops->unwatch(sys, fd);
	loop_forget(d->loop, &d->watched);
	d->fd = -1;
	return fd;
}

static void dial_fail(struct dial *d, int err)
{
	struct sys *sys = d->loop->sys;

	sys->ops->close(sys, dial_stop(d));
	d->on_done(d, err);
}

static void dial_on_events(struct watched *w, struct loop *l, unsigned events)
{
	struct dial *d = CONTAINER_OF(w, struct dial, watched);
	int err = l->sys->ops->connect_result(l->sys, d->fd);

	if (err < 0)
		dial_fail(d, err);
	else if (events & SYS_OUT)
		d->on_done(d, dial_stop(d));
}

static void dial_on_deadline(struct timer *t)
{
	dial_fail(CONTAINER_OF(t, struct dial, deadline), -ETIMEDOUT);
}

int dial_start(struct loop *l, struct dial *d, const struct dial_target *to, uint64_t due_us)
{
	struct sockaddr_storage sa = {0};
	struct sys *sys = l->sys;
	socklen_t len = 0;
	int err = target_sockaddr(to, &sa, &len);

	if (err == 0)
		err = sys->ops->connect(sys, (const struct sockaddr *)&sa, len, &d->fd);
	if (err < 0)
		return err;
	d->loop = l;
	d->watched.on_events = dial_on_events;
	err = sys->ops->watch(sys, d->fd, &d->watched, SYS_OUT, false, false);
	if (err < 0) {
		sys->ops->close(sys, d->fd);
		return err;
	}
	timer_init(&d->deadline, dial_on_deadline);
	timer_arm(l, &d->deadline, due_us);
	return 0;
}

void dial_cancel(struct dial *d)
{
	struct sys *sys;

	if (!dial_is_running(d))
		return;
	sys = d->loop->sys;
	sys->ops->close(sys, dial_stop(d));
}

bool dial_is_running(const struct dial *d)
{
	return timer_is_armed(&d->deadline);
}
