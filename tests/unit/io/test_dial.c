#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "io/dial.h"
#include "io/listen.h"
#include "lab.h"

static bool done;
static int result;

static void on_done(struct dial *d, int fd)
{
	assert_false(done);
	assert_false(dial_is_running(d));
	done = true;
	result = fd;
	memset(d, 0xDD, sizeof(*d)); /* its memory is free to go */
}

static struct dial dial_of(void)
{
	done = false;
	result = 0;
	return (struct dial){.on_done = on_done};
}

static struct dial_target target_of(struct lab *lab, int listener)
{
	struct dial_target to = {.addr = {.kind = ADDR_IP4, .ip = {10, 0, 0, 9}, .port = 25565}};

	if (lab->kind != LAB_SIM)
		to.addr = listen_addr(listener);
	return to;
}

static int serve(struct lab *lab)
{
	struct addr any = {.kind = ADDR_IP4, .ip = {127, 0, 0, 1}};
	int fd;

	if (lab->kind == LAB_SIM)
		return sim_listener(lab->world, "10.0.0.9:25565");
	fd = listen_tcp(&any, false);
	assert_true(fd >= 0);
	return fd;
}

static uint64_t in_ms(struct lab *lab, uint64_t ms)
{
	return lab->sys->ops->now_us(lab->sys) + ms * US_PER_MS;
}

static void test_connects(void **state)
{
	(void)state;
	for (enum lab_kind kind = LAB_TCP; kind <= LAB_SIM; kind++) {
		struct lab lab;
		struct dial d = dial_of();
		struct sockaddr_storage from;

		lab_open(&lab, kind);
		int listener = serve(&lab);
		struct dial_target to = target_of(&lab, listener);

		assert_false(dial_is_running(&d));
		assert_int_equal(dial_start(lab.loop, &d, &to, in_ms(&lab, 5000)), 0);
		assert_false(done);
		assert_true(dial_is_running(&d));
		lab_until(&lab, &done);
		assert_true(result >= 0);
		int fd = lab.sys->ops->accept(lab.sys, listener, &from);
		assert_true(fd >= 0);
		/* Nobody watches it any more: it can go into a loop again. */
		assert_int_equal(lab.sys->ops->watch(lab.sys, result, &d, SYS_OUT, true, false), 0);
		lab.sys->ops->unwatch(lab.sys, result);
		lab.sys->ops->close(lab.sys, fd);
		lab.sys->ops->close(lab.sys, result);
		lab.sys->ops->close(lab.sys, listener);
		assert_true(loop_next_due_us(lab.loop) == UINT64_MAX); /* no deadline is left */
		lab_close(&lab);
	}
}

static void test_refused(void **state)
{
	(void)state;
	for (enum lab_kind kind = LAB_TCP; kind <= LAB_SIM; kind++) {
		struct lab lab;
		struct dial d = dial_of();

		lab_open(&lab, kind);
		int listener = serve(&lab);
		struct dial_target to = target_of(&lab, listener);

		lab.sys->ops->close(lab.sys, listener);
		assert_int_equal(dial_start(lab.loop, &d, &to, in_ms(&lab, 5000)), 0);
		lab_until(&lab, &done);
		assert_int_equal(result, -ECONNREFUSED);
		lab_close(&lab);
	}
}

/* A listener whose queue is full drops what else comes: a server that does not answer, on loopback.
 */
static int black_hole(int fill[4])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(fd, 0), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	for (int i = 0; i < 4; i++) {
		fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(fill[i], (struct sockaddr *)&at, len);
	}
	return fd;
}

static void test_deadline(void **state)
{
	(void)state;
	for (enum lab_kind kind = LAB_TCP; kind <= LAB_SIM; kind++) {
		struct lab lab;
		struct dial d = dial_of();
		int fill[4], fd = -1;
		uint64_t due_us;

		lab_open(&lab, kind);
		if (kind == LAB_SIM)
			sim_set_fate(lab.world, "10.0.0.9:25565", SIM_SILENCE);
		else
			fd = black_hole(fill);
		struct dial_target to = target_of(&lab, fd);

		due_us = in_ms(&lab, 30);
		assert_int_equal(dial_start(lab.loop, &d, &to, due_us), 0);
		lab_until(&lab, &done);
		assert_int_equal(result, -ETIMEDOUT);
		assert_true(lab.sys->ops->now_us(lab.sys) >= due_us);
		for (int i = 0; i < 4 && fd >= 0; i++)
			close(fill[i]);
		if (fd >= 0)
			close(fd);
		lab_close(&lab);
	}
}

/* Deadline and connection come in one turn: one answer, and the event that is left finds nobody. */
static void test_deadline_and_event_in_one_turn(void **state)
{
	(void)state;
	for (enum lab_kind kind = LAB_TCP; kind <= LAB_SIM; kind++) {
		struct lab lab;
		struct dial d = dial_of();

		lab_open(&lab, kind);
		int listener = serve(&lab);
		struct dial_target to = target_of(&lab, listener);

		assert_int_equal(dial_start(lab.loop, &d, &to, 0), 0);
		if (kind == LAB_SIM)
			sim_settle(lab.world, 1000);
		assert_int_equal(loop_turn(lab.loop, 0), 0);
		assert_true(done);
		assert_int_equal(result, -ETIMEDOUT);
		lab_steps(&lab, 3);
		lab.sys->ops->close(lab.sys, listener);
		lab_close(&lab);
	}
}

static struct dial *cancel_me;

static void cancel_on_mail(void *arg)
{
	(void)arg;
	dial_cancel(cancel_me);
	dial_cancel(cancel_me);
	memset(cancel_me, 0xDD, sizeof(*cancel_me));
}

static void test_cancel_with_event_waiting(void **state)
{
	(void)state;
	for (enum lab_kind kind = LAB_TCP; kind <= LAB_SIM; kind++) {
		struct lab lab;
		struct dial d = dial_of();

		lab_open(&lab, kind);
		int listener = serve(&lab);
		struct dial_target to = target_of(&lab, listener);

		dial_cancel(&d); /* never started */
		assert_int_equal(dial_start(lab.loop, &d, &to, in_ms(&lab, 5000)), 0);
		if (kind == LAB_SIM)
			sim_settle(lab.world, 1000);
		cancel_me = &d;
		loop_set_hooks(lab.loop, (struct loop_hooks){.on_mail = cancel_on_mail});
		lab_steps(&lab, 3);
		assert_false(done);
		lab.sys->ops->close(lab.sys, listener);
		lab_close(&lab);
	}
}

static void test_unix(void **state)
{
	char dir[] = "/tmp/test-dial-XXXXXX", path[64];
	struct lab lab;
	struct dial d = dial_of();
	struct dial_target to = {.addr = {.kind = ADDR_UNIX}, .unix_path = path};

	(void)state;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/socket", dir);
	lab_open(&lab, LAB_UNIX);
	assert_int_equal(dial_start(lab.loop, &d, &to, UINT64_MAX), -ENOENT);
	int listener = listen_unix(path);
	assert_true(listener >= 0);
	assert_int_equal(dial_start(lab.loop, &d, &to, UINT64_MAX), 0);
	assert_false(done);
	lab_until(&lab, &done);
	assert_true(result >= 0);
	close(result);
	close(listener);
	unlink(path);
	rmdir(dir);
	lab_close(&lab);
}

static void test_bad_targets(void **state)
{
	static char long_path[200];
	const struct {
		struct dial_target to;
		int err;
	} rows[] = {
		{{.addr = {.kind = ADDR_NONE}}, -EINVAL},
		{{.addr = {.kind = ADDR_UNIX}, .unix_path = NULL}, -EINVAL},
		{{.addr = {.kind = ADDR_UNIX}, .unix_path = ""}, -EINVAL},
		{{.addr = {.kind = ADDR_UNIX}, .unix_path = long_path}, -ENAMETOOLONG},
		{{.addr = {.kind = 77}}, -EINVAL},
	};
	struct lab lab;

	(void)state;
	memset(long_path, 'x', sizeof(long_path) - 1);
	lab_open(&lab, LAB_UNIX);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct dial d = dial_of();

		assert_int_equal(dial_start(lab.loop, &d, &rows[i].to, UINT64_MAX), rows[i].err);
		assert_false(dial_is_running(&d));
		dial_cancel(&d);
	}
	lab_step(&lab);
	assert_false(done);
	lab_close(&lab);
}

static void test_out_of_descriptors(void **state)
{
	struct sim_options o = {.fd_limit = 1};
	struct lab lab;
	struct dial d = dial_of();

	(void)state;
	lab_open_with(&lab, LAB_SIM, &o);
	int listener = serve(&lab);
	struct dial_target to = target_of(&lab, listener);

	assert_int_equal(dial_start(lab.loop, &d, &to, UINT64_MAX), -EMFILE);
	lab.sys->ops->close(lab.sys, listener);
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_connects),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_deadline_and_event_in_one_turn),
		cmocka_unit_test(test_cancel_with_event_waiting),
		cmocka_unit_test(test_unix),
		cmocka_unit_test(test_bad_targets),
		cmocka_unit_test(test_out_of_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
