/* The name server is the test, and so is the clock: what is asked when, and what is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "network/resolver.h"
#include "base/clock.h"
#include "network/config_of.h"
#include "sim/world/sim_world.h"

static const char yaml[] = "backends:\n"
			   "  - {name: literal, address: '10.0.0.7:1234'}\n"
			   "  - {name: named, address: 'a.example.org:25565'}\n"
			   "  - {name: other, address: 'b.example.org:25565'}\n";

enum { ASKED_MAX = 64 };

static struct sim_world *world;
static struct loop *loop;
static struct settings *settings;
static struct resolver *resolver;
static unsigned changes, answers;
static const char *last_error;

/* The name server: what it was asked about a.example.org, and what it says. */
static uint64_t asked_us[ASKED_MAX];
static unsigned asked;
static struct dns_answer answer;
static bool answers_at_once, is_silent;
static struct dns_query *waiting;

struct dns *__wrap_dns_new(struct loop *l, const char *servers);
void __wrap_dns_ask(struct dns *d, struct dns_query *q, const char *name);
void __wrap_dns_free(struct dns *d);

struct dns *__wrap_dns_new(struct loop *l, const char *servers)
{
	(void)l;
	assert_null(servers);
	return (struct dns *)(uintptr_t)0x10;
}

void __wrap_dns_ask(struct dns *d, struct dns_query *q, const char *name)
{
	assert_non_null(d);
	assert_false(q->running);
	q->running = true;
	if (strcmp(name, "a.example.org") != 0)
		return; /* the other one never gets an answer, and nobody waits for it */
	assert_true(asked < ASKED_MAX);
	asked_us[asked++] = sim_now_us(world);
	waiting = q;
	if (answers_at_once && !is_silent) {
		q->running = false;
		q->on_answer(q, &answer);
	}
}

void __wrap_dns_free(struct dns *d)
{
	(void)d;
}

static void reply(void)
{
	waiting->running = false;
	waiting->on_answer(waiting, &answer);
}

static void on_change(void *arg)
{
	assert_ptr_equal(arg, &changes);
	changes++;
}

static void on_answer(void *arg, const char *backend, const char *error)
{
	assert_ptr_equal(arg, &changes);
	assert_string_equal(backend, "named");
	answers++;
	last_error = error;
}

static struct dns_answer good(uint8_t last, uint32_t ttl_s)
{
	return (struct dns_answer){
		.addrs = {{.kind = ADDR_IP4, .ip = {10, 0, 0, last}}}, .n = 1, .ttl_s = ttl_s};
}

static void begin(struct dns_answer first)
{
	struct sim_options o = {.seed = 1};
	const struct resolver_hooks hooks = {on_change, on_answer, &changes};

	world = sim_world_new(&o);
	loop = loop_new(sim_world_sys(world, 0));
	assert_int_equal(loop_turn(loop, 0), 0);
	settings = config_of(yaml);
	changes = answers = asked = 0;
	last_error = NULL;
	answers_at_once = true;
	is_silent = false;
	answer = first;
	resolver = resolver_new(loop, settings, &hooks);
	assert_non_null(resolver);
}

static void finish(void)
{
	resolver_free(resolver);
	resolver_free(NULL);
	assert_int_equal(settings->refs, 1);
	settings_unref(settings);
	(void)sim_run(world, &loop, sim_now_us(world) + 1000ull * US_PER_S, NULL, NULL);
	loop_free(loop);
	assert_int_equal(sim_world_free(world), 0);
}

static void run_s(uint64_t s)
{
	(void)sim_run(world, &loop, sim_now_us(world) + s * US_PER_S, NULL, NULL);
}

/* The last byte of the backend's address in the catalog; 0: none. */
static unsigned known(void)
{
	struct catalog *c = resolver_catalog(resolver);
	struct backend *b = catalog_find(c, "named");
	unsigned last = b->addr_n > 0 ? b->addrs[0].ip[3] : 0;

	assert_true(b->addr_n == 0 || b->addrs[0].port == 25565);
	assert_int_equal(catalog_find(c, "literal")->addr_n, 1);
	assert_int_equal(catalog_find(c, "other")->addr_n, 0);
	catalog_unref(c);
	return last;
}

/* Whole seconds between two questions; timers are late by a tick at most. */
static void expect_gap(unsigned i, uint64_t s)
{
	assert_in_range(asked_us[i + 1] - asked_us[i], s * US_PER_S, s * US_PER_S + 20000);
}

static void expect_asked_every(uint32_t ttl_s, uint64_t s)
{
	begin(good(1, ttl_s));
	assert_int_equal(known(), 1);
	run_s(3 * s + s / 2);
	assert_int_equal(asked, 4);
	for (unsigned i = 0; i < 3; i++)
		expect_gap(i, s);
	/* The same answer is no news. */
	assert_int_equal(changes, 1);
	assert_int_equal(answers, 1);
	finish();
}

static void test_time_to_live(void **state)
{
	(void)state;
	expect_asked_every(20, 20);
	expect_asked_every(0, RESOLVE_TTL_MIN_S);
	expect_asked_every(1, RESOLVE_TTL_MIN_S);
	expect_asked_every(86400, RESOLVE_TTL_MAX_S);
	expect_asked_every(UINT32_MAX, RESOLVE_TTL_MAX_S);
}

static void test_new_address(void **state)
{
	struct catalog *before;

	(void)state;
	begin(good(1, 10));
	before = resolver_catalog(resolver);
	answer = good(2, 10);
	run_s(11);
	assert_int_equal(known(), 2);
	assert_int_equal(changes, 2);
	assert_null(last_error);
	/* Who has the old catalog sees the old address still. */
	assert_int_equal(catalog_find(before, "named")->addrs[0].ip[3], 1);
	catalog_unref(before);
	finish();
}

/* 2, 4, 8 ... 60 s; told once; and from the beginning after a good answer. */
static void test_back_off(void **state)
{
	static const uint64_t gaps[] = {2, 4, 8, 16, 32, 60, 60};

	(void)state;
	begin((struct dns_answer){.error = "no such name"});
	run_s(2 + 4 + 8 + 16 + 32 + 60 + 60 + 1);
	assert_int_equal(asked, 8);
	for (unsigned i = 0; i < COUNT_OF(gaps); i++)
		expect_gap(i, gaps[i]);
	assert_int_equal(answers, 1);
	assert_string_equal(last_error, "no such name");
	assert_int_equal(known(), 0);
	answer = good(1, 10);
	run_s(60);
	assert_int_equal(known(), 1);
	assert_null(last_error);
	answer = (struct dns_answer){.error = "no such name"};
	run_s(11);
	unsigned first_error = asked - 1;

	run_s(7);
	expect_gap(first_error, 2);
	expect_gap(first_error + 1, 4);
	finish();
}

/* An error does not take a good address away; another address does. */
static void test_old_address_survives_an_error(void **state)
{
	(void)state;
	begin(good(1, 10));
	answer = (struct dns_answer){.error = "no name server answers"};
	run_s(100);
	assert_int_equal(known(), 1);
	assert_int_equal(changes, 1);
	answer = good(3, 10);
	run_s(61);
	assert_int_equal(known(), 3);
	assert_int_equal(changes, 2);
	finish();
}

/* An answer that takes 15 s: one question at a time, the others are not held up. */
static void test_slow_answer(void **state)
{
	(void)state;
	begin(good(1, 10));
	is_silent = true;
	run_s(300);
	assert_int_equal(asked, 2);
	assert_int_equal(known(), 1);
	is_silent = false;
	answer = good(4, 10);
	reply();
	assert_int_equal(known(), 4);
	run_s(11);
	assert_int_equal(asked, 3);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_to_live),
		cmocka_unit_test(test_new_address),
		cmocka_unit_test(test_back_off),
		cmocka_unit_test(test_old_address_survives_an_error),
		cmocka_unit_test(test_slow_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
