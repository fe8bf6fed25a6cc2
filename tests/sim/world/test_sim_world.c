#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/dial.h"
#include "io/mailbox.h"
#include "sim_world.h"

#define FRONT "10.0.0.1:25565"
#define BACK  "10.0.0.2:25566"

/*
 * A small program of three loops: each accepts clients and echoes what they send; at the end of a
 * client it reports to loop 0 by mail.
 */
enum { LOOPS = 3, CLIENTS = 40, CLIENT_BYTES = 20000 };

struct program;

struct worker {
	struct program *program;
	struct loop *loop;
	struct acceptor acceptor;
	struct mailbox box;
	unsigned accepted;
	struct list_node conns;
};

struct program {
	struct sim_world *w;
	struct worker workers[LOOPS];
	struct loop *loops[LOOPS];
	unsigned reports, failed;
	int listeners[LOOPS];
};

struct conn {
	struct io io;
	struct worker *worker;
	struct list_node node;
	struct mail mail;
	uint8_t held[CLIENT_BYTES];
	size_t held_n;
	bool ended, full;
	int err;
};

static void conn_flush(struct conn *c)
{
	struct iovec v = {c->held, c->held_n};
	ssize_t n;

	if (c->held_n > 0 && !c->full) {
		n = io_send(c->worker->loop, &c->io, &v, 1);
		if (n < 0)
			c->err = (int)n;
		else
			c->full = (size_t)n < c->held_n;
		if (n > 0) {
			c->held_n -= (size_t)n;
			memmove(c->held, c->held + n, c->held_n);
		}
	}
	if (c->err != 0 || (c->ended && c->held_n == 0))
		io_close(c->worker->loop, &c->io);
}

static void conn_on_data(struct io *io, struct chunk in)
{
	struct conn *c = CONTAINER_OF(io, struct conn, io);

	assert_true(c->held_n + in.len <= sizeof(c->held));
	memcpy(c->held + c->held_n, in.p, in.len);
	c->held_n += in.len;
}

static void conn_on_eof(struct io *io, int err)
{
	struct conn *c = CONTAINER_OF(io, struct conn, io);

	c->ended = true;
	c->err = err;
}

static void conn_on_writable(struct io *io)
{
	CONTAINER_OF(io, struct conn, io)->full = false;
}

static void conn_on_closed(struct io *io)
{
	struct conn *c = CONTAINER_OF(io, struct conn, io);

	list_remove(&c->node);
	mailbox_take(&c->worker->program->workers[0].box, &c->mail);
}

static const struct io_ops conn_ops = {conn_on_data, conn_on_eof, conn_on_writable, conn_on_closed};

static void worker_on_flush(void *arg)
{
	struct worker *k = arg;

	LIST_EACH(n, &k->conns)
	conn_flush(LIST_ENTRY(n, struct conn, node));
}

static void worker_on_mail(void *arg)
{
	struct worker *k = arg;
	struct mail *m = mailbox_drain(&k->box);

	while (m != NULL) {
		struct mail *next = m->next;
		struct conn *c = CONTAINER_OF(m, struct conn, mail);

		k->program->reports++;
		k->program->failed += c->err != 0;
		free(c);
		m = next;
	}
}

static void worker_on_accept(struct acceptor *a, int fd, const struct sockaddr_storage *peer)
{
	struct worker *k = CONTAINER_OF(a, struct worker, acceptor);
	struct conn *c = calloc(1, sizeof(*c));

	(void)peer;
	c->worker = k;
	k->accepted++;
	assert_int_equal(io_open(k->loop, &c->io, fd, &conn_ops), 0);
	list_append(&k->conns, &c->node);
}

static void program_start(struct program *p, const struct sim_options *o)
{
	*p = (struct program){.w = sim_world_new(o)};
	for (unsigned i = 0; i < LOOPS; i++) {
		struct worker *k = &p->workers[i];

		k->program = p;
		k->loop = p->loops[i] = loop_new(sim_world_sys(p->w, i));
		list_init(&k->conns);
		mailbox_init(&k->box, k->loop);
		loop_set_hooks(k->loop, (struct loop_hooks){.on_mail = worker_on_mail,
							    .on_flush = worker_on_flush,
							    .arg = k});
		k->acceptor.on_accept = worker_on_accept;
		p->listeners[i] = sim_listener(p->w, FRONT);
		assert_int_equal(acceptor_open(k->loop, &k->acceptor, p->listeners[i], false), 0);
	}
}

static size_t program_stop(struct program *p)
{
	for (unsigned i = 0; i < LOOPS; i++) {
		struct worker *k = &p->workers[i];

		acceptor_close(k->loop, &k->acceptor);
		loop_sys(k->loop)->ops->close(loop_sys(k->loop), p->listeners[i]);
		mailbox_fini(&k->box);
		loop_free(k->loop);
	}
	return sim_world_free(p->w);
}

struct client {
	struct program *program;
	struct sim_peer *peer;
	unsigned id;
	size_t sent, got;
	bool shut, gone;
};

static uint8_t byte_at(unsigned id, size_t at)
{
	return (uint8_t)(at * 31 + id * 7 + (at >> 8));
}

static void client_send(struct client *c)
{
	uint8_t piece[3000];
	size_t n = 1 + sim_dice(c->program->w, sizeof(piece));
	ssize_t sent;

	if (n > CLIENT_BYTES - c->sent)
		n = CLIENT_BYTES - c->sent;
	for (size_t i = 0; i < n; i++)
		piece[i] = byte_at(c->id, c->sent + i);
	sent = n == 0 ? 0 : sim_peer_send(c->peer, piece, n);
	if (sent > 0)
		c->sent += (size_t)sent;
	if (c->sent == CLIENT_BYTES && !c->shut) {
		sim_peer_shutdown(c->peer);
		c->shut = true;
	}
}

static void client_on_event(struct sim_peer *p, unsigned events)
{
	struct client *c = p->arg;
	uint8_t piece[4000];
	ssize_t n = -EAGAIN;

	if (events & SYS_IN)
		n = sim_peer_recv(p, piece, sizeof(piece));
	for (ssize_t i = 0; i < n; i++)
		assert_int_equal(piece[i], byte_at(c->id, c->got + (size_t)i));
	if (n > 0)
		c->got += (size_t)n;
	if (n == 0 || (n < 0 && n != -EAGAIN)) {
		c->gone = true;
		sim_peer_close(p);
	} else if (events & SYS_OUT) {
		client_send(c);
	}
}

static const struct sim_peer_ops client_ops = {client_on_event};
static struct client clients[CLIENTS];

/* Whatever is left is only looked at when something happens: a clock for those who wait. */
static void client_poke(void *arg)
{
	struct client *c = arg;

	if (c->gone)
		return;
	client_on_event(c->peer, SYS_IN | SYS_OUT);
	sim_at(c->program->w, sim_now_us(c->program->w) + 500, client_poke, c);
}

static uint64_t run_clients(const struct sim_options *o, unsigned *ret_failed, unsigned *ret_most)
{
	static struct program p;
	uint64_t trace;

	program_start(&p, o);
	for (unsigned i = 0; i < CLIENTS; i++) {
		clients[i] = (struct client){.program = &p, .id = i};
		clients[i].peer = sim_dial(p.w, FRONT, NULL, &client_ops, &clients[i]);
		sim_at(p.w, sim_now_us(p.w) + 5000, client_poke, &clients[i]);
	}
	assert_int_equal(sim_run(p.w, p.loops, UINT64_MAX, NULL, NULL), SIM_IDLE);
	assert_int_equal(p.reports, CLIENTS);
	*ret_failed = p.failed;
	*ret_most = 0;
	for (unsigned i = 0; i < LOOPS; i++) {
		if (p.workers[i].accepted > *ret_most)
			*ret_most = p.workers[i].accepted;
	}
	for (unsigned i = 0; i < CLIENTS; i++) {
		assert_true(clients[i].gone);
		if (p.failed == 0)
			assert_int_equal(clients[i].got, CLIENT_BYTES);
	}
	trace = sim_trace(p.w);
	assert_int_equal(program_stop(&p), 0);
	return trace;
}

static void test_friendly_world(void **state)
{
	struct sim_options o = {.loops = LOOPS};
	unsigned failed, most;

	(void)state;
	for (o.seed = 0; o.seed < 10; o.seed++) {
		(void)run_clients(&o, &failed, &most);
		assert_int_equal(failed, 0);
		assert_in_range(most, CLIENTS / LOOPS, CLIENTS - 5); /* shared like SO_REUSEPORT */
	}
}

/* Everything but resets: not a byte is lost, and a seed is a trace. */
static void test_mischief_and_determinism(void **state)
{
	struct sim_options o = {.loops = LOOPS,
				.latency_us = 300,
				.jitter_us = 500,
				.buffer_bytes = 2000,
				.segment_bytes = 700,
				.wake_delay_us = 2000,
				.stall_us = 400,
				.short_per_mille = 400};
	uint64_t last = 0;
	unsigned failed, most;

	(void)state;
	for (o.seed = 0; o.seed < 10; o.seed++) {
		uint64_t trace = run_clients(&o, &failed, &most);

		assert_int_equal(failed, 0);
		assert_true(trace == run_clients(&o, &failed, &most));
		assert_true(trace != last);
		last = trace;
	}
}

static void test_resets(void **state)
{
	struct sim_options o = {.loops = LOOPS, .reset_per_mille = 30, .segment_bytes = 900};
	unsigned failed, most, all = 0;

	(void)state;
	for (o.seed = 0; o.seed < 20; o.seed++) {
		uint64_t trace = run_clients(&o, &failed, &most);

		all += failed;
		assert_true(trace == run_clients(&o, &failed, &most));
	}
	assert_in_range(all, 20, 20 * CLIENTS - 20);
}

/* The rest: one loop, its calls made by hand. */
struct hand {
	struct sim_world *w;
	struct sys *sys;
};

static struct hand hand_open(void)
{
	struct sim_options o = {.seed = 1};
	struct hand h = {.w = sim_world_new(&o)};

	h.sys = sim_world_sys(h.w, 0);
	return h;
}

static unsigned peer_events, peer_calls;

static void note_event(struct sim_peer *p, unsigned events)
{
	(void)p;
	peer_events = events;
	peer_calls++;
}

static const struct sim_peer_ops note_ops = {note_event};

static int pair(struct hand *h, struct sim_peer **ret_peer)
{
	int listener = sim_listener(h->w, FRONT), fd;
	struct sockaddr_storage from;

	*ret_peer = sim_dial(h->w, FRONT, "[2001:db8::7]:4000", &note_ops, NULL);
	assert_int_equal(h->sys->ops->accept(h->sys, listener, &from), -EAGAIN);
	sim_settle(h->w, 1000);
	fd = h->sys->ops->accept(h->sys, listener, &from);
	assert_true(fd >= 1000);
	assert_int_equal(from.ss_family, AF_INET6);
	h->sys->ops->close(h->sys, listener);
	return fd;
}

static unsigned wait_events(struct hand *h)
{
	struct sys_event e[4];
	int n = h->sys->ops->wait(h->sys, e, 4, -1);

	assert_in_range(n, 0, 1);
	return n == 0 ? 0 : e[0].events;
}

static void test_edges(void **state)
{
	struct hand h = hand_open();
	struct sim_peer *peer;
	int fd = pair(&h, &peer);
	char got[8];

	(void)state;
	assert_int_equal(h.sys->ops->watch(h.sys, fd, &h, SYS_IN | SYS_OUT, false, false), 0);
	assert_int_equal(wait_events(&h), SYS_OUT);
	assert_int_equal(wait_events(&h), 0);
	assert_int_equal(sim_peer_send(peer, "ab", 2), 2);
	assert_int_equal(wait_events(&h), 0); /* under way */
	sim_settle(h.w, 1000);
	assert_int_equal(wait_events(&h), SYS_IN | SYS_OUT);
	assert_int_equal(h.sys->ops->recv(h.sys, fd, got, 1), 1);
	assert_int_equal(wait_events(&h), SYS_IN | SYS_OUT); /* what is left behind is announced */
	assert_int_equal(h.sys->ops->recv(h.sys, fd, got, 8), 1);
	assert_int_equal(h.sys->ops->recv(h.sys, fd, got, 8), -EAGAIN);
	assert_int_equal(wait_events(&h), 0);
	sim_peer_shutdown(peer);
	sim_settle(h.w, 1000);
	assert_int_equal(wait_events(&h), SYS_IN | SYS_OUT | SYS_HUP);
	assert_int_equal(h.sys->ops->recv(h.sys, fd, got, 8), 0);
	sim_peer_close(peer);
	h.sys->ops->close(h.sys, fd);
	assert_int_equal(sim_world_free(h.w), 0);
}

static void test_bounded_buffers(void **state)
{
	struct hand h = hand_open();
	static uint8_t bytes[100000];
	struct iovec v = {bytes, sizeof(bytes)};
	struct sim_peer *peer;
	int fd = pair(&h, &peer);

	(void)state;
	assert_int_equal(h.sys->ops->watch(h.sys, fd, &h, SYS_IN | SYS_OUT, false, false), 0);
	(void)wait_events(&h);
	assert_int_equal(h.sys->ops->send(h.sys, fd, &v, 1), 65536);
	assert_int_equal(h.sys->ops->send(h.sys, fd, &v, 1), -EAGAIN);
	sim_settle(h.w, 1000);
	assert_int_equal(sim_peer_recv(peer, bytes, 10000), 10000);
	sim_settle(h.w, 1000);
	assert_int_equal(wait_events(&h), 0); /* less than a third is free */
	assert_int_equal(sim_peer_recv(peer, bytes, 20000), 20000);
	assert_int_equal(wait_events(&h), 0);
	sim_settle(h.w, 1000);
	assert_int_equal(wait_events(&h), SYS_OUT);
	assert_int_equal(h.sys->ops->send(h.sys, fd, &v, 1), 30000);
	sim_peer_close(peer); /* with unread input */
	sim_settle(h.w, 1000);
	assert_int_equal(h.sys->ops->recv(h.sys, fd, bytes, 1), -ECONNRESET);
	assert_int_equal(h.sys->ops->recv(h.sys, fd, bytes, 1), 0);
	assert_int_equal(h.sys->ops->send(h.sys, fd, &v, 1), -EPIPE);
	h.sys->ops->close(h.sys, fd);
	assert_int_equal(sim_world_free(h.w), 0);
}

static void test_data_before_reset(void **state)
{
	struct hand h = hand_open();
	struct sim_peer *peer;
	int fd = pair(&h, &peer);
	char got[8];

	(void)state;
	assert_int_equal(sim_peer_send(peer, "kick", 4), 4);
	sim_peer_reset(peer);
	sim_settle(h.w, 1000);
	assert_int_equal(h.sys->ops->recv(h.sys, fd, got, 8), 4);
	assert_int_equal(h.sys->ops->recv(h.sys, fd, got, 8), -ECONNRESET);
	h.sys->ops->close(h.sys, fd);
	assert_int_equal(sim_world_free(h.w), 0);
}

/* Data for somebody who is gone is answered with a reset. */
static void test_send_to_a_closed_end(void **state)
{
	struct hand h = hand_open();
	struct sim_peer *peer;
	int fd = pair(&h, &peer);
	char c;

	(void)state;
	h.sys->ops->close(h.sys, fd);
	sim_settle(h.w, 1000);
	assert_int_equal(peer_events & (SYS_IN | SYS_HUP), SYS_IN | SYS_HUP);
	assert_int_equal(sim_peer_send(peer, "x", 1), 1);
	sim_settle(h.w, 1000);
	assert_int_equal(sim_peer_send(peer, "x", 1), -EPIPE);
	assert_int_equal(sim_peer_recv(peer, &c, 1), 0);
	sim_peer_close(peer);
	assert_int_equal(sim_world_free(h.w), 0);
}

static void backend_on_accept(void *arg, struct sim_peer *p)
{
	p->ops = &note_ops;
	*(struct sim_peer **)arg = p;
}

static int connect_back(struct hand *h)
{
	struct addr a = {.kind = ADDR_IP4, .ip = {10, 0, 0, 2}, .port = 25566};
	struct sockaddr_storage sa;
	socklen_t len = addr_to_sockaddr(&a, &sa);
	int fd = -1;

	assert_int_equal(h->sys->ops->connect(h->sys, (struct sockaddr *)&sa, len, &fd), 0);
	assert_int_equal(h->sys->ops->watch(h->sys, fd, h, SYS_OUT, false, false), 0);
	return fd;
}

static void test_connect(void **state)
{
	struct hand h = hand_open();
	struct sim_peer *backend = NULL;
	struct iovec v = {(void *)(uintptr_t) "x", 1};
	int fd;

	(void)state;
	sim_listen(h.w, BACK, backend_on_accept, &backend);
	fd = connect_back(&h);
	assert_int_equal(wait_events(&h), 0);
	assert_int_equal(h.sys->ops->send(h.sys, fd, &v, 1), -EAGAIN);
	sim_settle(h.w, 1000);
	assert_non_null(backend);
	assert_int_equal(wait_events(&h), SYS_OUT);
	assert_int_equal(h.sys->ops->connect_result(h.sys, fd), 0);
	h.sys->ops->close(h.sys, fd);
	sim_peer_close(backend);
	sim_unlisten(h.w, BACK);
	fd = connect_back(&h); /* refused */
	sim_settle(h.w, 1000);
	assert_int_equal(wait_events(&h), SYS_OUT | SYS_HUP);
	assert_int_equal(h.sys->ops->connect_result(h.sys, fd), -ECONNREFUSED);
	h.sys->ops->close(h.sys, fd);
	sim_set_fate(h.w, BACK, SIM_SILENCE);
	fd = connect_back(&h);
	sim_settle(h.w, 1000000000);
	assert_int_equal(wait_events(&h), 0);
	h.sys->ops->close(h.sys, fd);
	assert_int_equal(sim_world_free(h.w), 0);
}

static void test_leaks_and_limits(void **state)
{
	struct hand h = hand_open();
	struct sockaddr_storage from;
	struct sim_peer *peer;
	int fd = pair(&h, &peer), listener = sim_listener(h.w, FRONT);

	(void)state;
	assert_int_equal(sim_open_fds(h.w), 2);
	sim_set_fd_limit(h.w, 2);
	(void)sim_dial(h.w, FRONT, NULL, &note_ops, NULL);
	(void)sim_dial(h.w, FRONT, NULL, &note_ops, NULL);
	sim_settle(h.w, 1000);
	assert_int_equal(h.sys->ops->accept(h.sys, listener, &from), -EMFILE);
	sim_set_fd_limit(h.w, 3);
	assert_true(h.sys->ops->accept(h.sys, listener, &from) > fd);
	assert_int_equal(h.sys->ops->accept(h.sys, listener, &from), -EAGAIN);
	assert_int_equal(sim_world_free(h.w), 3);
}

/* A stale descriptor is a bug of the program, and found at once. */
static void test_stale_descriptor_aborts(void **state)
{
	int status = 0;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		struct hand h = hand_open();
		struct sim_peer *peer;
		int fd = pair(&h, &peer);
		struct rlimit none = {0, 0};
		char c;

		(void)setrlimit(RLIMIT_CORE, &none);
		(void)signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		h.sys->ops->close(h.sys, fd);
		(void)h.sys->ops->recv(h.sys, fd, &c, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void count_call(void *arg)
{
	++*(unsigned *)arg;
}

static bool three(void *arg)
{
	return *(unsigned *)arg == 3;
}

static void again(struct timer *t);
static struct loop *stuck_loop;

static void again(struct timer *t)
{
	timer_arm(stuck_loop, t, 0);
}

static void test_run(void **state)
{
	struct hand h = hand_open();
	struct loop *l = loop_new(h.sys);
	struct timer t;
	unsigned calls = 0;

	(void)state;
	assert_int_equal(sim_run(h.w, &l, UINT64_MAX, NULL, NULL), SIM_IDLE);
	for (unsigned i = 1; i <= 5; i++)
		sim_at(h.w, sim_now_us(h.w) + i * 1000000, count_call, &calls);
	assert_int_equal(sim_run(h.w, &l, UINT64_MAX, three, &calls), SIM_DONE);
	uint64_t until_us = sim_now_us(h.w) + 500000;
	assert_int_equal(sim_run(h.w, &l, until_us, NULL, NULL), SIM_TIME);
	assert_true(sim_now_us(h.w) == until_us);
	assert_int_equal(calls, 3);
	assert_int_equal(sim_run(h.w, &l, UINT64_MAX, NULL, NULL), SIM_IDLE);
	assert_int_equal(calls, 5);
	stuck_loop = l;
	timer_init(&t, again);
	timer_arm(l, &t, 0);
	assert_int_equal(sim_run(h.w, &l, UINT64_MAX, NULL, NULL), SIM_STUCK);
	timer_disarm(&t);
	loop_free(l);
	assert_int_equal(sim_world_free(h.w), 0);
}

/* Waking another loop takes its time, and a timer of an idle loop is found by the clock. */
static uint64_t mail_us, timer_us;
static struct sim_world *noting;

static void note_mail(void *arg)
{
	(void)arg;
	mail_us = sim_now_us(noting);
}

static void note_timer(struct timer *t)
{
	(void)t;
	timer_us = sim_now_us(noting);
}

static void wake_it(void *arg)
{
	loop_wake(arg);
}

static void test_wake_delay_and_timers(void **state)
{
	struct sim_options o = {.wake_delay_us = 5000};
	uint64_t most = 0;

	(void)state;
	for (o.seed = 0; o.seed < 50; o.seed++) {
		struct sim_world *w = noting = sim_world_new(&o);
		struct loop *l = loop_new(sim_world_sys(w, 0));
		struct timer t;

		timer_init(&t, note_timer);
		timer_arm(l, &t, 3600000000ULL);
		assert_int_equal(loop_turn(l, 0), 0);
		loop_set_hooks(l, (struct loop_hooks){.on_mail = note_mail});
		sim_at(w, 2000000, wake_it, l);
		assert_int_equal(sim_run(w, &l, UINT64_MAX, NULL, NULL), SIM_IDLE);
		assert_in_range(mail_us, 2000000, 2005000);
		assert_in_range(timer_us, 3600000000ULL, 3600001000ULL);
		most = mail_us > most ? mail_us : most;
		loop_free(l);
		assert_int_equal(sim_world_free(w), 0);
	}
	assert_true(most > 2002000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_friendly_world),
		cmocka_unit_test(test_mischief_and_determinism),
		cmocka_unit_test(test_resets),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_bounded_buffers),
		cmocka_unit_test(test_data_before_reset),
		cmocka_unit_test(test_send_to_a_closed_end),
		cmocka_unit_test(test_connect),
		cmocka_unit_test(test_leaks_and_limits),
		cmocka_unit_test(test_stale_descriptor_aborts),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_wake_delay_and_timers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
