#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "lab.h"

/* The order of a turn, as letters. */
static char order[64];

static void say(char c)
{
	size_t len = strlen(order);

	if (len + 1 < sizeof(order))
		order[len] = c;
}

static void on_mail(void *arg)
{
	(void)arg;
	say('m');
}

static void on_flush(void *arg)
{
	(void)arg;
	say('f');
}

static void on_turn_end(void *arg)
{
	(void)arg;
	say('e');
}

static void on_due(struct timer *t)
{
	(void)t;
	say('t');
}

static struct lab order_lab;

static void on_data(struct io *io, struct chunk in)
{
	(void)in;
	say('d');
	io_close(order_lab.loop, io);
}

static void on_eof(struct io *io, int err)
{
	(void)io;
	(void)err;
	say('?');
}

static void on_closed(struct io *io)
{
	(void)io;
	say('c');
}

static const struct io_ops order_ops = {on_data, on_eof, NULL, on_closed};

static void test_order_of_a_turn(void **state)
{
	(void)state;
	LAB_EACH(kind)
	{
		struct io io;
		struct far far;
		struct timer t;

		lab_open(&order_lab, kind);
		memset(order, 0, sizeof(order));
		loop_set_hooks(order_lab.loop,
			       (struct loop_hooks){on_mail, on_flush, on_turn_end, NULL});
		assert_int_equal(loop_turn(order_lab.loop, -1), 0);
		assert_string_equal(order, "mfe"); /* the first turn looks for mail */
		assert_int_equal(
			io_open(order_lab.loop, &io, lab_pair(&order_lab, &far), &order_ops), 0);
		assert_int_equal(far_send(&far, "x", 1), 1);
		if (kind == LAB_SIM)
			sim_settle(order_lab.world, 1000);
		timer_init(&t, on_due);
		timer_arm(order_lab.loop, &t, 0);
		loop_wake(order_lab.loop);
		memset(order, 0, sizeof(order));
		assert_int_equal(loop_turn(order_lab.loop, -1), 0);
		assert_string_equal(order, "tmdfec");
		memset(order, 0, sizeof(order));
		assert_int_equal(loop_turn(order_lab.loop, 0), 0);
		assert_string_equal(order, "fe");
		far_close(&far);
		lab_close(&order_lab);
	}
}

/* Woken by itself in mid-turn: the next turn does not sleep and looks for mail. */
static struct loop *waker;
static unsigned mails;

static void wake_self(void *arg)
{
	(void)arg;
	if (mails == 1)
		loop_wake(waker);
}

static void count_mail(void *arg)
{
	(void)arg;
	mails++;
}

static void test_wake_from_within(void **state)
{
	struct lab lab;

	(void)state;
	lab_open(&lab, LAB_UNIX);
	waker = lab.loop;
	mails = 0;
	loop_set_hooks(lab.loop, (struct loop_hooks){.on_mail = count_mail, .on_flush = wake_self});
	assert_int_equal(loop_turn(lab.loop, -1), 0);
	assert_int_equal(mails, 1);
	assert_int_equal(loop_next_due_us(lab.loop), 0);
	assert_int_equal(loop_turn(lab.loop, -1), 0); /* would sleep for ever */
	assert_int_equal(mails, 2);
	assert_true(loop_next_due_us(lab.loop) == UINT64_MAX);
	assert_int_equal(loop_turn(lab.loop, 0), 0);
	assert_int_equal(mails, 2);
	lab_close(&lab);
}

/*
 * Random echo streams. The far ends send bytes that are a function of stream and position, in
 * random pieces; the program sends back what it gets, holding what did not fit and pausing when
 * that is much; at random it pauses and resumes without any reason.
 */
enum { STREAMS = 24, STREAM_BYTES = 120000, HOLD_MAX = 200000 };

struct stream {
	struct io io;
	struct far far;
	unsigned id;
	uint8_t *held;
	size_t held_n;
	bool full, ended, shut, closed, whim;
	size_t sent, got; /* by the far end */
	bool far_shut, far_done;
};

static struct lab echo_lab;
static struct stream streams[STREAMS];
static uint64_t rng;
static unsigned turn_reads;

static uint32_t dice(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 20) % n;
}

static uint8_t byte_at(unsigned id, size_t at)
{
	return (uint8_t)(at * 167 + id * 13 + (at >> 8) * 29);
}

static void settle_pause(struct stream *s)
{
	bool want = s->whim || s->held_n > HOLD_MAX / 4;

	if (want && !io_is_paused(&s->io))
		io_pause(echo_lab.loop, &s->io);
	if (!want && io_is_paused(&s->io))
		io_resume(echo_lab.loop, &s->io);
}

static void echo_on_data(struct io *io, struct chunk in)
{
	struct stream *s = CONTAINER_OF(io, struct stream, io);

	assert_true(++turn_reads <= TURN_IOS);
	assert_false(s->ended);
	assert_false(io_is_paused(io));
	assert_true(s->held_n + in.len <= HOLD_MAX);
	memcpy(s->held + s->held_n, in.p, in.len);
	s->held_n += in.len;
	settle_pause(s);
}

static void echo_on_eof(struct io *io, int err)
{
	struct stream *s = CONTAINER_OF(io, struct stream, io);

	assert_int_equal(err, 0);
	assert_false(s->ended);
	s->ended = true;
}

static void echo_on_writable(struct io *io)
{
	struct stream *s = CONTAINER_OF(io, struct stream, io);

	assert_true(s->full);
	s->full = false;
}

static void echo_on_closed(struct io *io)
{
	CONTAINER_OF(io, struct stream, io)->closed = true;
}

static const struct io_ops echo_ops = {echo_on_data, echo_on_eof, echo_on_writable, echo_on_closed};

static void echo_flush(struct stream *s)
{
	size_t cut = s->held_n == 0 ? 0 : dice((uint32_t)s->held_n);
	struct iovec v[2] = {{s->held, cut}, {s->held + cut, s->held_n - cut}};
	ssize_t n;

	if (s->held_n > 0 && !s->full) {
		n = io_send(echo_lab.loop, &s->io, v, 2);
		assert_in_range(n, 0, s->held_n);
		s->full = (size_t)n < s->held_n;
		s->held_n -= (size_t)n;
		memmove(s->held, s->held + n, s->held_n);
	}
	if (dice(20) == 0)
		s->whim = !s->whim;
	settle_pause(s);
	if (s->ended && s->held_n == 0 && !s->shut) {
		assert_int_equal(io_shutdown_write(echo_lab.loop, &s->io), 0);
		s->shut = true;
	}
}

static void echo_on_flush(void *arg)
{
	(void)arg;
	turn_reads = 0;
	for (int i = 0; i < STREAMS; i++) {
		if (!streams[i].closed)
			echo_flush(&streams[i]);
	}
}

static void far_write(struct stream *s)
{
	static uint8_t piece[70000];
	size_t n = 1 + dice(dice(4) == 0 ? sizeof(piece) : 300);

	if (n > STREAM_BYTES - s->sent)
		n = STREAM_BYTES - s->sent;
	for (size_t i = 0; i < n; i++)
		piece[i] = byte_at(s->id, s->sent + i);
	if (n > 0)
		s->sent += far_send(&s->far, piece, n);
	if (s->sent == STREAM_BYTES && !s->far_shut) {
		far_shutdown(&s->far);
		s->far_shut = true;
	}
}

static void far_read(struct stream *s)
{
	static uint8_t piece[90000];
	ssize_t n = far_recv(&s->far, piece, 1 + dice(sizeof(piece)));

	for (ssize_t i = 0; i < n; i++) {
		if (piece[i] != byte_at(s->id, s->got + (size_t)i))
			fail_msg("stream %u differs at %zu", s->id, s->got + (size_t)i);
	}
	if (n > 0)
		s->got += (size_t)n;
	if (n == 0)
		s->far_done = true;
}

static unsigned far_ends_act(void)
{
	unsigned left = 0;

	for (int i = 0; i < STREAMS; i++) {
		struct stream *s = &streams[i];

		if (s->far_done)
			continue;
		left++;
		if (dice(3) == 0)
			far_write(s);
		if (dice(3) == 0)
			far_read(s);
	}
	return left;
}

static void echo_all(enum lab_kind kind, const struct sim_options *o)
{
	rng = o->seed * 77 + 12345;
	turn_reads = 0;
	lab_open_with(&echo_lab, kind, o);
	for (unsigned i = 0; i < STREAMS; i++) {
		streams[i] = (struct stream){.id = i, .held = malloc(HOLD_MAX)};
		assert_int_equal(io_open(echo_lab.loop, &streams[i].io,
					 lab_pair(&echo_lab, &streams[i].far), &echo_ops),
				 0);
	}
	loop_set_hooks(echo_lab.loop, (struct loop_hooks){.on_flush = echo_on_flush});
	for (unsigned steps = 0; far_ends_act() > 0; steps++) {
		assert_true(steps < 100000);
		lab_step(&echo_lab);
	}
	for (unsigned i = 0; i < STREAMS; i++) {
		assert_int_equal(streams[i].got, STREAM_BYTES);
		io_close(echo_lab.loop, &streams[i].io);
		far_close(&streams[i].far);
		free(streams[i].held);
	}
	loop_set_hooks(echo_lab.loop, (struct loop_hooks){0});
	assert_int_equal(loop_turn(echo_lab.loop, -1), 0);
	for (unsigned i = 0; i < STREAMS; i++)
		assert_true(streams[i].closed);
	lab_close(&echo_lab);
}

static void test_echo_linux(void **state)
{
	struct sim_options o = {0};

	(void)state;
	for (o.seed = 0; o.seed < 2; o.seed++) {
		echo_all(LAB_UNIX, &o);
		echo_all(LAB_TCP, &o);
	}
}

static void test_echo_sim(void **state)
{
	struct sim_options o = {0};

	(void)state;
	for (o.seed = 0; o.seed < 12; o.seed++) {
		o.latency_us = o.seed % 2 ? 5 : 900;
		o.jitter_us = o.seed % 3 ? 0 : 400;
		o.buffer_bytes = o.seed % 4 ? 30000 : 1500;
		o.segment_bytes = o.seed % 5 ? 1400 : 0;
		o.short_per_mille = o.seed % 6 ? 300 : 0;
		o.stall_us = o.seed % 7 ? 0 : 100;
		echo_all(LAB_SIM, &o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_a_turn),
		cmocka_unit_test(test_wake_from_within),
		cmocka_unit_test(test_echo_linux),
		cmocka_unit_test(test_echo_sim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
