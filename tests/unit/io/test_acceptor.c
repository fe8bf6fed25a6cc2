#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "io/listen.h"
#include "lab.h"

enum { CLIENTS = 150 };

struct door {
	struct acceptor acceptor;
	struct lab *lab;
	unsigned accepted, exhausted, close_after;
	int fds[CLIENTS];
	struct addr last;
};

static struct door *door_of(struct acceptor *a)
{
	return CONTAINER_OF(a, struct door, acceptor);
}

static void on_accept(struct acceptor *a, int fd, const struct sockaddr_storage *peer)
{
	struct door *d = door_of(a);

	assert_true(fd >= 0);
	d->last = addr_from_sockaddr(peer);
	d->fds[d->accepted++] = fd;
	if (d->accepted == d->close_after) {
		acceptor_close(d->lab->loop, a);
		memset(a, 0xDD, sizeof(*a));
	}
}

static void on_exhausted(struct acceptor *a)
{
	door_of(a)->exhausted++;
}

static int serve(struct lab *lab)
{
	struct addr any = {.kind = ADDR_IP4, .ip = {127, 0, 0, 1}};

	return lab->kind == LAB_SIM ? sim_listener(lab->world, LAB_AT) : listen_tcp(&any, false);
}

static void door_open(struct door *d, struct lab *lab, int listener)
{
	*d = (struct door){.lab = lab};
	d->acceptor.on_accept = on_accept;
	d->acceptor.on_exhausted = on_exhausted;
	assert_int_equal(acceptor_open(lab->loop, &d->acceptor, listener, false), 0);
}

static void door_close_fds(struct door *d)
{
	for (unsigned i = 0; i < d->accepted; i++)
		d->lab->sys->ops->close(d->lab->sys, d->fds[i]);
}

/* A client under connection. */
static void knock(struct lab *lab, int listener, struct far *far)
{
	struct addr at;
	struct sockaddr_storage sa;

	*far = (struct far){.lab = lab, .fd = -1};
	if (lab->kind == LAB_SIM) {
		far->peer = sim_dial(lab->world, LAB_AT, "192.0.2.7:4711", &far_ops, far);
		return;
	}
	at = listen_addr(listener);
	far->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(far->fd, (struct sockaddr *)&sa, addr_to_sockaddr(&at, &sa)), 0);
}

static void settle(struct lab *lab)
{
	if (lab->kind == LAB_SIM)
		sim_settle(lab->world, 1000);
}

static void test_at_most_64_a_turn(void **state)
{
	static struct far far[CLIENTS];

	(void)state;
	for (enum lab_kind kind = LAB_TCP; kind <= LAB_SIM; kind++) {
		struct lab lab;
		struct door d;

		lab_open(&lab, kind);
		int listener = serve(&lab);
		door_open(&d, &lab, listener);
		for (int i = 0; i < CLIENTS; i++)
			knock(&lab, listener, &far[i]);
		settle(&lab);
		assert_int_equal(loop_turn(lab.loop, -1), 0);
		assert_int_equal(d.accepted, ACCEPTS_PER_TURN);
		assert_int_equal(loop_turn(lab.loop, -1), 0);
		assert_int_equal(d.accepted, 2 * ACCEPTS_PER_TURN);
		assert_int_equal(loop_turn(lab.loop, -1), 0);
		assert_int_equal(d.accepted, CLIENTS);
		if (kind == LAB_SIM)
			assert_int_equal(d.last.ip[0], 192);
		else
			assert_int_equal(d.last.ip[0], 127);
		acceptor_close(lab.loop, &d.acceptor);
		lab.sys->ops->close(lab.sys, listener);
		door_close_fds(&d);
		for (int i = 0; i < CLIENTS; i++)
			far_close(&far[i]);
		settle(&lab);
		lab_close(&lab);
	}
}

static void test_close_in_on_accept(void **state)
{
	struct far far[10];

	(void)state;
	for (enum lab_kind kind = LAB_TCP; kind <= LAB_SIM; kind++) {
		struct lab lab;
		struct door d;

		lab_open(&lab, kind);
		int listener = serve(&lab);
		door_open(&d, &lab, listener);
		d.close_after = 3;
		for (int i = 0; i < 10; i++)
			knock(&lab, listener, &far[i]);
		settle(&lab);
		lab_steps(&lab, 3);
		assert_int_equal(d.accepted, 3);
		lab.sys->ops->close(lab.sys, listener);
		door_close_fds(&d);
		for (int i = 0; i < 10; i++)
			far_close(&far[i]);
		settle(&lab);
		lab_close(&lab);
	}
}

/* Nothing that is open may be above the soft limit: the next descriptor then does not exist. */
static struct rlimit limit_fds(void)
{
	struct rlimit kept, low;
	int next = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &kept), 0);
	low = kept;
	low.rlim_cur = (rlim_t)next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	return kept;
}

static void squeeze(struct lab *lab, bool on)
{
	static struct rlimit kept;

	if (lab->kind == LAB_SIM)
		sim_set_fd_limit(lab->world, on ? (uint32_t)sim_open_fds(lab->world) : 0);
	else if (on)
		kept = limit_fds();
	else
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &kept), 0);
}

static bool far_is_turned_away(struct far *far)
{
	char c;

	return far_recv(far, &c, 1) != -EAGAIN;
}

/* One is turned away at once, the others wait for 100 ms and are let in when there is room. */
static void test_out_of_descriptors(void **state)
{
	struct far far[5];

	(void)state;
	for (enum lab_kind kind = LAB_TCP; kind <= LAB_SIM; kind++) {
		struct lab lab;
		struct door d;
		unsigned away = 0;
		uint64_t paused_us;

		lab_open(&lab, kind);
		int listener = serve(&lab);
		door_open(&d, &lab, listener);
		for (int i = 0; i < 5; i++)
			knock(&lab, listener, &far[i]);
		settle(&lab);
		squeeze(&lab, true);
		assert_int_equal(loop_turn(lab.loop, -1), 0);
		paused_us = loop_now_us(lab.loop);
		squeeze(&lab, false);
		assert_int_equal(d.exhausted, 1);
		assert_int_equal(d.accepted, 0);
		assert_true(d.acceptor.paused);
		settle(&lab);
		for (int i = 0; i < 5; i++)
			away += far_is_turned_away(&far[i]);
		assert_int_equal(away, 1);
		while (d.accepted == 0)
			lab_step(&lab);
		assert_true(loop_now_us(lab.loop) >= paused_us + 100 * US_PER_MS);
		lab_step(&lab);
		assert_int_equal(d.accepted, 4);
		assert_false(d.acceptor.paused);
		assert_int_equal(d.exhausted, 1);
		acceptor_close(lab.loop, &d.acceptor);
		lab.sys->ops->close(lab.sys, listener);
		door_close_fds(&d);
		for (int i = 0; i < 5; i++)
			far_close(&far[i]);
		settle(&lab);
		lab_close(&lab);
	}
}

static void test_close_while_paused(void **state)
{
	struct lab lab;
	struct door d;
	struct far far;

	(void)state;
	lab_open(&lab, LAB_SIM);
	int listener = serve(&lab);
	door_open(&d, &lab, listener);
	knock(&lab, listener, &far);
	settle(&lab);
	squeeze(&lab, true);
	assert_int_equal(loop_turn(lab.loop, -1), 0);
	assert_true(d.acceptor.paused);
	acceptor_close(lab.loop, &d.acceptor);
	memset(&d.acceptor, 0xDD, sizeof(d.acceptor));
	lab.sys->ops->close(lab.sys, listener);
	assert_true(loop_next_due_us(lab.loop) == UINT64_MAX);
	far_close(&far);
	settle(&lab);
	lab_close(&lab);
}

/* Errors that say nothing about us are passed over; one that stays must not spin. */
static int errors[] = {-ECONNABORTED, -EPROTO, -ENETDOWN, -EINVAL};
static unsigned accept_calls;

static int failing_accept(struct sys *sys, int fd, struct sockaddr_storage *ret_peer)
{
	(void)sys;
	(void)fd;
	(void)ret_peer;
	return errors[accept_calls++];
}

static void test_errors(void **state)
{
	struct lab lab;
	struct door d;
	struct far far;
	struct sys_ops ops;

	(void)state;
	lab_open(&lab, LAB_SIM);
	int listener = serve(&lab);
	door_open(&d, &lab, listener);
	knock(&lab, listener, &far);
	settle(&lab);
	const struct sys_ops *kept = lab.sys->ops;
	ops = *kept;
	ops.accept = failing_accept;
	lab.sys->ops = &ops;
	assert_int_equal(loop_turn(lab.loop, -1), 0);
	assert_int_equal(accept_calls, COUNT_OF(errors));
	assert_int_equal(d.exhausted, 0);
	assert_true(d.acceptor.paused);
	assert_int_equal(loop_turn(lab.loop, 0), 0);
	assert_int_equal(accept_calls, COUNT_OF(errors));
	lab.sys->ops = kept;
	acceptor_close(lab.loop, &d.acceptor);
	lab.sys->ops->close(lab.sys, listener);
	far_close(&far);
	settle(&lab);
	lab_close(&lab);
}

/* One socket in two loops: every client is accepted once, and both loops get some. */
static void test_shared(void **state)
{
	enum { N = 100 };
	struct sim_options o = {.seed = 3, .loops = 2, .stall_us = 30};
	struct sim_world *w = sim_world_new(&o);
	struct lab labs[2];
	struct loop *loops[2];
	struct door doors[2];
	static struct far far[N];
	int listener = sim_listener(w, LAB_AT);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		labs[i] = (struct lab){.kind = LAB_SIM, .world = w, .sys = sim_world_sys(w, i)};
		labs[i].loop = loops[i] = loop_new(labs[i].sys);
		doors[i] = (struct door){.lab = &labs[i]};
		doors[i].acceptor.on_accept = on_accept;
		assert_int_equal(acceptor_open(loops[i], &doors[i].acceptor, listener, true), 0);
	}
	for (int i = 0; i < N; i++) {
		knock(&labs[0], listener, &far[i]);
		(void)sim_run(w, loops, sim_now_us(w) + 100, NULL, NULL);
	}
	assert_int_equal(sim_run(w, loops, UINT64_MAX, NULL, NULL), SIM_IDLE);
	assert_int_equal(doors[0].accepted + doors[1].accepted, N);
	assert_in_range(doors[0].accepted, N / 4, N * 3 / 4);
	labs[0].sys->ops->close(labs[0].sys, listener);
	for (unsigned i = 0; i < 2; i++) {
		door_close_fds(&doors[i]);
		loop_free(loops[i]);
	}
	assert_int_equal(sim_world_free(w), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_most_64_a_turn),
		cmocka_unit_test(test_close_in_on_accept),
		cmocka_unit_test(test_out_of_descriptors),
		cmocka_unit_test(test_close_while_paused),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
