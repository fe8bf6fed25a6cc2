#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/dice.h"
#include "link/no_memory.h"
#include "link/rig.h"

enum { POOL = 64 << 20 };

static struct buf want; /* all that was pushed */
static uint64_t seed;
static uint8_t source[1 << 20];

static void fill_source(void)
{
	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (uint8_t)(i * 2654435761u >> 13);
}

static void push(struct rig *r, struct out o)
{
	assert_true(buf_append(&want, slice_of(o.p, o.len)));
	link_push(r->l, o);
	assert_true(r->l->outs.n <= OUTS_MAX + 1);
}

/* Neighbours, strangers, shared and copied bytes, and nothing at all, some dozens a turn. */
static void push_at_random(struct rig *r)
{
	unsigned n = dice(&seed, 4) == 0 ? dice(&seed, 300) : dice(&seed, 4);
	size_t at = dice(&seed, sizeof(source) / 2);

	for (unsigned i = 0; i < n; i++) {
		uint32_t len = dice(&seed, dice(&seed, 20) == 0 ? 20000 : 200);
		uint32_t how = dice(&seed, 4);

		if (how == 0)
			at = dice(&seed, sizeof(source) / 2);
		if (how == 1) {
			assert_true(buf_append(&want, slice_of(source + at, len)));
			link_push_copy(r->l, slice_of(source + at, len));
		} else {
			push(r, (struct out){source + at, len, how == 2 ? OUT_SHARED : OUT_TURN});
		}
		at += len;
		if (at > sizeof(source) - 20000)
			at = 0;
	}
}

/* Buffers from one byte up, readers of any pace: every byte once, in order, in one write a turn. */
static void test_byte_exact(void **state)
{
	static const uint32_t buffers[] = {1, 100, 4096, 65536};

	(void)state;
	fill_source();
	for (unsigned i = 0; i < 24; i++) {
		struct sim_options o = {.seed = i + 1,
					.buffer_bytes = buffers[i % COUNT_OF(buffers)],
					.segment_bytes = i % 3 == 0 ? 700 : 0};
		struct rig r;

		seed = i + 1;
		rig_open(&r, &o, POOL);
		while (want.len < (o.buffer_bytes == 1 ? 3000 : 300000)) {
			unsigned sends = r.sends;

			push_at_random(&r);
			rig_turn(&r);
			/* A second only when there was more than one call takes. */
			assert_true(r.sends <= sends + 2);
			rig_run(&r, dice(&seed, 2000));
			rig_far_read(&r, dice(&seed, 3) == 0 ? SIZE_MAX : dice(&seed, 3000));
		}
		rig_settle(&r);
		if (o.buffer_bytes == 1) {
			while (r.far_got.len < want.len)
				rig_settle(&r);
		}
		rig_expect_far(&r, &want);
		assert_int_equal(link_unsent(r.l), 0);
		assert_int_equal(r.links.bytes_out, want.len);
		assert_int_equal(r.brokens, 0);
		rig_close(&r, true);
		buf_fini(&want);
	}
}

static void test_one_write_a_turn(void **state)
{
	struct sim_options o = {.seed = 1};
	struct rig r;

	(void)state;
	fill_source();
	rig_open(&r, &o, POOL);
	rig_turn(&r);
	assert_int_equal(r.sends, 0);
	link_touch(r.l); /* nothing to say: nothing is written */
	rig_turn(&r);
	assert_int_equal(r.sends, 0);
	for (unsigned i = 0; i < 1000; i++)
		push(&r, (struct out){source + 3 * i, 2, OUT_TURN});
	assert_true(r.l->outs.n <= OUTS_MAX + 1);
	rig_turn(&r);
	assert_int_equal(r.sends, 1);
	rig_settle(&r);
	rig_expect_far(&r, &want);
	/* Adjacent memory is one entry; a change of kind is not joined over. */
	for (unsigned i = 0; i < 100; i++)
		push(&r, (struct out){source + 2 * i, 2, i < 50 ? OUT_TURN : OUT_SHARED});
	assert_int_equal(r.l->outs.n, 2);
	rig_settle(&r);
	rig_expect_far(&r, &want);
	rig_close(&r, true);
	buf_fini(&want);
}

/* A full socket is not asked again until it says that there is room. */
static void test_blocked_is_not_asked(void **state)
{
	struct sim_options o = {.seed = 1, .buffer_bytes = 4096};
	struct rig r;

	(void)state;
	fill_source();
	rig_open(&r, &o, POOL);
	push(&r, (struct out){source, 10000, OUT_TURN});
	rig_turn(&r);
	assert_int_equal(r.sends, 1);
	for (unsigned i = 0; i < 20; i++) {
		push(&r, (struct out){source + 100 * i, 50, OUT_TURN});
		rig_turn(&r);
		rig_run(&r, 1000);
	}
	assert_int_equal(r.sends, 1);
	assert_int_equal(link_unsent(r.l), 10000 - 4096 + 20 * 50);
	rig_settle(&r);
	rig_expect_far(&r, &want);
	rig_close(&r, true);
	buf_fini(&want);
}

static void test_marks(void **state)
{
	struct sim_options o = {.seed = 1, .buffer_bytes = 4096};
	struct rig r;

	(void)state;
	fill_source();
	rig_open(&r, &o, POOL);
	r.links.high_bytes = 100000;
	r.links.low_bytes = 20000;
	for (unsigned round = 1; round <= 3; round++) {
		while (link_unsent(r.l) <= 90000) {
			push(&r, (struct out){source, 9000, OUT_TURN});
			rig_turn(&r);
			assert_int_equal(r.fulls, link_unsent(r.l) > 100000 ? round : round - 1);
		}
		/* Up to the mark itself it is not full. */
		if (link_unsent(r.l) < 100000)
			push(&r, (struct out){source, 100000 - link_unsent(r.l), OUT_TURN});
		rig_turn(&r);
		assert_int_equal(r.fulls, round - 1);
		push(&r, (struct out){source, 1, OUT_TURN});
		rig_turn(&r);
		assert_int_equal(r.fulls, round);
		while (r.drains < round) {
			assert_true(link_unsent(r.l) > 20000);
			rig_far_read(&r, 1000);
			rig_run(&r, 1000);
		}
		assert_int_equal(r.fulls, round);
		assert_true(link_unsent(r.l) <= 20000);
	}
	rig_settle(&r);
	assert_int_equal(r.drains, 3);
	rig_expect_far(&r, &want);
	rig_close(&r, true);
	buf_fini(&want);
}

static void test_stall(void **state)
{
	struct sim_options o = {.seed = 1, .buffer_bytes = 4096};
	struct rig r;
	uint64_t full_us;

	(void)state;
	fill_source();
	rig_open(&r, &o, POOL);
	push(&r, (struct out){source, 50000, OUT_TURN});
	rig_turn(&r);
	full_us = rig_now_us(&r);
	rig_run(&r, 29 * US_PER_S);
	assert_int_equal(r.stalls, 0);
	/* One read: the count begins anew. More output alone does not do that. */
	rig_far_read(&r, 4096);
	rig_run(&r, 20 * US_PER_S);
	push(&r, (struct out){source, 500, OUT_TURN});
	rig_turn(&r);
	rig_run(&r, 9 * US_PER_S);
	assert_int_equal(r.stalls, 0);
	rig_run(&r, 3 * US_PER_S);
	assert_int_equal(r.stalls, 1);
	assert_true(rig_now_us(&r) >= full_us + 59 * US_PER_S);
	rig_run(&r, 100 * US_PER_S);
	assert_int_equal(r.stalls, 1);
	rig_close(&r, true);
	buf_fini(&want);
}

/* Silence without output is no stall, and the time before the output does not count. */
static void test_idle_is_no_stall(void **state)
{
	struct sim_options o = {.seed = 1, .buffer_bytes = 4096};
	struct rig r;

	(void)state;
	fill_source();
	rig_open(&r, &o, POOL);
	push(&r, (struct out){source, 6000, OUT_TURN});
	rig_settle(&r);
	rig_run(&r, 300 * US_PER_S);
	push(&r, (struct out){source, 9000, OUT_TURN});
	rig_turn(&r);
	rig_run(&r, 29 * US_PER_S);
	assert_int_equal(r.stalls, 0);
	rig_run(&r, 2 * US_PER_S);
	assert_int_equal(r.stalls, 1);
	rig_close(&r, true);
	buf_fini(&want);
}

/* Case 23: 20 KB a second is slow, not stalled. */
static void test_slow_reader_is_never_ended(void **state)
{
	struct sim_options o = {.seed = 1, .buffer_bytes = 65536};
	struct rig r;

	(void)state;
	fill_source();
	rig_open(&r, &o, POOL);
	for (unsigned s = 0; s < 150; s++) {
		while (link_unsent(r.l) < 300000) {
			push(&r, (struct out){source, 100000, OUT_TURN});
			rig_turn(&r);
		}
		rig_far_read(&r, 20000);
		rig_run(&r, US_PER_S);
	}
	assert_int_equal(r.stalls, 0);
	assert_int_equal(r.fulls, 1);
	assert_in_range(r.far_got.len, 148 * 20000, 150 * 20000);
	assert_true(slice_eq(buf_slice(&r.far_got), slice_of(want.p, r.far_got.len)));
	rig_close(&r, true);
	buf_fini(&want);
}

/* Memory is out: told once, output is thrown away, what was held is given back. */
static void test_out_of_memory(void **state)
{
	struct sim_options o = {.seed = 1, .buffer_bytes = 4096};
	struct rig r;

	(void)state;
	fill_source();
	rig_open(&r, &o, POOL);
	push(&r, (struct out){source, 4096 + 1000, OUT_TURN});
	rig_turn(&r);
	assert_true(r.links.pool.held_bytes > 0);
	push(&r, (struct out){source, 200000, OUT_TURN});
	memory_is_out = true;
	rig_turn(&r);
	memory_is_out = false;
	assert_int_equal(r.brokens, 1);
	assert_int_equal(r.broken_err, -ENOMEM);
	assert_int_equal(r.links.pool.held_bytes, 0);
	assert_int_equal(link_unsent(r.l), 0);
	link_push(r.l, (struct out){source, 1000, OUT_TURN});
	link_push_copy(r.l, SLICE_LIT("more"));
	rig_settle(&r);
	assert_int_equal(r.far_got.len, 4096);
	assert_int_equal(r.brokens, 1);
	/* Input still comes. */
	rig_far_send(&r, SLICE_LIT("hello"));
	rig_settle(&r);
	assert_true(slice_eq(buf_slice(&r.in), SLICE_LIT("hello")));
	rig_close(&r, true);
	buf_fini(&want);
}

/* Already the pushing fails: the break comes in the flush step, not from within. */
static void test_push_without_memory(void **state)
{
	struct sim_options o = {.seed = 1};
	struct rig r;

	(void)state;
	rig_open(&r, &o, POOL);
	memory_is_out = true;
	link_push_copy(r.l, SLICE_LIT("x"));
	link_push_copy(r.l, SLICE_LIT("y"));
	assert_int_equal(r.brokens, 0);
	rig_turn(&r);
	memory_is_out = false;
	assert_int_equal(r.brokens, 1);
	assert_int_equal(r.broken_err, -ENOMEM);
	link_push_copy(r.l, SLICE_LIT("z"));
	rig_settle(&r);
	assert_int_equal(r.far_got.len, 0);
	assert_int_equal(r.brokens, 1);
	rig_close(&r, true);
}

static void test_a_full_pool_costs_no_player(void **state)
{
	struct sim_options o = {.seed = 1, .buffer_bytes = 4096};
	struct rig r;

	(void)state;
	fill_source();
	rig_open(&r, &o, 4096);
	push(&r, (struct out){source, 200000, OUT_TURN});
	rig_settle(&r);
	assert_int_equal(r.brokens, 0);
	rig_expect_far(&r, &want);
	rig_close(&r, true);
	buf_fini(&want);
}

/* Broken by a reset with a backlog waiting. */
static void test_broken_while_sending(void **state)
{
	struct sim_options o = {.seed = 1, .buffer_bytes = 4096};
	struct rig r;

	(void)state;
	fill_source();
	rig_open(&r, &o, POOL);
	push(&r, (struct out){source, 100000, OUT_TURN});
	rig_turn(&r);
	assert_true(r.links.pool.held_bytes > 0);
	far_reset(&r.far);
	r.far_ended = true;
	r.far_err = -1;
	rig_run(&r, 100000);
	push(&r, (struct out){source, 5000, OUT_TURN});
	rig_turn(&r);
	rig_run(&r, 100000);
	assert_int_equal(r.eofs, 1);
	assert_int_equal(r.eof_err, -ECONNRESET);
	assert_true(r.brokens <= 1);
	rig_run(&r, 100 * US_PER_S);
	assert_int_equal(r.eofs, 1);
	assert_true(r.brokens <= 1);
	rig_close(&r, true);
	buf_fini(&want);
}

static void test_nothing_to_push(void **state)
{
	struct sim_options o = {.seed = 1};
	struct rig r;

	(void)state;
	rig_open(&r, &o, POOL);
	link_push(r.l, (struct out){0});
	link_push_copy(r.l, (struct slice){0});
	rig_settle(&r);
	assert_int_equal(r.sends, 0);
	assert_int_equal(r.brokens, 0);
	rig_close(&r, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_byte_exact),
		cmocka_unit_test(test_one_write_a_turn),
		cmocka_unit_test(test_blocked_is_not_asked),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_stall),
		cmocka_unit_test(test_idle_is_no_stall),
		cmocka_unit_test(test_slow_reader_is_never_ended),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_push_without_memory),
		cmocka_unit_test(test_a_full_pool_costs_no_player),
		cmocka_unit_test(test_broken_while_sending),
		cmocka_unit_test(test_nothing_to_push),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
