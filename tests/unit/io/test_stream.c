#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "lab.h"

/* A program's end that counts what it is told. */
struct end {
	struct io io;
	struct lab *lab;
	unsigned turn, data_turn, reads, eofs, writables, closes;
	size_t bytes;
	int eof_err;
	bool closed, ended, writable;
	bool close_on_data, close_on_eof, close_on_writable, detach_on_writable;
	struct end *victim; /* closed along with this one */
	struct chunk last;
};

static unsigned turn_now;
static bool turn_ended; /* on_turn_end was called in this turn */

static struct end *end_of(struct io *io)
{
	return CONTAINER_OF(io, struct end, io);
}

static void end_close(struct end *e)
{
	io_close(e->lab->loop, &e->io);
	if (e->victim != NULL)
		io_close(e->lab->loop, &e->victim->io);
}

static void end_on_data(struct io *io, struct chunk in)
{
	struct end *e = end_of(io);

	assert_false(io_is_paused(io));
	assert_int_equal(e->closes, 0);
	assert_int_equal(e->io.fd < 0, 0);
	assert_int_not_equal(e->data_turn, turn_now);
	assert_in_range(in.len, 1, READ_MAX);
	memset(in.p - HEADROOM, 0xEE, HEADROOM);
	e->data_turn = turn_now;
	e->reads++;
	e->bytes += in.len;
	e->last = in;
	if (e->close_on_data)
		end_close(e);
}

static void end_on_eof(struct io *io, int err)
{
	struct end *e = end_of(io);

	assert_false(io_is_paused(io));
	e->eofs++;
	e->eof_err = err;
	e->ended = true;
	if (e->close_on_eof)
		end_close(e);
}

static void end_on_writable(struct io *io)
{
	struct end *e = end_of(io);

	e->writables++;
	e->writable = true;
	if (e->close_on_writable)
		end_close(e);
	if (e->detach_on_writable) {
		int fd = io_detach(e->lab->loop, io);

		assert_true(fd >= 0);
		e->lab->sys->ops->close(e->lab->sys, fd);
		memset(io, 0xDD, sizeof(*io));
	}
}

static void end_on_closed(struct io *io)
{
	struct end *e = end_of(io);

	assert_true(turn_ended);
	e->closes++;
	e->closed = true;
}

static const struct io_ops end_ops = {end_on_data, end_on_eof, end_on_writable, end_on_closed};

static void next_turn(void *arg)
{
	(void)arg;
	turn_now++;
	turn_ended = false;
}

static void end_turn(void *arg)
{
	(void)arg;
	turn_ended = true;
}

static void begin(struct lab *lab, enum lab_kind kind)
{
	lab_open(lab, kind);
	turn_now = 1;
	turn_ended = false;
	loop_set_hooks(lab->loop, (struct loop_hooks){.on_turn_end = end_turn});
}

/* One turn with its number, in all worlds. */
static void turn(struct lab *lab)
{
	next_turn(NULL);
	assert_int_equal(loop_turn(lab->loop, 0), 0);
}

/* Lets what is under way arrive without a turn. */
static void arrive(struct lab *lab)
{
	if (lab->kind == LAB_SIM)
		sim_settle(lab->world, 10000);
}

static void end_open(struct end *e, struct lab *lab, struct far *far)
{
	*e = (struct end){.lab = lab};
	assert_int_equal(io_open(lab->loop, &e->io, lab_pair(lab, far), &end_ops), 0);
}

static void until(struct lab *lab, const bool *flag)
{
	for (int i = 0; i < 3000 && !*flag; i++) {
		arrive(lab);
		turn(lab);
	}
	assert_true(*flag);
}

static void fini(struct lab *lab, struct end *e, struct far *far)
{
	io_close(lab->loop, &e->io);
	if (far != NULL)
		far_close(far);
	arrive(lab);
	turn(lab);
	assert_int_equal(e->closes, 1);
}

static void test_data_then_fin(void **state)
{
	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;
		struct far far;
		struct end e;

		begin(&lab, kind);
		end_open(&e, &lab, &far);
		assert_int_equal(far_send(&far, "hello", 5), 5);
		far_shutdown(&far);
		until(&lab, &e.ended);
		assert_int_equal(e.bytes, 5);
		assert_int_equal(e.eof_err, 0);
		/* The other direction still works, and nothing is told twice. */
		struct iovec v = {(void *)(uintptr_t) "world", 5};
		assert_int_equal(io_send(lab.loop, &e.io, &v, 1), 5);
		assert_int_equal(io_shutdown_write(lab.loop, &e.io), 0);
		arrive(&lab);
		turn(&lab);
		turn(&lab);
		char got[8];
		assert_int_equal(far_recv(&far, got, sizeof(got)), 5);
		assert_int_equal(far_recv(&far, got, sizeof(got)), 0);
		assert_int_equal(e.eofs, 1);
		fini(&lab, &e, &far);
		lab_close(&lab);
	}
}

/* A kick is often followed by a reset: what came before it is delivered first. */
static void test_data_then_reset(void **state)
{
	(void)state;
	for (enum lab_kind kind = LAB_TCP; kind <= LAB_SIM; kind++) {
		struct lab lab;
		struct far far;
		struct end e;

		begin(&lab, kind);
		end_open(&e, &lab, &far);
		assert_int_equal(far_send(&far, "kicked", 6), 6);
		far_reset(&far);
		until(&lab, &e.ended);
		assert_int_equal(e.bytes, 6);
		assert_int_equal(e.eof_err, -ECONNRESET);
		fini(&lab, &e, NULL);
		lab_close(&lab);
	}
}

static void test_pause_keeps_everything(void **state)
{
	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;
		struct far far;
		struct end e;

		begin(&lab, kind);
		end_open(&e, &lab, &far);
		io_pause(lab.loop, &e.io);
		assert_true(io_is_paused(&e.io));
		assert_int_equal(far_send(&far, "abc", 3), 3);
		far_close(&far);
		for (int i = 0; i < 5; i++) {
			arrive(&lab);
			turn(&lab);
		}
		assert_int_equal(e.reads + e.eofs, 0);
		io_resume(lab.loop, &e.io);
		turn(&lab);
		assert_int_equal(e.bytes, 3);
		until(&lab, &e.ended);
		assert_int_equal(e.eof_err, 0);
		fini(&lab, &e, NULL);
		lab_close(&lab);
	}
}

static void fill(struct end *e, size_t *ret_sent)
{
	static uint8_t bytes[100000];
	struct iovec v = {bytes, sizeof(bytes)};
	ssize_t n;

	*ret_sent = 0;
	do {
		n = io_send(e->lab->loop, &e->io, &v, 1);
		assert_true(n >= 0);
		*ret_sent += (size_t)n;
	} while (n > 0);
}

/* Reads all that is there; false: the end. */
static bool drain(struct far *far, size_t *bytes)
{
	static uint8_t sink[65536];
	ssize_t n;

	while ((n = far_recv(far, sink, sizeof(sink))) > 0)
		*bytes += (size_t)n;
	return n == -EAGAIN;
}

static void test_writable_once_after_full(void **state)
{
	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;
		struct far far;
		struct end e;
		size_t sent, got = 0;

		begin(&lab, kind);
		end_open(&e, &lab, &far);
		turn(&lab);
		fill(&e, &sent);
		for (int i = 0; i < 5; i++) {
			arrive(&lab);
			turn(&lab);
		}
		assert_int_equal(e.writables, 0);
		for (int i = 0; i < 5000 && got < sent; i++) {
			(void)drain(&far, &got);
			arrive(&lab);
			turn(&lab);
		}
		assert_int_equal(got, sent);
		assert_int_equal(e.writables, 1);
		fini(&lab, &e, &far);
		lab_close(&lab);
	}
}

static void test_at_most_64_ios_a_turn_and_in_turn(void **state)
{
	enum { N = 200 };
	static struct end e[N];
	static struct far far[N];

	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;

		begin(&lab, kind);
		for (int i = 0; i < N; i++) {
			end_open(&e[i], &lab, &far[i]);
			assert_int_equal(far_send(&far[i], "x", 1), 1);
		}
		arrive(&lab);
		for (unsigned t = 1; t <= 4; t++) {
			unsigned all = 0;

			turn(&lab);
			for (int i = 0; i < N; i++) {
				assert_true(e[i].reads <= 1);
				all += e[i].reads;
			}
			/* The kernel may tell of the rest in its own portions. */
			assert_true(all <= t * TURN_IOS);
			assert_true(t < 4 || all == N);
		}
		for (int i = 0; i < N; i++)
			fini(&lab, &e[i], &far[i]);
		lab_close(&lab);
	}
}

static void check_apart(const struct end *e, int n)
{
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < i; k++) {
			const struct chunk *a = &e[i].last, *b = &e[k].last;

			if (e[i].reads > 0 && e[i].data_turn == e[k].data_turn)
				assert_true(a->p >= b->p + b->len + HEADROOM ||
					    b->p >= a->p + a->len + HEADROOM);
		}
	}
}

/* Six full sockets: four reads fill a turn's memory, the other two go first in the next. */
static void test_turn_memory(void **state)
{
	enum { N = 6 };
	static uint8_t bytes[READ_MAX];

	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;
		struct far far[N];
		struct end e[N];
		size_t all = 0;

		begin(&lab, kind);
		for (int i = 0; i < N; i++) {
			end_open(&e[i], &lab, &far[i]);
			assert_int_equal(far_send(&far[i], bytes, sizeof(bytes)), sizeof(bytes));
		}
		arrive(&lab);
		for (int t = 0; t < 50 && all < N * sizeof(bytes); t++) {
			size_t before = all;

			turn(&lab);
			all = 0;
			for (int i = 0; i < N; i++)
				all += e[i].bytes;
			assert_true(all - before <= TURN_BYTES);
			if (kind == LAB_SIM && t < 2)
				assert_int_equal(all, t == 0 ? TURN_BYTES : N * sizeof(bytes));
			check_apart(e, N);
		}
		assert_int_equal(all, N * sizeof(bytes));
		for (int i = 0; i < N; i++)
			fini(&lab, &e[i], &far[i]);
		lab_close(&lab);
	}
}

/* Two ends with data in the same turn: the first closes both, and the second hears nothing more. */
static void test_close_both_in_on_data(void **state)
{
	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;
		struct far far[2];
		struct end e[2];

		begin(&lab, kind);
		for (int i = 0; i < 2; i++)
			end_open(&e[i], &lab, &far[i]);
		for (int i = 0; i < 2; i++) {
			e[i].close_on_data = true;
			e[i].victim = &e[1 - i];
			assert_int_equal(far_send(&far[i], "bye", 3), 3);
			far_shutdown(&far[i]);
		}
		arrive(&lab);
		turn(&lab);
		assert_int_equal(e[0].reads + e[1].reads, 1);
		assert_int_equal(e[0].closes, 1);
		assert_int_equal(e[1].closes, 1);
		struct iovec v = {(void *)(uintptr_t) "x", 1};
		assert_int_equal(io_send(lab.loop, &e[0].io, &v, 1), -EPIPE);
		assert_int_equal(io_shutdown_write(lab.loop, &e[0].io), -EPIPE);
		assert_int_equal(io_detach(lab.loop, &e[0].io), -EBADF);
		turn(&lab);
		assert_int_equal(e[0].closes + e[1].closes, 2);
		assert_int_equal(e[0].eofs + e[1].eofs, 0);
		far_close(&far[0]);
		far_close(&far[1]);
		arrive(&lab);
		lab_close(&lab);
	}
}

static void test_close_in_on_eof(void **state)
{
	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;
		struct far far;
		struct end e;

		begin(&lab, kind);
		end_open(&e, &lab, &far);
		e.close_on_eof = true;
		far_close(&far);
		until(&lab, &e.closed);
		assert_int_equal(e.eofs, 1);
		lab_close(&lab);
	}
}

/* on_writable and data of one turn: who closes or gives the io away in the first call gets no
 * second one. */
static void check_writable_last(enum lab_kind kind, bool detach)
{
	struct lab lab;
	struct far far;
	struct end e;
	size_t sent, got = 0;

	begin(&lab, kind);
	end_open(&e, &lab, &far);
	e.close_on_writable = !detach;
	e.detach_on_writable = detach;
	turn(&lab);
	fill(&e, &sent);
	arrive(&lab);
	while (got < sent) {
		(void)drain(&far, &got);
		arrive(&lab);
	}
	assert_int_equal(far_send(&far, "late", 4), 4);
	arrive(&lab);
	until(&lab, &e.writable);
	assert_int_equal(e.reads, 0);
	assert_int_equal(e.closes, detach ? 0 : 1);
	far_close(&far);
	arrive(&lab);
	turn(&lab);
	lab_close(&lab);
}

static void test_close_in_on_writable(void **state)
{
	(void)state;
	LAB_EACH(kind)
	check_writable_last(kind, false);
}

static void test_detach_in_on_writable(void **state)
{
	(void)state;
	LAB_EACH(kind)
	check_writable_last(kind, true);
}

/* Closing in the steps before and after input, with input waiting. */
static struct end *hook_victim;

static void close_victim(void *arg)
{
	(void)arg;
	io_close(hook_victim->lab->loop, &hook_victim->io);
}

static void end_turn_closing(void *arg)
{
	turn_ended = true;
	close_victim(arg);
}

static void on_due_closing(struct timer *t)
{
	(void)t;
	close_victim(NULL);
}

static void test_close_in_each_step(void **state)
{
	const struct loop_hooks hooks[] = {
		{.on_mail = close_victim, .on_turn_end = end_turn},
		{.on_flush = close_victim, .on_turn_end = end_turn},
		{.on_turn_end = end_turn_closing},
		{.on_turn_end = end_turn}, /* by a timer */
	};

	(void)state;
	LAB_EACH(kind)
	{
		for (size_t i = 0; i < COUNT_OF(hooks); i++) {
			struct lab lab;
			struct far far;
			struct end e;
			struct timer t;

			begin(&lab, kind);
			end_open(&e, &lab, &far);
			turn(&lab);
			assert_int_equal(far_send(&far, "data", 4), 4);
			arrive(&lab);
			hook_victim = &e;
			loop_set_hooks(lab.loop, hooks[i]);
			loop_wake(lab.loop);
			timer_init(&t, on_due_closing);
			if (i == 3)
				timer_arm(lab.loop, &t, 0);
			turn(&lab);
			assert_int_equal(e.closes, 1);
			assert_int_equal(e.reads, i == 1 || i == 2);
			turn(&lab);
			assert_int_equal(e.closes, 1);
			far_close(&far);
			arrive(&lab);
			lab_close(&lab);
		}
	}
}

/* An io's memory serves a new connection from within on_closed. */
struct phoenix {
	struct io io;
	struct lab *lab;
	struct far next;
	unsigned closes, reads;
	bool read;
};

static void phoenix_on_data(struct io *io, struct chunk in)
{
	struct phoenix *p = CONTAINER_OF(io, struct phoenix, io);

	(void)in;
	p->reads++;
	p->read = true;
}

static void phoenix_on_eof(struct io *io, int err)
{
	struct phoenix *p = CONTAINER_OF(io, struct phoenix, io);

	(void)err;
	io_close(p->lab->loop, io);
}

static void phoenix_on_closed(struct io *io);
static const struct io_ops phoenix_ops = {phoenix_on_data, phoenix_on_eof, NULL, phoenix_on_closed};

static void phoenix_on_closed(struct io *io)
{
	struct phoenix *p = CONTAINER_OF(io, struct phoenix, io);

	if (p->closes++ > 0)
		return;
	memset(io, 0xDD, sizeof(*io));
	assert_int_equal(io_open(p->lab->loop, io, lab_pair(p->lab, &p->next), &phoenix_ops), 0);
}

static void test_memory_is_reused_in_on_closed(void **state)
{
	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;
		struct far far;
		struct phoenix p = {.lab = &lab};

		begin(&lab, kind);
		assert_int_equal(io_open(lab.loop, &p.io, lab_pair(&lab, &far), &phoenix_ops), 0);
		far_close(&far);
		for (int i = 0; i < 1000 && p.closes == 0; i++) {
			arrive(&lab);
			turn(&lab);
		}
		assert_int_equal(far_send(&p.next, "again", 5), 5);
		until(&lab, &p.read);
		io_close(lab.loop, &p.io);
		turn(&lab);
		assert_int_equal(p.closes, 2);
		far_close(&p.next);
		arrive(&lab);
		lab_close(&lab);
	}
}

/* Given away with unread bytes and taken in again: nothing is lost. */
static void test_detach_keeps_unread_bytes(void **state)
{
	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;
		struct far far;
		struct end e;
		int fd;

		begin(&lab, kind);
		end_open(&e, &lab, &far);
		io_pause(lab.loop, &e.io);
		assert_int_equal(far_send(&far, "kept", 4), 4);
		far_shutdown(&far);
		arrive(&lab);
		turn(&lab);
		fd = io_detach(lab.loop, &e.io);
		assert_true(fd >= 0);
		turn(&lab);
		assert_int_equal(e.closes + e.reads, 0);
		assert_int_equal(io_open(lab.loop, &e.io, fd, &end_ops), 0);
		until(&lab, &e.ended);
		assert_int_equal(e.bytes, 4);
		fini(&lab, &e, &far);
		lab_close(&lab);
	}
}

static void test_open_of_a_bad_descriptor(void **state)
{
	struct lab lab;
	struct end e = {.lab = &lab};
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	begin(&lab, LAB_UNIX);
	assert_int_equal(io_open(lab.loop, &e.io, fd, &end_ops), -EPERM);
	assert_int_equal(close(fd), -1); /* it was closed */
	io_close(lab.loop, &e.io);
	io_resume(lab.loop, &e.io);
	turn(&lab);
	assert_int_equal(e.closes, 0);
	lab_close(&lab);
}

/* A steady conversation never asks a socket that is known to be empty. */
static unsigned recvs, empty_recvs;
static const struct sys_ops *real_ops;

static ssize_t counting_recv(struct sys *sys, int fd, void *p, size_t n)
{
	ssize_t got = real_ops->recv(sys, fd, p, n);

	recvs++;
	if (got == -EAGAIN)
		empty_recvs++;
	return got;
}

static void test_no_empty_reads(void **state)
{
	struct lab lab;
	struct far far;
	struct end e;
	struct sys_ops counting;

	(void)state;
	begin(&lab, LAB_TCP);
	real_ops = lab.sys->ops;
	counting = *real_ops;
	counting.recv = counting_recv;
	lab.sys->ops = &counting;
	end_open(&e, &lab, &far);
	for (unsigned i = 1; i <= 100; i++) {
		assert_int_equal(far_send(&far, "tick", 4), 4);
		while (e.bytes < 4 * i)
			turn(&lab);
	}
	assert_int_equal(recvs, 100);
	assert_int_equal(empty_recvs, 0);
	fini(&lab, &e, &far);
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_then_fin),
		cmocka_unit_test(test_data_then_reset),
		cmocka_unit_test(test_pause_keeps_everything),
		cmocka_unit_test(test_writable_once_after_full),
		cmocka_unit_test(test_at_most_64_ios_a_turn_and_in_turn),
		cmocka_unit_test(test_turn_memory),
		cmocka_unit_test(test_close_both_in_on_data),
		cmocka_unit_test(test_close_in_on_eof),
		cmocka_unit_test(test_close_in_on_writable),
		cmocka_unit_test(test_detach_in_on_writable),
		cmocka_unit_test(test_close_in_each_step),
		cmocka_unit_test(test_memory_is_reused_in_on_closed),
		cmocka_unit_test(test_detach_keeps_unread_bytes),
		cmocka_unit_test(test_open_of_a_bad_descriptor),
		cmocka_unit_test(test_no_empty_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
