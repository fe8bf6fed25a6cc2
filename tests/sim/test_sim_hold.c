/* No server is free: players wait in our own world and join when one comes, vanilla and Forge,
 * each in the order that its client needs (kit/sim_player.c is that client). And the order in which
 * the servers of a route are tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "kit/sim_cast.h"

static struct sim_cast c;

static const char one_server[] = "backends: [{name: one, address: \"10.0.0.1:25565\"}]\n";
static const char reset_first[] = "backends: [{name: one, address: \"10.0.0.1:25565\"}]\n"
				  "forge: {order: resetFirst}\n";

static bool all_play(struct stage *st)
{
	(void)st;
	for (unsigned i = 0; i < c.player_n; i++) {
		if (c.players[i].serial == 0)
			return false;
	}
	return true;
}

struct wait_case {
	const char *config;
	int8_t dimension;
	bool forge_server, forge_player, closed;
};

static void wait_and_join(uint64_t seed, const struct wait_case *k)
{
	struct sim_options o = sim_rough(seed);
	struct sim_backend *b;
	uint64_t waited_us;

	sim_cast_open(&c, &o, k->config);
	b = sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565",
						      .forge = k->forge_server,
						      .dimension = k->dimension});
	sim_backend_close(b);
	for (unsigned i = 0; i < 4; i++)
		(void)sim_cast_player(&c,
				      (struct sim_player){.websocket = i & 1,
							  .forge = k->forge_player,
							  .old_protocol = i & 2 && !k->forge_server,
							  .big_bytes = 6000,
							  .beat_us = 20 * US_PER_MS});
	waited_us = 3 * US_PER_S + sim_dice(c.st->world, 40 * US_PER_S);
	stage_run_for(c.st, waited_us);
	for (unsigned i = 0; i < c.player_n; i++)
		assert_true(c.players[i].held == 1 && !c.players[i].gone);
	sim_backend_open(b);
	stage_run_until(c.st, all_play, 25 * US_PER_S, "the waiting join the server that came");
	stage_run_for(c.st, 10 * US_PER_S);
	for (unsigned i = 0; i < c.player_n; i++) {
		const struct sim_player *p = &c.players[i];

		assert_true(p->sent.len > 1000 && p->got.len > 1000);
		assert_int_equal(p->dimension, k->dimension);
		assert_true(p->was_reset == k->forge_server);
		if (!k->forge_player)
			assert_int_equal(p->respawns, 1);
	}
	(void)sim_cast_close(&c);
}

static void test_vanilla_joins_out_of_hold(void **state)
{
	static const int8_t dimensions[] = {0, -1, 1, 7};

	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(12); seed++)
		wait_and_join(seed, &(struct wait_case){one_server, dimensions[seed % 4], false,
							false, true});
}

static void test_forge_joins_out_of_hold(void **state)
{
	static const int8_t dimensions[] = {0, -1, 1, 7, -106};

	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(15); seed++)
		wait_and_join(seed, &(struct wait_case){one_server, dimensions[seed % 5], true,
							true, true});
}

static void test_forge_joins_a_vanilla_server_out_of_hold(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(6); seed++)
		wait_and_join(seed, &(struct wait_case){one_server, (int8_t)(seed % 3) - 1, false,
							true, true});
}

static void test_reset_first(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(6); seed++)
		wait_and_join(seed, &(struct wait_case){reset_first, (int8_t)(seed % 3) - 1, false,
							true, true});
}

/* A vanilla player who waits is told why, and goes on waiting. */
static void test_vanilla_waits_beside_a_forge_server(void **state)
{
	struct sim_options o = sim_rough(1);

	(void)state;
	sim_cast_open(&c, &o, one_server);
	struct sim_backend *b =
		sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565", .forge = true});
	sim_backend_close(b);
	struct sim_player *p = sim_cast_player(&c, (struct sim_player){0});
	stage_run_for(c.st, 3 * US_PER_S);
	sim_backend_open(b);
	stage_run_for(c.st, 30 * US_PER_S);
	assert_true(p->held == 1 && !p->gone && p->serial == 0);
	(void)sim_cast_close(&c);
}

/* Forge of 1.7.2 knows no reset, and in HOLD a client is done: it cannot join a Forge server. */
static void test_forge_of_1_7_2_waits_beside_a_forge_server(void **state)
{
	struct sim_options o = sim_rough(2);

	(void)state;
	sim_cast_open(&c, &o, one_server);
	struct sim_backend *b =
		sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565", .forge = true});
	sim_backend_close(b);
	struct sim_player *p =
		sim_cast_player(&c, (struct sim_player){.forge = true, .old_protocol = true});
	stage_run_for(c.st, 3 * US_PER_S);
	sim_backend_open(b);
	stage_run_for(c.st, 30 * US_PER_S);
	assert_true(p->held == 1 && !p->gone && p->serial == 0);
	assert_true(b->n > 0);
	(void)sim_cast_close(&c);
}

/* Case 29: the first server of the list is a black hole. */
static void test_route_falls_back_from_a_black_hole(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(5); seed++) {
		struct sim_options o = sim_rough(seed);
		struct sim_player *p;

		sim_cast_open(&c, &o,
			      "backends:\n"
			      "  - {name: hole, address: \"10.0.0.9:25565\"}\n"
			      "  - {name: shut, address: \"10.0.0.8:25565\"}\n"
			      "  - {name: one, address: \"10.0.0.1:25565\"}\n");
		sim_set_fate(c.st->world, "10.0.0.9:25565", SIM_SILENCE);
		(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565"});
		p = sim_cast_player(&c, (struct sim_player){.websocket = seed & 1});
		stage_run_until(c.st, all_play, 5500 * US_PER_MS, "the join behind a black hole");
		assert_true(p->held == 0);
		(void)sim_cast_close(&c);
	}
}

static void test_disconnect_when_no_server(void **state)
{
	struct sim_options o = sim_rough(3);
	struct sim_player *p;

	(void)state;
	sim_cast_open(&c, &o,
		      "backends: [{name: one, address: \"10.0.0.1:25565\"}]\n"
		      "initialRouting: {whenNoServer: disconnect}\n");
	p = sim_cast_player(&c, (struct sim_player){0});
	stage_run_for(c.st, 5 * US_PER_S);
	assert_true(p->gone && strstr(p->text, "cannot be reached") != NULL);
	(void)sim_cast_close(&c);
}

/* Only before the first Minecraft byte is another server tried. */
static void test_a_refusal_is_no_reason_to_try_the_next(void **state)
{
	struct sim_options o = sim_rough(4);
	struct sim_player *p;

	(void)state;
	sim_cast_open(&c, &o,
		      "backends:\n"
		      "  - {name: one, address: \"10.0.0.1:25565\"}\n"
		      "  - {name: two, address: \"10.0.0.2:25565\"}\n");
	(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565",
							.trick_per_mille = 1000,
							.tricks = 1 << TRICK_KICK_LOGIN});
	(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.2:25565"});
	p = sim_cast_player(&c, (struct sim_player){0});
	stage_run_for(c.st, 5 * US_PER_S);
	assert_true(p->gone && strcmp(p->text, "kicked by the backend") == 0);
	assert_int_equal(c.backends[1].n, 0);
	(void)sim_cast_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vanilla_joins_out_of_hold),
		cmocka_unit_test(test_forge_joins_out_of_hold),
		cmocka_unit_test(test_forge_joins_a_vanilla_server_out_of_hold),
		cmocka_unit_test(test_reset_first),
		cmocka_unit_test(test_vanilla_waits_beside_a_forge_server),
		cmocka_unit_test(test_forge_of_1_7_2_waits_beside_a_forge_server),
		cmocka_unit_test(test_route_falls_back_from_a_black_hole),
		cmocka_unit_test(test_disconnect_when_no_server),
		cmocka_unit_test(test_a_refusal_is_no_reason_to_try_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
