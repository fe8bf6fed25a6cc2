/*
 * The real world: epoll, and an eventfd for waking. The eventfd is edge-triggered and never read;
 * each write is an edge. One spare descriptor answers those who connect when there are none left.
 */
#include "io/sys.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"

enum { BATCH = 128 };

struct sys_linux {
	struct sys sys;
	int epoll_fd, wake_fd, spare_fd;
};

static struct sys_linux *of(struct sys *sys)
{
	return CONTAINER_OF(sys, struct sys_linux, sys);
}

static uint64_t linux_now_us(struct sys *sys)
{
	(void)sys;
	return clock_monotonic_us();
}

static uint32_t to_epoll(unsigned events)
{
	uint32_t e = 0;

	if (events & SYS_IN)
		e |= EPOLLIN | EPOLLRDHUP;
	if (events & SYS_OUT)
		e |= EPOLLOUT;
	return e;
}

/* Dead in both directions: a reader and a writer shall both go and see. */
static unsigned from_epoll(uint32_t e)
{
	unsigned events = 0;

	if (e & EPOLLIN)
		events |= SYS_IN;
	if (e & EPOLLOUT)
		events |= SYS_OUT;
	if (e & EPOLLRDHUP)
		events |= SYS_IN | SYS_HUP;
	if (e & (EPOLLHUP | EPOLLERR))
		events |= SYS_IN | SYS_OUT | SYS_HUP;
	return events;
}

static int control(struct sys *sys, int op, int fd, void *tag, uint32_t events)
{
	struct epoll_event e = {.events = events, .data = {.ptr = tag}};

	return epoll_ctl(of(sys)->epoll_fd, op, fd, &e) < 0 ? -errno : 0;
}

static int linux_watch(struct sys *sys, int fd, void *tag, unsigned events, bool level,
		       bool exclusive)
{
	uint32_t e = to_epoll(events);

	if (!level)
		e |= EPOLLET;
	/* The kernel allows few other bits beside this one. */
	if (exclusive)
		e = (e & ~(uint32_t)EPOLLRDHUP) | EPOLLEXCLUSIVE;
	return control(sys, EPOLL_CTL_ADD, fd, tag, e);
}

static int linux_rewatch(struct sys *sys, int fd, void *tag, unsigned events)
{
	return control(sys, EPOLL_CTL_MOD, fd, tag, to_epoll(events));
}

static int linux_detach(struct sys *sys, int fd)
{
	return control(sys, EPOLL_CTL_DEL, fd, NULL, 0);
}

static void linux_unwatch(struct sys *sys, int fd)
{
	(void)linux_detach(sys, fd);
}

/* Rounded up: a wait that ends before its timer would be done twice. */
static int wait_ms(int64_t timeout_us)
{
	int64_t ms;

	if (timeout_us < 0)
		return -1;
	ms = timeout_us / US_PER_MS + (timeout_us % US_PER_MS != 0);
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

static int linux_wait(struct sys *sys, struct sys_event *ret, int max, int64_t timeout_us)
{
	struct epoll_event batch[BATCH];
	int n = epoll_wait(of(sys)->epoll_fd, batch, max < BATCH ? max : BATCH,
			   wait_ms(timeout_us));
	int kept = 0;

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		if (batch[i].data.ptr != NULL)
			ret[kept++] =
				(struct sys_event){batch[i].data.ptr, from_epoll(batch[i].events)};
	}
	return kept;
}

static void linux_wake(struct sys *sys)
{
	uint64_t one = 1;
	ssize_t n = write(of(sys)->wake_fd, &one, sizeof(one));

	(void)n; /* fails only when 2^64 wake-ups are pending */
}

static ssize_t linux_recv(struct sys *sys, int fd, void *p, size_t n)
{
	ssize_t got;

	(void)sys;
	do {
		got = recv(fd, p, n, MSG_DONTWAIT);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static ssize_t linux_send(struct sys *sys, int fd, const struct iovec *v, unsigned n)
{
	/* Cut off here it would look like a full socket, and nobody would ever be called back. */
	assert(n <= IOV_MAX);
	struct msghdr m = {.msg_iovlen = n};
	ssize_t sent;

	(void)sys;
	/* const is lost in the system's interface only */
	m.msg_iov = (struct iovec *)(uintptr_t)v;
	do {
		sent = sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

static int linux_shutdown_write(struct sys *sys, int fd)
{
	(void)sys;
	return shutdown(fd, SHUT_WR) < 0 ? -errno : 0;
}

static void linux_close(struct sys *sys, int fd)
{
	(void)sys;
	(void)close(fd);
}

static int linux_connect(struct sys *sys, const struct sockaddr *to, socklen_t len, int *ret_fd)
{
	int fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	(void)sys;
	if (fd < 0)
		return -errno;
	if (connect(fd, to, len) < 0 && errno != EINPROGRESS && errno != EINTR) {
		int err = -errno;

		(void)close(fd);
		return err;
	}
	*ret_fd = fd;
	return 0;
}

static int linux_connect_result(struct sys *sys, int fd)
{
	int err = 0;
	socklen_t len = sizeof(err);

	(void)sys;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		return -errno;
	return -err;
}

static int spare_open(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Left in the queue the peer would hang until descriptors are free again; this way it learns at
 * once. */
static void turn_one_away(struct sys_linux *sys, int fd)
{
	int peer;

	if (sys->spare_fd >= 0)
		(void)close(sys->spare_fd);
	peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	if (peer >= 0)
		(void)close(peer);
	sys->spare_fd = spare_open();
}

static int linux_accept(struct sys *sys, int fd, struct sockaddr_storage *ret_peer)
{
	struct sockaddr_storage peer = {0};
	socklen_t len = sizeof(peer);
	int got = accept4(fd, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	int err = got < 0 ? -errno : 0;

	if (err == -EMFILE || err == -ENFILE)
		turn_one_away(of(sys), fd);
	if (err < 0)
		return err;
	*ret_peer = peer;
	return got;
}

static const struct sys_ops linux_ops = {
	.now_us = linux_now_us,
	.watch = linux_watch,
	.rewatch = linux_rewatch,
	.unwatch = linux_unwatch,
	.wait = linux_wait,
	.wake = linux_wake,
	.recv = linux_recv,
	.send = linux_send,
	.shutdown_write = linux_shutdown_write,
	.close = linux_close,
	.connect = linux_connect,
	.connect_result = linux_connect_result,
	.accept = linux_accept,
	.detach = linux_detach,
};

static bool open_all(struct sys_linux *s)
{
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	s->spare_fd = spare_open();
	if (s->epoll_fd < 0 || s->wake_fd < 0 || s->spare_fd < 0)
		return false;
	return control(&s->sys, EPOLL_CTL_ADD, s->wake_fd, NULL, EPOLLIN | EPOLLET) == 0;
}

struct sys *sys_linux_new(void)
{
	struct sys_linux *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->sys.ops = &linux_ops;
	if (!open_all(s)) {
		sys_linux_free(&s->sys);
		return NULL;
	}
	return &s->sys;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

void sys_linux_free(struct sys *sys)
{
	if (sys == NULL)
		return;
	close_if_open(of(sys)->epoll_fd);
	close_if_open(of(sys)->wake_fd);
	close_if_open(of(sys)->spare_fd);
	free(of(sys));
}
