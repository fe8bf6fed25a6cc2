#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/sys.h"

struct fixture {
	struct sys *sys;
	int near, far;
};

static void begin(struct fixture *f)
{
	int fds[2];

	f->sys = sys_linux_new();
	assert_non_null(f->sys);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	f->near = fds[0];
	f->far = fds[1];
}

static void end(struct fixture *f)
{
	f->sys->ops->close(f->sys, f->near);
	if (f->far >= 0)
		close(f->far);
	sys_linux_free(f->sys);
}

static unsigned events_now(struct fixture *f)
{
	struct sys_event e[4] = {{0}};
	int n = f->sys->ops->wait(f->sys, e, 4, 0);

	assert_in_range(n, 0, 1);
	if (n == 0)
		return 0;
	assert_ptr_equal(e[0].tag, f);
	return e[0].events;
}

static void test_edges(void **state)
{
	struct fixture f;
	char c;

	(void)state;
	begin(&f);
	assert_int_equal(f.sys->ops->watch(f.sys, f.near, &f, SYS_IN | SYS_OUT, false, false), 0);
	assert_int_equal(events_now(&f), SYS_OUT);
	assert_int_equal(events_now(&f), 0);
	assert_int_equal(write(f.far, "ab", 2), 2);
	assert_int_equal(events_now(&f), SYS_IN | SYS_OUT);
	assert_int_equal(events_now(&f), 0);
	assert_int_equal(f.sys->ops->recv(f.sys, f.near, &c, 1), 1);
	assert_int_equal(events_now(&f), 0);
	assert_int_equal(shutdown(f.far, SHUT_WR), 0);
	assert_true(events_now(&f) & SYS_HUP);
	assert_int_equal(f.sys->ops->recv(f.sys, f.near, &c, 1), 1);
	assert_int_equal(f.sys->ops->recv(f.sys, f.near, &c, 1), 0);
	assert_int_equal(f.sys->ops->watch(f.sys, f.near, &f, SYS_IN, false, false), -EEXIST);
	f.sys->ops->unwatch(f.sys, f.near);
	close(f.far);
	f.far = -1;
	assert_int_equal(events_now(&f), 0);
	end(&f);
}

static void test_levels(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(f.sys->ops->watch(f.sys, f.near, &f, SYS_IN, true, false), 0);
	assert_int_equal(write(f.far, "a", 1), 1);
	assert_int_equal(events_now(&f), SYS_IN);
	assert_int_equal(events_now(&f), SYS_IN);
	assert_int_equal(f.sys->ops->rewatch(f.sys, f.near, &f, SYS_OUT), 0);
	assert_int_equal(events_now(&f), SYS_OUT);
	assert_int_equal(f.sys->ops->detach(f.sys, f.near), 0);
	assert_int_equal(f.sys->ops->detach(f.sys, f.near), -ENOENT);
	assert_int_equal(events_now(&f), 0);
	end(&f);
}

/* Each wake ends a wait, though the eventfd is never read. */
static void test_wake(void **state)
{
	struct fixture f;
	struct sys_event e[4];

	(void)state;
	begin(&f);
	for (int i = 0; i < 5; i++) {
		f.sys->ops->wake(f.sys);
		assert_int_equal(f.sys->ops->wait(f.sys, e, 4, -1), 0);
	}
	end(&f);
}

static void test_wait_is_not_short(void **state)
{
	struct fixture f;
	struct sys_event e[4];
	uint64_t start_us;

	(void)state;
	begin(&f);
	for (int64_t us = 1; us < 5000; us += 700) {
		start_us = f.sys->ops->now_us(f.sys);
		assert_int_equal(f.sys->ops->wait(f.sys, e, 4, us), 0);
		assert_true(f.sys->ops->now_us(f.sys) - start_us >= (uint64_t)us);
	}
	end(&f);
}

static void test_send_and_recv(void **state)
{
	struct fixture f;
	struct iovec v[2] = {{(void *)(uintptr_t) "hell", 4}, {(void *)(uintptr_t) "o", 1}};
	char got[8];

	(void)state;
	begin(&f); /* blocking sockets: the calls must not block all the same */
	assert_int_equal(f.sys->ops->recv(f.sys, f.near, got, 1), -EAGAIN);
	assert_int_equal(f.sys->ops->send(f.sys, f.near, v, 2), 5);
	assert_int_equal(read(f.far, got, sizeof(got)), 5);
	assert_memory_equal(got, "hello", 5);
	while (f.sys->ops->send(f.sys, f.near, v, 2) > 0)
		continue;
	assert_int_equal(f.sys->ops->send(f.sys, f.near, v, 2), -EAGAIN);
	assert_int_equal(f.sys->ops->shutdown_write(f.sys, f.near), 0);
	assert_int_equal(f.sys->ops->send(f.sys, f.near, v, 2), -EPIPE); /* and no SIGPIPE */
	assert_int_equal(f.sys->ops->shutdown_write(f.sys, -1), -EBADF);
	end(&f);
}

static void test_connect_and_accept(void **state)
{
	struct fixture f;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_storage peer;
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), fd = -7, got;

	(void)state;
	begin(&f);
	assert_int_equal(bind(listener, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(listener, 5), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	assert_int_equal(f.sys->ops->accept(f.sys, listener, &peer), -EAGAIN);
	assert_int_equal(f.sys->ops->connect(f.sys, (struct sockaddr *)&at, len, &fd), 0);
	assert_int_equal(f.sys->ops->watch(f.sys, fd, &f, SYS_OUT, true, false), 0);
	while (events_now(&f) == 0)
		continue;
	assert_int_equal(f.sys->ops->connect_result(f.sys, fd), 0);
	got = f.sys->ops->accept(f.sys, listener, &peer);
	assert_true(got >= 0);
	assert_true(fcntl(got, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(got, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(peer.ss_family, AF_INET);
	close(got);
	close(fd);
	close(listener);
	fd = -7;
	at.sin_family = 9999;
	assert_int_equal(f.sys->ops->connect(f.sys, (struct sockaddr *)&at, len, &fd),
			 -EAFNOSUPPORT);
	assert_int_equal(fd, -7);
	assert_int_equal(f.sys->ops->connect_result(f.sys, -1), -EBADF);
	end(&f);
}

/* An exclusive registration takes fewer event bits; the kernel must accept what we ask for. */
static void test_exclusive(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(f.sys->ops->watch(f.sys, f.near, &f, SYS_IN, true, true), 0);
	assert_int_equal(write(f.far, "a", 1), 1);
	assert_int_equal(events_now(&f), SYS_IN);
	f.sys->ops->unwatch(f.sys, f.near);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),         cmocka_unit_test(test_levels),
		cmocka_unit_test(test_wake),          cmocka_unit_test(test_wait_is_not_short),
		cmocka_unit_test(test_send_and_recv), cmocka_unit_test(test_connect_and_accept),
		cmocka_unit_test(test_exclusive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
