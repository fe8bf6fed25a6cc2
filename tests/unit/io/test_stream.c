#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "lab.h"

#include "ends.h"

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

/* More than a turn holds, again and again: nobody is read twice before all others were read once.
 */
static void test_left_over_goes_first(void **state)
{
	enum { N = 6 };
	struct sim_options o = {.buffer_bytes = 3 * READ_MAX};
	static uint8_t bytes[3 * READ_MAX];
	struct lab lab;
	struct far far[N];
	struct end e[N];

	(void)state;
	lab_open_with(&lab, LAB_SIM, &o);
	loop_set_hooks(lab.loop, (struct loop_hooks){.on_turn_end = end_turn});
	for (int i = 0; i < N; i++) {
		end_open(&e[i], &lab, &far[i]);
		assert_int_equal(far_send(&far[i], bytes, sizeof(bytes)), sizeof(bytes));
	}
	arrive(&lab);
	for (unsigned t = 1; t <= 4; t++) {
		turn(&lab);
		for (unsigned i = 0; i < N; i++)
			assert_int_equal(e[i].reads, (4 * t + N - 1 - i) / N);
	}
	for (int i = 0; i < N; i++)
		fini(&lab, &e[i], &far[i]);
	lab_close(&lab);
}

/* Filled again before it heard of the room: then there is no room to hear of. */
static struct end *fill_me;

static void refill_on_data(struct io *io, struct chunk in)
{
	size_t sent;

	end_on_data(io, in);
	fill(fill_me, &sent);
	assert_true(sent > 0);
}

static const struct io_ops refill_ops = {refill_on_data, end_on_eof, end_on_writable,
					 end_on_closed};

static void test_no_stale_room(void **state)
{
	struct lab lab;
	struct far far[2];
	struct end e[2];
	size_t sent, got = 0;

	(void)state;
	begin(&lab, LAB_SIM);
	end_open(&e[0], &lab, &far[0]);
	e[0].io.ops = &refill_ops;
	end_open(&e[1], &lab, &far[1]);
	turn(&lab);
	fill_me = &e[1];
	fill(&e[1], &sent);
	arrive(&lab);
	assert_int_equal(far_send(&far[0], "x", 1), 1);
	arrive(&lab);
	(void)drain(&far[1], &got);
	arrive(&lab);
	turn(&lab);
	assert_int_equal(e[0].reads, 1);
	assert_int_equal(e[1].writables, 0);
	arrive(&lab);
	(void)drain(&far[1], &got);
	arrive(&lab);
	turn(&lab);
	assert_int_equal(e[1].writables, 1);
	fini(&lab, &e[0], &far[0]);
	fini(&lab, &e[1], &far[1]);
	lab_close(&lab);
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
		cmocka_unit_test(test_left_over_goes_first),
		cmocka_unit_test(test_no_stale_room),
		cmocka_unit_test(test_open_of_a_bad_descriptor),
		cmocka_unit_test(test_no_empty_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
