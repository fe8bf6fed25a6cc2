#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/loop.h"

struct pipe_poll {
	struct poll poll;
	struct loop *loop;
	int far;
	unsigned calls, last;
	bool close_in_call;
	struct pipe_poll *victim;
};

static void on_ready(struct poll *p, unsigned events)
{
	struct pipe_poll *pp = CONTAINER_OF(p, struct pipe_poll, poll);

	pp->calls++;
	pp->last = events;
	if (pp->close_in_call)
		poll_close(pp->loop, p);
	if (pp->victim != NULL) {
		poll_close(pp->loop, &pp->victim->poll);
		pp->victim->poll.on_ready = NULL; /* memory may be gone: a late call would crash */
		pp->victim->poll.watched.on_events = NULL;
	}
}

static void pipe_open(struct pipe_poll *p, struct loop *l)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	*p = (struct pipe_poll){.poll = {.on_ready = on_ready}, .loop = l, .far = fds[1]};
	assert_int_equal(poll_open(l, &p->poll, fds[0], SYS_IN), 0);
}

static void pipe_fini(struct pipe_poll *p)
{
	close(p->poll.fd);
	if (p->far >= 0)
		close(p->far);
}

static void turn(struct loop *l)
{
	assert_int_equal(loop_turn(l, 0), 0);
}

static void test_level_triggered(void **state)
{
	struct sys *sys = sys_linux_new();
	struct loop *l = loop_new(sys);
	struct pipe_poll p;
	char c;

	(void)state;
	pipe_open(&p, l);
	turn(l);
	assert_int_equal(p.calls, 0);
	assert_int_equal(write(p.far, "xy", 2), 2);
	turn(l);
	turn(l);
	assert_int_equal(p.calls, 2); /* nothing was read: told again */
	assert_int_equal(p.last, SYS_IN);
	assert_int_equal(poll_change(l, &p.poll, 0), 0);
	turn(l);
	assert_int_equal(p.calls, 2);
	assert_int_equal(poll_change(l, &p.poll, SYS_IN), 0);
	turn(l);
	assert_int_equal(p.calls, 3);
	assert_int_equal(read(p.poll.fd, &c, 1), 1);
	assert_int_equal(read(p.poll.fd, &c, 1), 1);
	turn(l);
	assert_int_equal(p.calls, 3);
	close(p.far);
	p.far = -1;
	turn(l);
	assert_int_equal(p.calls, 4);
	assert_true(p.last & SYS_HUP);
	poll_close(l, &p.poll);
	turn(l);
	assert_int_equal(p.calls, 4);
	assert_int_equal(fcntl(p.poll.fd, F_GETFD), FD_CLOEXEC); /* still open */
	assert_int_equal(poll_change(l, &p.poll, SYS_IN), -ENOENT);
	pipe_fini(&p);
	loop_free(l);
	sys_linux_free(sys);
}

static void test_close_own_and_other_in_call(void **state)
{
	struct sys *sys = sys_linux_new();
	struct loop *l = loop_new(sys);
	struct pipe_poll p[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		pipe_open(&p[i], l);
		p[i].close_in_call = true;
		p[i].victim = &p[1 - i];
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(write(p[i].far, "x", 1), 1);
	turn(l);
	turn(l);
	assert_int_equal(p[0].calls + p[1].calls, 1);
	pipe_fini(&p[0]);
	pipe_fini(&p[1]);
	loop_free(l);
	sys_linux_free(sys);
}

static void test_open_fails(void **state)
{
	struct sys *sys = sys_linux_new();
	struct loop *l = loop_new(sys);
	struct poll p = {.on_ready = on_ready};

	(void)state;
	assert_int_equal(poll_open(l, &p, -1, SYS_IN), -EBADF);
	loop_free(l);
	sys_linux_free(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_level_triggered),
		cmocka_unit_test(test_close_own_and_other_in_call),
		cmocka_unit_test(test_open_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
