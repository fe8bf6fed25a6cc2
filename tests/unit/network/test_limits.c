#include <pthread.h>
#include <stdatomic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "network/limits.h"
#include "base/clock.h"
#include "base/dice.h"
#include "network/config_of.h"

enum { THREADS = 4 };

static const char yaml[] = "limits:\n  perAddress: 3\n  newPerSecond: 2\n  burst: 5\n"
			   "  prefixFactor: 4\n  exempt: [203.0.113.0/24]\n";

struct rig {
	struct limits *l;
	struct settings *s;
	uint64_t now_us;
};

static void begin(struct rig *r)
{
	*r = (struct rig){.l = limits_new(), .s = config_of(yaml), .now_us = 1000 * US_PER_S};
	assert_non_null(r->l);
}

static void finish(struct rig *r)
{
	assert_int_equal(limits_connections(r->l), 0);
	assert_int_equal(limits_entries(r->l), 0);
	limits_free(r->l);
	settings_unref(r->s);
}

static struct addr ip(const char *text)
{
	struct addr a;

	assert_true(addr_parse_ip(slice_str(text), &a));
	return a;
}

static enum limit_verdict admit(struct rig *r, const char *text)
{
	struct addr a = ip(text);
	bool counted = true;
	enum limit_verdict v = limits_admit(r->l, r->s, &a, r->now_us, &counted);

	assert_int_equal(counted, v == LIMIT_OK);
	return v;
}

static void release(struct rig *r, const char *text)
{
	struct addr a = ip(text);

	limits_release(r->l, &a);
}

static void test_max_connections(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	for (unsigned i = 0; i < 10; i++)
		assert_true(limits_enter(r.l, 10));
	for (unsigned i = 0; i < 3; i++)
		assert_false(limits_enter(r.l, 10));
	assert_int_equal(limits_connections(r.l), 10);
	limits_leave(r.l);
	assert_true(limits_enter(r.l, 10));
	for (unsigned i = 0; i < 10; i++)
		limits_leave(r.l);
	finish(&r);
}

static void test_per_address(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_OK);
	assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_ADDRESS);
	assert_int_equal(admit(&r, "192.0.2.2"), LIMIT_OK); /* the neighbour is free */
	release(&r, "192.0.2.1");
	assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_OK);
	assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_ADDRESS);
	assert_int_equal(limits_entries(r.l), 3); /* two addresses and their /24 */
	for (unsigned i = 0; i < 3; i++)
		release(&r, "192.0.2.1");
	release(&r, "192.0.2.2");
	finish(&r);
}

/* Four times as many for a /24 or /64; a refusal by the prefix takes nothing from the address. */
static void prefix_fills(const char *start, const char *outside)
{
	char text[64];
	struct rig r;

	begin(&r);
	for (unsigned i = 0; i < 12; i++) {
		(void)snprintf(text, sizeof(text), "%s%u", start, i / 3 + 1);
		assert_int_equal(admit(&r, text), LIMIT_OK);
	}
	(void)snprintf(text, sizeof(text), "%s%u", start, 9);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(admit(&r, text), LIMIT_ADDRESS);
	assert_int_equal(admit(&r, outside), LIMIT_OK);
	release(&r, outside);
	(void)snprintf(text, sizeof(text), "%s%u", start, 1);
	release(&r, text);
	(void)snprintf(text, sizeof(text), "%s%u", start, 9);
	r.now_us += 10 * US_PER_S;
	assert_int_equal(admit(&r, text), LIMIT_OK);
	release(&r, text);
	for (unsigned i = 1; i < 12; i++) {
		(void)snprintf(text, sizeof(text), "%s%u", start, i / 3 + 1);
		release(&r, text);
	}
	finish(&r);
}

static void test_prefix(void **state)
{
	(void)state;
	prefix_fills("198.51.100.", "198.51.101.1");
	prefix_fills("2001:db8:1:2::", "2001:db8:1:3::1");
}

static void test_rate(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_OK);
		release(&r, "192.0.2.1");
	}
	assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_RATE);
	r.now_us += 499 * US_PER_MS;
	assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_RATE);
	r.now_us += 2 * US_PER_MS; /* two a second: one by now */
	assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_OK);
	assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_RATE);
	release(&r, "192.0.2.1");
	/* Time that goes backwards gives nothing and takes nothing. */
	r.now_us -= 100 * US_PER_S;
	assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_RATE);
	r.now_us += 3700 * (uint64_t)US_PER_S;
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_OK);
		release(&r, "192.0.2.1");
	}
	assert_int_equal(admit(&r, "192.0.2.1"), LIMIT_RATE);
	finish(&r);
}

static void test_rate_of_prefix(void **state)
{
	char text[32];
	unsigned ok = 0;
	struct rig r;

	(void)state;
	begin(&r);
	for (unsigned i = 1; i <= 40; i++) {
		(void)snprintf(text, sizeof(text), "192.0.2.%u", i);
		if (admit(&r, text) == LIMIT_OK) {
			release(&r, text);
			ok++;
		}
	}
	assert_int_equal(ok, 20); /* burst 5, four times */
	finish(&r);
}

static void test_not_counted(void **state)
{
	struct addr exempt = ip("203.0.113.9"), local = {.kind = ADDR_UNIX}, none = {0};
	struct rig r;

	(void)state;
	begin(&r);
	for (unsigned i = 0; i < 100; i++) {
		bool counted = true;

		assert_int_equal(limits_admit(r.l, r.s, &exempt, r.now_us, &counted), LIMIT_OK);
		assert_false(counted);
		counted = true;
		assert_int_equal(limits_admit(r.l, r.s, &local, r.now_us, &counted), LIMIT_OK);
		assert_false(counted);
		counted = true;
		assert_int_equal(limits_admit(r.l, r.s, &none, r.now_us, &counted), LIMIT_OK);
		assert_false(counted);
	}
	release(&r, "192.0.2.99"); /* never admitted: harmless */
	finish(&r);
}

/* Case 22: a scan of many addresses leaves nothing behind once a minute has passed. */
static void test_swept(void **state)
{
	char text[32];
	struct rig r;

	(void)state;
	begin(&r);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 20000; i++) {
			(void)snprintf(text, sizeof(text), "10.%u.%u.7", i >> 8, i & 255);
			assert_int_equal(admit(&r, text), LIMIT_OK);
			release(&r, text);
		}
		r.now_us += 3600 * (uint64_t)US_PER_S;
	}
	finish(&r);
}

struct worker {
	struct rig *rig;
	uint64_t seed;
	unsigned admitted, most;
	_Atomic unsigned *now;
};

/* Takes and gives back at random: never more at once than allowed, by a count of its own. */
static void *work(void *arg)
{
	struct worker *w = arg;
	struct addr a = {.kind = ADDR_IP4, .ip = {192, 0, 2, 1}};
	unsigned held = 0;

	for (unsigned i = 0; i < 4000; i++) {
		bool counted;

		if (held > 0 && dice(&w->seed, 2) == 0) {
			atomic_fetch_sub(w->now, 1);
			limits_release(w->rig->l, &a);
			limits_leave(w->rig->l);
			held--;
			continue;
		}
		if (!limits_enter(w->rig->l, 1000))
			continue;
		if (limits_admit(w->rig->l, w->rig->s, &a, w->rig->now_us + i * (uint64_t)US_PER_S,
				 &counted) == LIMIT_OK) {
			unsigned n = atomic_fetch_add(w->now, 1) + 1;

			w->most = n > w->most ? n : w->most;
			w->admitted++;
			held++;
		} else {
			limits_leave(w->rig->l);
		}
	}
	while (held-- > 0) {
		atomic_fetch_sub(w->now, 1);
		limits_release(w->rig->l, &a);
		limits_leave(w->rig->l);
	}
	return NULL;
}

static void test_four_threads(void **state)
{
	struct worker w[THREADS];
	pthread_t t[THREADS];
	_Atomic unsigned now = 0;
	unsigned admitted = 0;
	struct rig r;

	(void)state;
	begin(&r);
	for (unsigned i = 0; i < THREADS; i++) {
		w[i] = (struct worker){.rig = &r, .seed = i + 1, .now = &now};
		assert_int_equal(pthread_create(&t[i], NULL, work, &w[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		admitted += w[i].admitted;
		assert_true(w[i].most <= 3);
	}
	/* Not of each: all places may be held by threads that do not run just now. */
	assert_true(admitted > 0);
	assert_int_equal(atomic_load(&now), 0);
	finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_max_connections), cmocka_unit_test(test_per_address),
		cmocka_unit_test(test_prefix),          cmocka_unit_test(test_rate),
		cmocka_unit_test(test_rate_of_prefix),  cmocka_unit_test(test_not_counted),
		cmocka_unit_test(test_swept),           cmocka_unit_test(test_four_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
