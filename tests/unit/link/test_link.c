#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/dice.h"
#include "link/rig.h"

enum { POOL = 64 << 20, BACKLOG = 100000 };

static uint8_t source[BACKLOG];

static void open_rig(struct rig *r, uint32_t buffer_bytes)
{
	struct sim_options o = {.seed = 3, .buffer_bytes = buffer_bytes};

	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (uint8_t)(i * 7 >> 3);
	rig_open(r, &o, POOL);
}

static void push_backlog(struct rig *r)
{
	link_push(r->l, (struct out){source, BACKLOG, OUT_TURN});
	rig_turn(r);
	assert_true(link_unsent(r->l) > 0);
}

static void test_input(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	rig_far_send(&r, slice_of(source, 50000));
	rig_settle(&r);
	assert_true(slice_eq(buf_slice(&r.in), slice_of(source, 50000)));
	assert_int_equal(r.links.bytes_in, 50000);
	far_shutdown(&r.far);
	rig_settle(&r);
	assert_int_equal(r.eofs, 1);
	assert_int_equal(r.eof_err, 0);
	/* Half closed: output still goes. */
	link_push_copy(r.l, SLICE_LIT("bye"));
	rig_settle(&r);
	assert_true(slice_eq(buf_slice(&r.far_got), SLICE_LIT("bye")));
	assert_int_equal(r.brokens, 0);
	rig_close(&r, true);
}

static void test_pause(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r, 65536);
	link_pause(r.l);
	rig_far_send(&r, SLICE_LIT("while paused"));
	far_shutdown(&r.far);
	rig_settle(&r);
	assert_int_equal(r.in.len, 0);
	assert_int_equal(r.eofs, 0);
	link_push_copy(r.l, SLICE_LIT("out")); /* the other direction goes on */
	rig_settle(&r);
	assert_int_equal(r.far_got.len, 3);
	link_resume(r.l);
	rig_settle(&r);
	assert_true(slice_eq(buf_slice(&r.in), SLICE_LIT("while paused")));
	assert_int_equal(r.eofs, 1);
	rig_close(&r, true);
}

/* Retiring sends everything, then FIN; what comes in is thrown away; the peer's FIN ends it. */
static void test_retire(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	push_backlog(&r);
	link_push_copy(r.l, SLICE_LIT("last words"));
	rig_retire(&r);
	rig_retire(&r); /* harmless */
	link_push_copy(r.l, SLICE_LIT("too late"));
	rig_far_send(&r, SLICE_LIT("thrown away"));
	rig_settle(&r);
	assert_int_equal(r.far_got.len, BACKLOG + 10);
	assert_memory_equal(r.far_got.p, source, BACKLOG);
	assert_memory_equal(r.far_got.p + BACKLOG, "last words", 10);
	assert_true(r.far_ended);
	assert_int_equal(r.in.len, 0);
	assert_int_equal(r.links.n, 1);
	far_shutdown(&r.far);
	rig_run(&r, 1000000);
	assert_int_equal(r.links.n, 0);
	rig_close(&r, false);
}

/* A paused link hears the peer's FIN all the same. */
static void test_retire_while_paused(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	link_pause(r.l);
	rig_far_send(&r, SLICE_LIT("unread"));
	far_shutdown(&r.far);
	rig_run(&r, 100000);
	rig_retire(&r);
	rig_settle(&r);
	assert_true(r.far_ended);
	assert_int_equal(r.links.n, 0);
	rig_close(&r, false);
}

/* The peer's FIN came before: ours is the end. */
static void test_retire_after_eof(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	far_shutdown(&r.far);
	rig_settle(&r);
	assert_int_equal(r.eofs, 1);
	link_push_copy(r.l, SLICE_LIT("answer"));
	rig_retire(&r);
	rig_settle(&r);
	assert_int_equal(r.far_got.len, 6);
	assert_true(r.far_ended);
	assert_int_equal(r.links.n, 0);
	rig_close(&r, false);
}

static void expect_gone_after_5_s(struct rig *r)
{
	rig_run(r, 4900 * US_PER_MS);
	assert_int_equal(r->links.n, 1);
	rig_run(r, 200 * US_PER_MS);
	assert_int_equal(r->links.n, 0);
	rig_close(r, false);
}

static void test_retire_takes_5_s_at_most(void **state)
{
	struct rig r;

	(void)state;
	/* The peer reads all and never closes. */
	open_rig(&r, 65536);
	rig_retire(&r);
	rig_turn(&r);
	expect_gone_after_5_s(&r);
	/* It does not read. */
	open_rig(&r, 4096);
	push_backlog(&r);
	rig_retire(&r);
	rig_turn(&r);
	expect_gone_after_5_s(&r);
}

/* A backlog that is older than the retiring does not cut its time short: it is no stall. */
static void test_retire_outlives_the_stall(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	push_backlog(&r);
	rig_run(&r, 28 * US_PER_S);
	rig_turn(&r); /* retiring is done within a turn: its time counts */
	rig_retire(&r);
	rig_turn(&r);
	expect_gone_after_5_s(&r);
}

static void test_close_all(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	push_backlog(&r);
	rig_retire(&r);
	links_close_all(&r.links);
	rig_close(&r, false);
}

static void test_reset_while_retiring(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	push_backlog(&r);
	rig_retire(&r);
	rig_turn(&r);
	far_reset(&r.far);
	r.far_ended = true;
	r.far_err = -1;
	rig_run(&r, US_PER_S);
	rig_turn(&r);
	assert_int_equal(r.links.n, 0);
	rig_close(&r, false);
}

static void retire_in_on_bytes(struct rig *r)
{
	link_push_copy(r->l, SLICE_LIT("kick"));
	rig_retire(r);
}

static void drop_in_on_bytes(struct rig *r)
{
	link_push_copy(r->l, SLICE_LIT("never sent"));
	link_drop(r->l);
	link_drop(r->l);
	r->over = true;
}

/* The owner may end it from within its own callback. */
static void test_end_within_on_bytes(void **state)
{
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	r.on_input = retire_in_on_bytes;
	rig_far_send(&r, SLICE_LIT("1"));
	rig_far_send(&r, SLICE_LIT("2"));
	rig_settle(&r);
	assert_true(slice_eq(buf_slice(&r.far_got), SLICE_LIT("kick")));
	assert_int_equal(r.in.len, 1);
	far_shutdown(&r.far);
	rig_run(&r, US_PER_S);
	rig_close(&r, false);

	open_rig(&r, 4096);
	r.on_input = drop_in_on_bytes;
	rig_far_send(&r, SLICE_LIT("1"));
	rig_settle(&r);
	assert_int_equal(r.far_got.len, 0);
	assert_int_equal(r.links.n, 0);
	rig_close(&r, false);
	link_drop(NULL);
}

/* A filter that takes `left` bytes as they are, then says BAD or goes. */
struct counter {
	struct filter filter;
	size_t left;
	bool ends_bad;
	bool *freed;
};

static enum progress counter_in(struct filter *f, struct link *l, struct slice *io_in,
				struct slice *ret_piece, const char **ret_why)
{
	struct counter *c = CONTAINER_OF(f, struct counter, filter);
	size_t n = io_in->len < c->left ? io_in->len : c->left;

	(void)l;
	*ret_piece = slice_cut(io_in, n);
	c->left -= n;
	*ret_why = "enough";
	if (c->left == 0 && c->ends_bad)
		return BAD;
	f->spent = c->left == 0;
	return io_in->len == 0 && !f->spent ? MORE : DONE;
}

static void counter_free(struct filter *f)
{
	struct counter *c = CONTAINER_OF(f, struct counter, filter);

	*c->freed = true;
	free(c);
}

static const struct filter_ops counter_ops = {.in = counter_in, .free = counter_free};

static struct filter *counter_new(size_t left, bool ends_bad, bool *freed)
{
	struct counter *c = calloc(1, sizeof(*c));

	*c = (struct counter){{.ops = &counter_ops}, left, ends_bad, freed};
	*freed = false;
	return &c->filter;
}

/* A filter that is done is taken out in the middle of the input, from below or above another. */
static void test_spent_filters(void **state)
{
	(void)state;
	for (size_t a = 1; a < 8; a++) {
		for (size_t b = 1; b < 8; b++) {
			bool a_freed, b_freed;
			struct rig r;

			open_rig(&r, 4096);
			link_enable(r.l, counter_new(a, false, &a_freed), (struct slice){0});
			link_enable(r.l, counter_new(b, false, &b_freed), SLICE_LIT("01"));
			assert_int_equal(b_freed, b <= 2);
			rig_far_send(&r, SLICE_LIT("23456789"));
			rig_settle(&r);
			assert_true(slice_eq(buf_slice(&r.in), SLICE_LIT("0123456789")));
			assert_true(a_freed && b_freed);
			assert_null(r.l->filters);
			rig_close(&r, true);
		}
	}
}

/* A filter that refuses: told once as -EPROTO with its reason; nothing goes up any more. */
static void test_a_filter_complains(void **state)
{
	bool freed;
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	link_enable(r.l, counter_new(3, true, &freed), (struct slice){0});
	rig_far_send(&r, SLICE_LIT("abcdef"));
	rig_far_send(&r, SLICE_LIT("ghi"));
	far_shutdown(&r.far);
	rig_settle(&r);
	assert_true(slice_eq(buf_slice(&r.in), SLICE_LIT("abc")));
	assert_int_equal(r.eofs, 1);
	assert_int_equal(r.eof_err, -EPROTO);
	assert_string_equal(link_complaint(r.l), "enough");
	assert_false(freed);
	link_push_copy(r.l, SLICE_LIT("why")); /* output still goes */
	rig_retire(&r);
	rig_settle(&r);
	assert_int_equal(r.far_got.len, 3);
	assert_true(freed);
	rig_close(&r, false);
}

static bool shout(struct filter *f, struct outs *io, unsigned from, struct arena *turn)
{
	(void)f;
	for (unsigned i = from; i < io->n; i++) {
		uint8_t *p = arena_alloc(turn, io->v[i].len);

		for (unsigned k = 0; k < io->v[i].len; k++)
			p[k] = (uint8_t)(io->v[i].p[k] - 0x20);
		io->v[i].p = p;
	}
	return true;
}

/* What was queued before a filter came goes out without it. */
static void test_enable_seals(void **state)
{
	static const struct filter_ops shout_ops = {
		.in = counter_in, .out = shout, .free = counter_free};
	struct filter *f;
	bool freed;
	struct rig r;

	(void)state;
	open_rig(&r, 4096);
	f = counter_new(SIZE_MAX, false, &freed);
	f->ops = &shout_ops;
	link_push_copy(r.l, SLICE_LIT("before "));
	link_enable(r.l, f, (struct slice){0});
	link_push_copy(r.l, SLICE_LIT("after"));
	rig_settle(&r);
	assert_true(slice_eq(buf_slice(&r.far_got), SLICE_LIT("before AFTER")));
	rig_close(&r, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_input),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_retire),
		cmocka_unit_test(test_retire_while_paused),
		cmocka_unit_test(test_retire_after_eof),
		cmocka_unit_test(test_retire_takes_5_s_at_most),
		cmocka_unit_test(test_retire_outlives_the_stall),
		cmocka_unit_test(test_close_all),
		cmocka_unit_test(test_reset_while_retiring),
		cmocka_unit_test(test_end_within_on_bytes),
		cmocka_unit_test(test_spent_filters),
		cmocka_unit_test(test_a_filter_complains),
		cmocka_unit_test(test_enable_seals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
