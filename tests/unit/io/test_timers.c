#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "io/loop.h"

/* A world that is only a clock. */
static uint64_t clock_us;
static int64_t waited_us;

static uint64_t stub_now_us(struct sys *sys)
{
	(void)sys;
	return clock_us;
}

static int stub_wait(struct sys *sys, struct sys_event *ret, int max, int64_t timeout_us)
{
	(void)sys;
	(void)ret;
	(void)max;
	waited_us = timeout_us;
	return 0;
}

static void stub_wake(struct sys *sys)
{
	(void)sys;
}

static const struct sys_ops stub_ops = {
	.now_us = stub_now_us, .wait = stub_wait, .wake = stub_wake};
static struct sys stub = {&stub_ops};

static void turn_at(struct loop *l, uint64_t at_us)
{
	clock_us = at_us;
	assert_int_equal(loop_turn(l, -1), 0);
}

static struct loop *begin(uint64_t at_us)
{
	struct loop *l;

	clock_us = at_us;
	l = loop_new(&stub);
	assert_non_null(l);
	assert_int_equal(loop_turn(l, -1), 0);
	return l;
}

/* xorshift */
static uint64_t rng = 88172645463325252ULL;

static uint64_t dice(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (rng >> 11) % n;
}

/* The model: what is armed, and since when in turns. */
enum { N = 300 };

struct model {
	struct timer timer;
	bool armed;
	uint64_t due_us;
	unsigned armed_turn; /* in the middle of this turn's timers: not due before the next */
	unsigned fired_turn;
};

static struct model m[N];
static struct loop *loop;
static unsigned turn_n;
static bool firing;

static uint64_t random_due(void)
{
	static const uint64_t spans[] = {0,         1000,        64000,       70000,    4096000,
					 300000000, 20000000000, 16777216000, 90000000, 5};
	uint64_t span = spans[dice(COUNT_OF(spans))];

	switch (dice(8)) {
	case 0:
		return clock_us > span ? clock_us - span : 0;
	case 1:
		return clock_us + span;
	default:
		return clock_us + dice(span + 1);
	}
}

static void model_arm(struct model *t)
{
	t->armed = true;
	t->due_us = random_due();
	t->armed_turn = firing ? turn_n : turn_n - 1;
	timer_arm(loop, &t->timer, t->due_us);
}

static void model_disarm(struct model *t)
{
	t->armed = false;
	timer_disarm(&t->timer);
}

static void act(void)
{
	struct model *t = &m[dice(N)];

	switch (dice(3)) {
	case 0:
		model_disarm(t);
		break;
	default:
		model_arm(t);
		break;
	}
	assert_int_equal(timer_is_armed(&t->timer), t->armed);
}

static bool model_is_due(const struct model *t)
{
	return t->armed && t->armed_turn < turn_n &&
	       (t->due_us + US_PER_MS - 1) / US_PER_MS <= clock_us / US_PER_MS;
}

static void model_on_due(struct timer *timer)
{
	struct model *t = CONTAINER_OF(timer, struct model, timer);

	assert_true(model_is_due(t));
	assert_true(t->due_us <= clock_us);
	assert_false(timer_is_armed(timer));
	assert_int_not_equal(t->fired_turn, turn_n);
	t->armed = false;
	t->fired_turn = turn_n;
	firing = true;
	for (uint64_t n = dice(3); n > 0; n--)
		act();
	if (dice(4) == 0)
		model_arm(t);
}

static uint64_t first_due_us(void)
{
	uint64_t first = UINT64_MAX;

	for (int i = 0; i < N; i++) {
		if (m[i].armed && m[i].due_us < first)
			first = m[i].due_us;
	}
	return first;
}

static void check_turn(uint64_t at_us)
{
	turn_n++;
	firing = false;
	turn_at(loop, at_us);
	firing = false;
	for (int i = 0; i < N; i++) {
		assert_false(model_is_due(&m[i])); /* else it was forgotten */
		assert_int_equal(timer_is_armed(&m[i].timer), m[i].armed);
	}
}

/* The loop asks to be back no later than the first timer, rounded up to the tick. */
static uint64_t check_next(void)
{
	uint64_t first = first_due_us();
	uint64_t next = loop_next_due_us(loop);

	if (first == UINT64_MAX)
		assert_true(next == UINT64_MAX);
	else
		assert_true(next <= (first / US_PER_MS + 1) * US_PER_MS);
	return next;
}

static void test_against_model(void **state)
{
	(void)state;
	loop = begin(123456789);
	turn_n = 1;
	for (int i = 0; i < N; i++) {
		m[i] = (struct model){.fired_turn = 0};
		timer_init(&m[i].timer, model_on_due);
	}
	for (int step = 0; step < 60000; step++) {
		static const uint64_t spans[] = {1, 900, 3000, 100000, 5000000, 400000000};
		uint64_t next;

		for (uint64_t n = dice(6); n > 0; n--)
			act();
		next = check_next();
		/* Half of the time as the loop asks for it, else anyhow. */
		if (dice(2) == 0 && next != UINT64_MAX)
			check_turn(next > clock_us ? next : clock_us);
		else
			check_turn(clock_us + dice(spans[dice(COUNT_OF(spans))] + 1));
		if (step % 5000 == 0)
			check_turn(clock_us + 20000000000); /* asleep for hours */
	}
	for (int i = 0; i < N; i++)
		model_disarm(&m[i]);
	assert_true(loop_next_due_us(loop) == UINT64_MAX);
	loop_free(loop);
}

static unsigned fired;

static void count_due(struct timer *t)
{
	(void)t;
	fired++;
}

/* One timer costs at most one wake-up per level, however far away. */
static void test_few_wakeups(void **state)
{
	(void)state;
	for (uint64_t due_us = 1; due_us < 16000000000ULL; due_us = due_us * 3 + 1) {
		struct loop *l = begin(77777777);
		uint64_t start_us = clock_us;
		struct timer t;
		int wakeups = 0;

		fired = 0;
		timer_init(&t, count_due);
		timer_arm(l, &t, start_us + due_us);
		while (fired == 0) {
			assert_true(++wakeups <= 4);
			turn_at(l, loop_next_due_us(l));
		}
		assert_in_range(clock_us - start_us - due_us, 0, 999);
		loop_free(l);
	}
}

static void test_never_early(void **state)
{
	struct loop *l = begin(10000000);
	struct timer t = {.on_due = count_due};

	(void)state;
	fired = 0;
	assert_false(timer_is_armed(&t)); /* all zero is unarmed */
	timer_disarm(&t);
	timer_arm(l, &t, 10005001);
	assert_true(timer_is_armed(&t));
	turn_at(l, 10005000);
	turn_at(l, 10005999);
	assert_int_equal(fired, 0);
	turn_at(l, 10006000);
	assert_int_equal(fired, 1);
	assert_false(timer_is_armed(&t));
	loop_free(l);
}

/* The wait is exact to the clock at its start, not to the turn's. */
static void test_wait_ends_at_the_timer(void **state)
{
	struct loop *l = begin(10000000);
	struct timer t = {.on_due = count_due};

	(void)state;
	timer_arm(l, &t, 10020000);
	turn_at(l, 10000300);
	assert_int_equal(waited_us, 19700);
	assert_int_equal(loop_turn(l, 5000), 0);
	assert_int_equal(waited_us, 5000);
	turn_at(l, 10500000);
	assert_int_equal(waited_us, 0);
	turn_at(l, 10500000);
	assert_int_equal(waited_us, -1);
	loop_free(l);
}

/* What is already due waits for the next turn, which comes at once: no turn runs for ever. */
static struct loop *again_loop;

static void arm_again(struct timer *t)
{
	fired++;
	timer_arm(again_loop, t, 0);
}

static void test_overdue_comes_next_turn(void **state)
{
	struct loop *l = begin(10000000);
	struct timer t = {.on_due = arm_again};

	(void)state;
	again_loop = l;
	fired = 0;
	timer_arm(l, &t, 1);
	for (unsigned i = 1; i < 10; i++) {
		assert_int_equal(loop_next_due_us(l), 0);
		turn_at(l, clock_us);
		assert_int_equal(fired, i);
		assert_int_equal(waited_us, 0);
	}
	timer_disarm(&t);
	loop_free(l);
}

static void test_no_deadline(void **state)
{
	struct loop *l = begin(10000000);
	struct timer t = {.on_due = count_due};

	(void)state;
	fired = 0;
	timer_arm(l, &t, UINT64_MAX);
	for (int i = 0; i < 50; i++)
		turn_at(l, clock_us + 3600ULL * US_PER_S);
	assert_int_equal(fired, 0);
	timer_disarm(&t);
	loop_free(l);
}

/* on_due frees itself and its neighbour of the same tick. */
struct couple {
	struct timer timer;
	struct couple *other;
};

static void free_both(struct timer *t)
{
	struct couple *c = CONTAINER_OF(t, struct couple, timer);

	fired++;
	timer_disarm(&c->other->timer);
	free(c->other);
	free(c);
}

static void test_on_due_frees(void **state)
{
	struct loop *l = begin(10000000);
	struct couple *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b));

	(void)state;
	fired = 0;
	timer_init(&a->timer, free_both);
	timer_init(&b->timer, free_both);
	a->other = b;
	b->other = a;
	timer_arm(l, &a->timer, 10070000);
	timer_arm(l, &b->timer, 10070000);
	turn_at(l, 10080000);
	assert_int_equal(fired, 1);
	loop_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_model),
		cmocka_unit_test(test_few_wakeups),
		cmocka_unit_test(test_never_early),
		cmocka_unit_test(test_wait_ends_at_the_timer),
		cmocka_unit_test(test_overdue_comes_next_turn),
		cmocka_unit_test(test_no_deadline),
		cmocka_unit_test(test_on_due_frees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
