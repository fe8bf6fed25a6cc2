#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "network/roster.h"

static struct claim_holder kicked;
static struct order *displaced;

static struct order *order_for(const char *name, uint64_t conn, uint16_t worker, uint8_t last_byte)
{
	struct order *o = order_new(ORDER_CLAIM, conn);

	assert_non_null(o);
	(void)snprintf(o->name, sizeof(o->name), "%s", name);
	o->worker = worker;
	o->addr = (struct addr){.kind = ADDR_IP4, .ip = {10, 0, 0, last_byte}};
	return o;
}

/* The claim stays the caller's unless it waits. */
static enum claim_verdict claim(struct roster *r, struct order *o, enum duplicate_names policy)
{
	kicked = (struct claim_holder){0};
	displaced = (struct order *)(uintptr_t)1;
	return roster_claim(r, o, policy, &kicked, &displaced);
}

static enum claim_verdict claim_once(struct roster *r, const char *name, uint64_t conn,
				     enum duplicate_names policy)
{
	struct order *o = order_for(name, conn, 1, 1);
	enum claim_verdict v = claim(r, o, policy);

	assert_null(displaced);
	if (v != CLAIM_WAITS)
		order_free(o);
	return v;
}

static struct order *leave(struct roster *r, const char *name, uint64_t conn)
{
	struct order *o = order_for(name, conn, 0, 0);
	struct order *next = roster_leave(r, o);

	order_free(o);
	return next;
}

static void test_names_without_case(void **state)
{
	struct roster *r = roster_new();

	(void)state;
	assert_int_equal(claim_once(r, "Notch", 1, DUPLICATE_REFUSE), CLAIM_GRANTED);
	assert_int_equal(claim_once(r, "notch", 2, DUPLICATE_REFUSE), CLAIM_REFUSED);
	assert_int_equal(claim_once(r, "NOTCH", 3, DUPLICATE_REFUSE), CLAIM_REFUSED);
	assert_int_equal(claim_once(r, "Notch2", 4, DUPLICATE_REFUSE), CLAIM_GRANTED);
	assert_int_equal(claim_once(r, "A234567890123456", 5, DUPLICATE_REFUSE), CLAIM_GRANTED);
	assert_int_equal(claim_once(r, "a234567890123456", 6, DUPLICATE_REFUSE), CLAIM_REFUSED);
	assert_int_equal(claim_once(r, "a23456789012345", 7, DUPLICATE_REFUSE), CLAIM_GRANTED);
	assert_int_equal(roster_count(r), 4);
	assert_null(leave(r, "NOTCH", 1));
	assert_int_equal(claim_once(r, "notch", 8, DUPLICATE_REFUSE), CLAIM_GRANTED);
	roster_free(r);
}

/* Who may take a name over: [policy][same address]. */
static void test_policies(void **state)
{
	static const struct {
		enum duplicate_names policy;
		uint8_t from;
		enum claim_verdict verdict;
	} rows[] = {
		{DUPLICATE_REFUSE, 1, CLAIM_REFUSED},
		{DUPLICATE_REFUSE, 2, CLAIM_REFUSED},
		{DUPLICATE_SAME_ADDRESS, 1, CLAIM_WAITS},
		{DUPLICATE_SAME_ADDRESS, 2, CLAIM_REFUSED},
		{DUPLICATE_KICK_OLD, 1, CLAIM_WAITS},
		{DUPLICATE_KICK_OLD, 2, CLAIM_WAITS},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct roster *r = roster_new();
		struct order *first = order_for("Steve", 7, 2, 1);
		struct order *second = order_for("steve", 8, 0, rows[i].from), *next;

		assert_int_equal(claim(r, first, rows[i].policy), CLAIM_GRANTED);
		order_free(first);
		assert_int_equal(claim(r, second, rows[i].policy), rows[i].verdict);
		assert_null(displaced);
		assert_int_equal(roster_count(r), 1);
		next = leave(r, "Steve", 7);
		if (rows[i].verdict == CLAIM_WAITS) {
			assert_int_equal(kicked.conn, 7);
			assert_int_equal(kicked.worker, 2);
			assert_ptr_equal(next, second);
			assert_int_equal(roster_count(r), 1);
			/* It holds the name now, with its own spelling. */
			const char *name = NULL;
			assert_int_equal(roster_sample(r, &name, 1), 1);
			assert_string_equal(name, "steve");
			assert_null(leave(r, "Steve", 7)); /* the old one says it twice */
			assert_int_equal(roster_count(r), 1);
			assert_null(leave(r, "Steve", 8));
		} else {
			assert_null(next);
		}
		assert_int_equal(roster_count(r), 0);
		order_free(second);
		roster_free(r);
	}
}

/* Three at once: the one that waited is displaced, the last waits, exactly one survives. */
static void test_displaced(void **state)
{
	struct roster *r = roster_new();
	struct order *a = order_for("Alex", 1, 0, 1), *b = order_for("Alex", 2, 1, 1);
	struct order *c = order_for("Alex", 3, 2, 1);

	(void)state;
	assert_int_equal(claim(r, a, DUPLICATE_KICK_OLD), CLAIM_GRANTED);
	assert_int_equal(claim(r, b, DUPLICATE_KICK_OLD), CLAIM_WAITS);
	assert_null(displaced);
	assert_int_equal(claim(r, c, DUPLICATE_KICK_OLD), CLAIM_WAITS);
	assert_ptr_equal(displaced, b);
	assert_int_equal(kicked.conn, 1); /* again: a kick may have been lost */
	/* The displaced one going away changes nothing. */
	assert_null(leave(r, "Alex", 2));
	assert_ptr_equal(leave(r, "Alex", 1), c);
	assert_int_equal(roster_count(r), 1);
	assert_null(leave(r, "Alex", 1));
	assert_null(leave(r, "Alex", 3));
	assert_int_equal(roster_count(r), 0);
	order_free(a);
	order_free(b);
	order_free(c);
	roster_free(r);
}

/* A granted claim whose session is gone is sent back as LEAVE: the name is free, or the next has
 * it. */
static void test_granted_and_gone(void **state)
{
	struct roster *r = roster_new();
	struct order *b = order_for("Alex", 2, 1, 1), *c = order_for("Alex", 3, 1, 1);

	(void)state;
	assert_int_equal(claim_once(r, "Alex", 1, DUPLICATE_KICK_OLD), CLAIM_GRANTED);
	assert_int_equal(claim(r, b, DUPLICATE_KICK_OLD), CLAIM_WAITS);
	assert_ptr_equal(leave(r, "Alex", 1), b);
	assert_int_equal(claim(r, c, DUPLICATE_KICK_OLD), CLAIM_WAITS);
	assert_int_equal(kicked.conn, 2);
	assert_ptr_equal(roster_leave(r, b), c);
	assert_null(roster_leave(r, b));
	assert_null(roster_leave(r, c));
	assert_int_equal(roster_count(r), 0);
	order_free(b);
	order_free(c);
	roster_free(r);
}

static void test_moved(void **state)
{
	struct roster *r = roster_new();
	struct order *here = order_for("alex", 1, 5, 1), *other = order_for("Alex", 9, 6, 1);
	struct order *late = order_for("Alex", 2, 0, 1);

	(void)state;
	assert_int_equal(claim_once(r, "Alex", 1, DUPLICATE_KICK_OLD), CLAIM_GRANTED);
	roster_moved(r, here);
	roster_moved(r, other); /* not the holder */
	assert_int_equal(claim(r, late, DUPLICATE_KICK_OLD), CLAIM_WAITS);
	assert_int_equal(kicked.worker, 5);
	order_free(here);
	order_free(other);
	roster_free(r); /* and with it the claim that waits */
}

static void test_sample(void **state)
{
	struct roster *r = roster_new();
	const char *names[12];
	char name[17];

	(void)state;
	assert_int_equal(roster_sample(r, names, 12), 0);
	for (unsigned i = 0; i < 20; i++) {
		(void)snprintf(name, sizeof(name), "Player%u", i);
		assert_int_equal(claim_once(r, name, i + 1, DUPLICATE_REFUSE), CLAIM_GRANTED);
	}
	assert_int_equal(roster_sample(r, names, 12), 12);
	assert_string_equal(names[0], "Player19");
	assert_string_equal(names[11], "Player8");
	assert_null(leave(r, "player19", 20));
	assert_int_equal(roster_sample(r, names, 2), 2);
	assert_string_equal(names[0], "Player18");
	assert_int_equal(roster_sample(r, names, 0), 0);
	roster_free(r);
	roster_free(NULL);
}

/* Ten thousand names in and out. */
static void test_many(void **state)
{
	struct roster *r = roster_new();
	char name[17];

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		(void)snprintf(name, sizeof(name), "p_%u", i);
		assert_int_equal(claim_once(r, name, i + 1, DUPLICATE_REFUSE), CLAIM_GRANTED);
	}
	assert_int_equal(roster_count(r), 10000);
	for (unsigned i = 0; i < 10000; i++) {
		(void)snprintf(name, sizeof(name), "P_%u", i);
		assert_null(leave(r, name, i + 1));
	}
	assert_int_equal(roster_count(r), 0);
	roster_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_without_case),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_displaced),
		cmocka_unit_test(test_granted_and_gone),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
