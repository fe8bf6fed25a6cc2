#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/idmap.h"
#include "base/dice.h"

enum { IDS = 400, STEPS = 60000 };

static uint64_t ids[IDS];
static char values[IDS];

/* Counting ids, ids that differ only in their high half, and wild ones. */
static void choose_ids(unsigned how, uint64_t *seed)
{
	for (unsigned i = 0; i < IDS; i++) {
		uint64_t wild = (uint64_t)dice(seed, 0x7FFFFFFF) << 32 | (i + 1);

		ids[i] = how == 0 ? i + 1 : how == 1 ? (uint64_t)(i + 1) << 32 : wild;
	}
}

static void check(const struct idmap *m, const bool *in)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < IDS; i++) {
		assert_ptr_equal(idmap_get(m, ids[i]), in[i] ? &values[i] : NULL);
		n += in[i];
	}
	assert_int_equal(m->n, n);
}

/* Random puts and removes, filling up and emptying in waves, against a plain array. */
static void test_against_an_array(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned how = 0; how < 3; how++) {
		struct idmap m = {0};
		bool in[IDS] = {false};

		choose_ids(how, &seed);
		for (unsigned step = 0; step < STEPS; step++) {
			unsigned i = dice(&seed, IDS);
			bool filling = step / 3000 % 2 == 0;

			if (!in[i] && (filling || dice(&seed, 5) == 0)) {
				assert_true(idmap_put(&m, ids[i], &values[i]));
				in[i] = true;
			} else if (in[i] && (!filling || dice(&seed, 5) == 0)) {
				idmap_remove(&m, ids[i]);
				in[i] = false;
			}
			if (step % 97 == 0)
				check(&m, in);
		}
		check(&m, in);
		idmap_fini(&m);
	}
}

/* A hole in a run that wraps around the end of the table is closed rightly: many small tables. */
static void test_runs_around_the_end(void **state)
{
	uint64_t seed = 9;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		struct idmap m = {0};
		bool in[IDS] = {false};

		choose_ids(2, &seed);
		for (unsigned i = 0; i < 46; i++) { /* as full as 64 places get */
			assert_true(idmap_put(&m, ids[i], &values[i]));
			in[i] = true;
		}
		assert_int_equal(m.cap, 64);
		for (unsigned k = 0; k < 20; k++) {
			unsigned i = dice(&seed, 46);

			idmap_remove(&m, ids[i]);
			in[i] = false;
		}
		check(&m, in);
		idmap_fini(&m);
	}
}

static void test_edges(void **state)
{
	struct idmap m = {0};

	(void)state;
	assert_null(idmap_get(&m, 5));
	idmap_remove(&m, 5);
	assert_true(idmap_put(&m, UINT64_MAX, &values[0]));
	assert_ptr_equal(idmap_get(&m, UINT64_MAX), &values[0]);
	assert_null(idmap_get(&m, 5));
	idmap_remove(&m, 5);
	assert_int_equal(m.n, 1);
	idmap_remove(&m, UINT64_MAX);
	idmap_remove(&m, UINT64_MAX);
	assert_int_equal(m.n, 0);
	idmap_fini(&m);
	assert_null(idmap_get(&m, 5));
	idmap_fini(&m);
}

/* A peak does not stay for ever, and a map that is emptied goes on working. */
static void test_shrinks(void **state)
{
	struct idmap m = {0};

	(void)state;
	for (uint64_t id = 1; id <= 10000; id++)
		assert_true(idmap_put(&m, id, values));
	assert_true(m.cap <= 32768);
	for (uint64_t id = 1; id <= 10000; id++)
		idmap_remove(&m, id);
	assert_int_equal(m.n, 0);
	assert_true(m.cap <= 64);
	idmap_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_an_array),
		cmocka_unit_test(test_runs_around_the_end),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_shrinks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
