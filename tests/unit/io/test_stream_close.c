#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab.h"

#include "ends.h"

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

/* Given away by mail while its event waits in the same turn: its memory is not looked at again. */
static int detached_fd;

static void detach_victim(void *arg)
{
	(void)arg;
	detached_fd = io_detach(hook_victim->lab->loop, &hook_victim->io);
	memset(&hook_victim->io, 0xDD, sizeof(hook_victim->io));
}

static void test_detach_with_event_waiting(void **state)
{
	(void)state;
	LAB_EACH(kind)
	{
		struct lab lab;
		struct far far;
		struct end e;

		begin(&lab, kind);
		end_open(&e, &lab, &far);
		turn(&lab);
		assert_int_equal(far_send(&far, "data", 4), 4);
		arrive(&lab);
		hook_victim = &e;
		loop_set_hooks(lab.loop, (struct loop_hooks){.on_mail = detach_victim});
		loop_wake(lab.loop);
		turn(&lab);
		assert_true(detached_fd >= 0);
		assert_int_equal(e.reads + e.closes, 0);
		lab.sys->ops->close(lab.sys, detached_fd);
		far_close(&far);
		arrive(&lab);
		lab_close(&lab);
	}
}

/* A copy of the descriptor elsewhere keeps the kernel's side alive, but not our interest in it. */
static void test_close_with_a_copy_elsewhere(void **state)
{
	(void)state;
	for (enum lab_kind kind = LAB_UNIX; kind <= LAB_TCP; kind++) {
		struct lab lab;
		struct far far;
		struct end e;
		int copy;

		begin(&lab, kind);
		end_open(&e, &lab, &far);
		copy = dup(e.io.fd);
		io_close(lab.loop, &e.io);
		turn(&lab);
		assert_int_equal(e.closes, 1);
		memset(&e.io, 0xDD, sizeof(e.io));
		assert_int_equal(far_send(&far, "late", 4), 4);
		turn(&lab);
		assert_int_equal(e.reads, 0);
		close(copy);
		far_close(&far);
		lab_close(&lab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_close_both_in_on_data),
		cmocka_unit_test(test_close_in_on_eof),
		cmocka_unit_test(test_close_in_on_writable),
		cmocka_unit_test(test_detach_in_on_writable),
		cmocka_unit_test(test_close_in_each_step),
		cmocka_unit_test(test_memory_is_reused_in_on_closed),
		cmocka_unit_test(test_detach_keeps_unread_bytes),
		cmocka_unit_test(test_detach_with_event_waiting),
		cmocka_unit_test(test_close_with_a_copy_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
