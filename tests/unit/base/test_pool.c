#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/pool.h"
#include "base/dice.h"

enum { HELD_MAX = 300, STEPS = 20000 };

static const uint32_t class_bytes[POOL_CLASSES] = {512, 4096, 16384, 65536, 262144, POOL_LARGEST};

static size_t cap_for(size_t bytes)
{
	unsigned i = 0;

	while (class_bytes[i] < bytes)
		i++;
	return class_bytes[i];
}

static void test_sizes(void **state)
{
	struct pool pool;

	(void)state;
	pool_init(&pool, 64 << 20);
	for (unsigned i = 0; i < POOL_CLASSES; i++) {
		for (size_t less = 0; less < 2; less++) {
			struct block *b = pool_take(&pool, class_bytes[i] - less);

			assert_int_equal(b->cap, class_bytes[i]);
			assert_int_equal(b->start, 0);
			assert_int_equal(b->len, 0);
			assert_int_equal(pool.held_bytes, class_bytes[i]);
			memset(b->p, 0xAB, b->cap);
			b->start = b->len = 7; /* empty again when it comes back */
			pool_give(&pool, b);
		}
	}
	struct block *least = pool_take(&pool, 0);
	assert_int_equal(least->cap, class_bytes[0]);
	pool_give(&pool, least);
	assert_int_equal(pool.held_bytes, 0);
	pool_give(&pool, NULL);
	pool_retire(&pool, NULL);
	pool_fini(&pool);
}

struct model {
	struct block *held[HELD_MAX];
	uint8_t mark[HELD_MAX];
	unsigned n;
	size_t held_bytes, retired_bytes;
};

static void take(struct pool *pool, struct model *m, size_t bytes, uint8_t mark)
{
	struct block *b = pool_take(pool, bytes);
	size_t cap = cap_for(bytes);

	assert_int_equal(b != NULL, m->held_bytes + m->retired_bytes + cap <= pool->max_bytes);
	if (b == NULL)
		return;
	assert_int_equal(b->cap, cap);
	memset(b->p, mark, b->cap < 600 ? b->cap : 600);
	b->p[b->cap - 1] = mark;
	m->held[m->n] = b;
	m->mark[m->n++] = mark;
	m->held_bytes += cap;
}

static void let_go(struct pool *pool, struct model *m, unsigned i, bool retire)
{
	struct block *b = m->held[i];

	assert_int_equal(b->p[0], m->mark[i]);
	assert_int_equal(b->p[500], m->mark[i]);
	assert_int_equal(b->p[b->cap - 1], m->mark[i]);
	m->held_bytes -= b->cap;
	m->retired_bytes += retire ? b->cap : 0;
	if (retire)
		pool_retire(pool, b);
	else
		pool_give(pool, b);
	m->n--;
	m->held[i] = m->held[m->n];
	m->mark[i] = m->mark[m->n];
}

/* Nobody gets a block that somebody has, retired ones included; what is held is bounded. */
static void test_against_a_model(void **state)
{
	static struct model m;
	struct pool pool;
	uint64_t seed = 4;

	(void)state;
	pool_init(&pool, 3 << 20);
	for (unsigned step = 0; step < STEPS; step++) {
		uint32_t what = dice(&seed, 20);

		if (what < 10 && m.n < HELD_MAX) {
			uint32_t most = class_bytes[dice(&seed, POOL_CLASSES)];

			take(&pool, &m, dice(&seed, most + 1), (uint8_t)step);
		} else if (what < 19 && m.n > 0) {
			let_go(&pool, &m, dice(&seed, m.n), what < 14);
		} else {
			pool_turn_end(&pool);
			m.retired_bytes = 0;
		}
		assert_int_equal(pool.held_bytes, m.held_bytes + m.retired_bytes);
	}
	while (m.n > 0)
		let_go(&pool, &m, 0, m.n % 2 == 0);
	pool_turn_end(&pool);
	assert_int_equal(pool.held_bytes, 0);
	pool_fini(&pool);
}

/* A retired block keeps its bytes until the turn is over: output of this turn points into it. */
static void test_retired_is_not_handed_out(void **state)
{
	struct pool pool;
	struct block *a, *b;

	(void)state;
	pool_init(&pool, 1 << 20);
	a = pool_take(&pool, 100);
	pool_retire(&pool, a);
	b = pool_take(&pool, 100);
	assert_ptr_not_equal(a, b);
	pool_turn_end(&pool);
	assert_ptr_equal(pool_take(&pool, 100), a);
	pool_give(&pool, a);
	pool_give(&pool, b);
	pool_fini(&pool);
}

/* The same few blocks serve for ever; of a peak only some stay. */
static void test_kept_blocks(void **state)
{
	static struct block *v[1000];
	struct pool pool;
	uint32_t kept = 0;

	(void)state;
	pool_init(&pool, 64 << 20);
	for (unsigned i = 0; i < 1000; i++)
		v[i] = pool_take(&pool, 512);
	for (unsigned i = 0; i < 1000; i++)
		pool_give(&pool, v[i]);
	LIST_EACH(n, &pool.free[0])
	kept++;
	assert_int_equal(kept, pool.free_n[0]);
	assert_true(kept >= 16 && kept < 1000);
	assert_int_equal(pool.held_bytes, 0);
	pool_fini(&pool);
}

static void test_limit(void **state)
{
	struct pool pool;
	struct block *a, *b;

	(void)state;
	pool_init(&pool, 8192);
	a = pool_take(&pool, 4096);
	b = pool_take(&pool, 4096);
	assert_true(a != NULL && b != NULL);
	assert_null(pool_take(&pool, 1));
	pool_retire(&pool, a);
	assert_null(pool_take(&pool, 1)); /* retired still counts */
	pool_turn_end(&pool);
	a = pool_take(&pool, 1);
	assert_non_null(a);
	pool_give(&pool, a);
	pool_give(&pool, b);
	pool_fini(&pool);
}

static void test_beyond_the_limit(void **state)
{
	struct pool pool;
	struct block *a, *b;

	(void)state;
	pool_init(&pool, 4096);
	a = pool_take(&pool, 4096);
	assert_non_null(a);
	assert_null(pool_take(&pool, 1));
	b = pool_take_beyond(&pool, 4096);
	assert_non_null(b);
	assert_int_equal(pool.held_bytes, 8192);
	pool_give(&pool, a);
	assert_null(pool_take(&pool, 1));
	pool_give(&pool, b);
	assert_int_equal(pool.held_bytes, 0);
	pool_fini(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_beyond_the_limit),
		cmocka_unit_test(test_against_a_model),
		cmocka_unit_test(test_retired_is_not_handed_out),
		cmocka_unit_test(test_kept_blocks),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
