/*
 * Many players at once, good and bad, over servers that are good and bad, in worlds that are slow,
 * cut everything into pieces, lose their CPU and break connections. What is checked:
 * kit/sim_stage.h and kit/sim_player.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "kit/sim_cast.h"

enum { PLAYERS = 40, BACKENDS = 3, STORM_US = 8 * US_PER_S };

static const char config[] = "duplicateNames: kickOld\n"
			     "backends:\n"
			     "  - {name: one, address: \"10.0.0.1:25565\"}\n"
			     "  - {name: two, address: \"10.0.0.2:25565\"}\n"
			     "  - {name: mods, address: \"10.0.0.3:25565\"}\n"
			     "initialRouting:\n"
			     "  servers: [one, two]\n"
			     "timeouts: {firstPlay: 50s}\n";

static struct sim_cast c;

static void open_backends(unsigned trick_per_mille)
{
	static const char *const at[BACKENDS] = {"10.0.0.1:25565", "10.0.0.2:25565",
						 "10.0.0.3:25565"};

	for (unsigned i = 0; i < BACKENDS; i++)
		(void)sim_cast_backend(&c,
				       (struct sim_backend){.at = at[i],
							    .forge = i == 1 && trick_per_mille > 0,
							    .trick_per_mille = trick_per_mille});
}

static void start_player(bool vices, bool excused)
{
	struct sim_world *w = c.st->world;
	struct sim_player p = {
		.websocket = sim_dice(w, 2),
		.forge = sim_dice(w, 3) == 0,
		.old_protocol = sim_dice(w, 3) == 0,
		.vice = vices && sim_dice(w, 2) ? (enum sim_vice)sim_dice(w, VICE_COUNT)
						: VICE_NONE,
		.arrive_us = sim_dice(w, STORM_US),
		.stays_us = sim_dice(w, STORM_US),
		.excused = excused,
	};

	if (p.vice != VICE_LEAVES)
		p.stays_us += 3 * STORM_US;
	(void)sim_cast_player(&c, p);
}

/* Servers come and go. */
static void trouble(void *arg)
{
	struct sim_world *w = c.st->world;
	struct sim_backend *b = &c.backends[sim_dice(w, BACKENDS)];

	(void)arg;
	sim_set_fate(w, b->at, sim_dice(w, 2) ? SIM_SILENCE : SIM_REFUSE);
	if (sim_dice(w, 2))
		sim_backend_close(b);
	else
		sim_backend_open(b);
	if (sim_now_us(w) < STORM_US)
		sim_at(w, sim_now_us(w) + sim_dice(w, US_PER_S), trouble, NULL);
}

static uint64_t storm(const struct sim_options *o, bool bad)
{
	sim_cast_open(&c, o, config);
	open_backends(bad ? 400 : 0);
	for (unsigned i = 0; i < PLAYERS; i++)
		start_player(bad, o->reset_per_mille > 0);
	if (bad)
		sim_at(c.st->world, US_PER_S, trouble, NULL);
	stage_run_for(c.st, 4 * STORM_US);
	for (unsigned i = 0; i < PLAYERS && !bad; i++)
		assert_true(c.players[i].serial != 0);
	return sim_cast_close(&c);
}

static void test_good_players_in_a_good_world(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(2); seed++)
		(void)storm(&(struct sim_options){.seed = seed}, false);
}

static void test_good_players_in_a_rough_world(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(2); seed++) {
		struct sim_options o = sim_rough(seed);

		(void)storm(&o, false);
	}
}

static void test_bad_players_and_servers(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(12); seed++) {
		struct sim_options o = sim_rough(seed);

		(void)storm(&o, true);
	}
}

static void test_everything_breaks(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(6); seed++) {
		struct sim_options o = sim_rough(seed);

		o.reset_per_mille = 2;
		(void)storm(&o, true);
	}
}

static void test_same_seed_same_trace(void **state)
{
	struct sim_options o = sim_rough(7);
	uint64_t first;

	(void)state;
	o.reset_per_mille = 1;
	first = storm(&o, true);
	assert_true(first == storm(&o, true));
	o.seed = 8;
	assert_true(first != storm(&o, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_players_in_a_good_world),
		cmocka_unit_test(test_good_players_in_a_rough_world),
		cmocka_unit_test(test_bad_players_and_servers),
		cmocka_unit_test(test_everything_breaks),
		cmocka_unit_test(test_same_seed_same_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
