/* SIGTERM: everybody reads the goodbye, whatever they are at, and the workers are done within the
 * drain's time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "kit/sim_cast.h"

static struct sim_cast c;

static const char config[] = "backends:\n"
			     "  - {name: one, address: \"10.0.0.1:25565\"}\n"
			     "  - {name: hole, address: \"10.0.0.9:25565\"}\n"
			     "initialRouting:\n"
			     "  servers: [one]\n"
			     "  forcedHosts: {play.example.org: [hole, one]}\n"
			     "timeouts: {dial: 1s}\n";

enum { PLAYERS = 30, DRAIN_US = 5 * US_PER_S };

static bool all_finished(struct stage *st)
{
	return hub_is_drained(st->hub) && stage_is_quiet(st);
}

static void drain_among(uint64_t seed, bool vices)
{
	struct sim_options o = sim_rough(seed);
	struct sim_world *w;
	uint64_t began_us;

	sim_cast_open(&c, &o, config);
	w = c.st->world;
	sim_set_fate(w, "10.0.0.9:25565", SIM_SILENCE);
	(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565"});
	for (unsigned i = 0; i < PLAYERS; i++)
		(void)sim_cast_player(
			&c,
			(struct sim_player){.websocket = sim_dice(w, 2),
					    .vice = vices ? (enum sim_vice)sim_dice(w, VICE_COUNT)
							  : VICE_NONE,
					    .arrive_us = sim_dice(w, 4 * US_PER_S)});
	stage_run_for(c.st, US_PER_S + sim_dice(w, 5 * US_PER_S));
	began_us = sim_now_us(w);
	stage_drain(c.st);
	stage_run_until(c.st, all_finished, 2 * DRAIN_US, "everybody has gone");
	/* Closing links get 5 s of their own, from the last word on. */
	assert_in_range(sim_now_us(w) - began_us, 0, DRAIN_US + 100 * US_PER_MS);
	stage_run_for(c.st, US_PER_S);
	for (unsigned i = 0; i < c.player_n; i++) {
		const struct sim_player *p = &c.players[i];

		if (p->success && p->vice == VICE_NONE)
			assert_true(strstr(p->text, "shutting down") != NULL);
	}
	(void)sim_cast_close(&c);
}

static void test_everybody_reads_the_goodbye(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(15); seed++)
		drain_among(seed, false);
}

static void test_bad_players_do_not_delay_it(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(15); seed++)
		drain_among(seed, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everybody_reads_the_goodbye),
		cmocka_unit_test(test_bad_players_do_not_delay_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
