/* The times that players feel: keep-alives, idleness, logins that never end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "kit/sim_cast.h"

static struct sim_cast c;

#define ONE_SERVER "backends: [{name: one, address: \"10.0.0.1:25565\"}]\n"

static struct sim_options calm(uint64_t seed)
{
	return (struct sim_options){.seed = seed, .jitter_us = 500, .wake_delay_us = 500};
}

static void open_with(uint64_t seed, const char *yaml)
{
	struct sim_options o = calm(seed);

	sim_cast_open(&c, &o, yaml);
}

/* From 1 s after Login Success on, every 5 s; the first second is checked by the player. */
static void test_keep_alives_in_hold(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(4); seed++) {
		struct sim_player *p;

		open_with(seed, ONE_SERVER);
		p = sim_cast_player(&c, (struct sim_player){.websocket = seed & 1});
		stage_run_for(c.st, 1000 * US_PER_MS);
		assert_int_equal(p->ours, 0);
		stage_run_for(c.st, 200 * US_PER_MS);
		assert_int_equal(p->ours, 1);
		stage_run_for(c.st, 60 * US_PER_S);
		assert_int_equal(p->ours, 13);
		assert_true(p->silence_us < 5100 * US_PER_MS);
		(void)sim_cast_close(&c);
	}
}

/* Case 4: a server that needs up to 40 s before its Join Game. The player checks the rest. */
static void test_keep_alives_before_a_slow_join(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(10); seed++) {
		struct sim_player *p;

		open_with(seed, ONE_SERVER);
		(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565",
								.trick_per_mille = 1000,
								.tricks = 1 << TRICK_SLOW});
		p = sim_cast_player(&c, (struct sim_player){.websocket = seed & 1});
		stage_run_for(c.st, 45 * US_PER_S);
		assert_true(p->serial != 0 && !p->gone);
		assert_true(p->silence_us < 5100 * US_PER_MS);
		(void)sim_cast_close(&c);
	}
}

/* A kick within the first second waits until it is over. */
static void test_a_kick_waits_for_the_first_second(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(4); seed++) {
		struct sim_player *p;

		open_with(seed, ONE_SERVER);
		(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565",
								.trick_per_mille = 1000,
								.tricks = 1 << TRICK_KICK_LOGIN});
		p = sim_cast_player(&c, (struct sim_player){.websocket = seed & 1});
		stage_run_for(c.st, 900 * US_PER_MS);
		assert_true(p->success && !p->told);
		stage_run_for(c.st, 300 * US_PER_MS);
		assert_string_equal(p->text, "kicked by the backend");
		(void)sim_cast_close(&c);
	}
}

static void test_idle_in_play_and_hold(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(4); seed++) {
		struct sim_player *p, *good;

		open_with(seed, ONE_SERVER);
		if (seed & 1)
			(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565"});
		p = sim_cast_player(&c, (struct sim_player){.vice = VICE_MUTE});
		good = sim_cast_player(&c, (struct sim_player){0});
		stage_run_for(c.st, 29 * US_PER_S);
		assert_true(!p->gone);
		stage_run_for(c.st, 3 * US_PER_S);
		assert_true(p->gone && strstr(p->text, "Nothing was heard") != NULL);
		assert_true(!good->gone);
		(void)sim_cast_close(&c);
	}
}

/* Case 22 and the budgets: first byte 5 s, login 15 s. */
static void test_logins_that_never_end(void **state)
{
	struct sim_player *silent, *drip, *half;

	(void)state;
	open_with(1, ONE_SERVER);
	silent = sim_cast_player(&c, (struct sim_player){.vice = VICE_SILENT});
	drip = sim_cast_player(&c, (struct sim_player){.vice = VICE_DRIP});
	half = sim_cast_player(&c, (struct sim_player){.vice = VICE_HALF, .websocket = true});
	stage_run_for(c.st, 4900 * US_PER_MS);
	assert_true(!silent->gone);
	stage_run_for(c.st, 200 * US_PER_MS);
	assert_true(silent->gone && !drip->gone && !half->gone);
	stage_run_for(c.st, 9800 * US_PER_MS);
	assert_true(!drip->gone && !half->gone);
	stage_run_for(c.st, 300 * US_PER_MS);
	assert_true(drip->gone && half->gone);
	(void)sim_cast_close(&c);
}

/* Case 38: ours is never silent for 60 s, and a player who only reads lives on pings. */
static void test_websocket_pings(void **state)
{
	struct sim_player *p;

	(void)state;
	open_with(1, ONE_SERVER "timeouts: {idle: off}\n");
	(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565",
							.beat_us = 3600ull * US_PER_S});
	p = sim_cast_player(&c, (struct sim_player){.websocket = true, .vice = VICE_MUTE});
	p->excused = true;
	stage_run_for(c.st, 10 * US_PER_S);
	uint64_t before = p->actor.read_total;
	stage_run_for(c.st, 30 * US_PER_S);
	assert_true(p->actor.read_total > before && !p->gone);
	stage_run_for(c.st, 120 * US_PER_S);
	assert_true(!p->gone);
	(void)sim_cast_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keep_alives_in_hold),
		cmocka_unit_test(test_keep_alives_before_a_slow_join),
		cmocka_unit_test(test_a_kick_waits_for_the_first_second),
		cmocka_unit_test(test_idle_in_play_and_hold),
		cmocka_unit_test(test_logins_that_never_end),
		cmocka_unit_test(test_websocket_pings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
