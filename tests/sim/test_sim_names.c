/* Two logins of one name: the policy decides, exactly one survives, the other reads why. Over three
 * workers, in all orders that delays can make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "kit/sim_cast.h"

static struct sim_cast c;

#define ONE_SERVER "backends: [{name: one, address: \"10.0.0.1:25565\"}]\n"

enum { RIVALS = 6 };

static void open_with(uint64_t seed, const char *yaml)
{
	struct sim_options o = sim_rough(seed);

	sim_cast_open(&c, &o, yaml);
	(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565"});
}

static struct sim_player *rival(uint64_t arrive_us, const char *from)
{
	struct sim_player p = {.name = "Rival", .arrive_us = arrive_us};

	p.websocket = sim_dice(c.st->world, 2);
	(void)snprintf(p.from, sizeof(p.from), "%s:%u", from, 2000 + c.player_n);
	return sim_cast_player(&c, p);
}

static unsigned online(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c.player_n; i++)
		n += c.players[i].serial != 0 && !c.players[i].gone;
	return n;
}

static void test_first_wins(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(20); seed++) {
		struct sim_player *first;

		open_with(seed, ONE_SERVER "duplicateNames: refuse\n");
		first = rival(0, "198.51.100.1");
		for (unsigned i = 1; i < RIVALS; i++)
			(void)rival(US_PER_S / 10 + sim_dice(c.st->world, US_PER_S),
				    "198.51.100.1");
		stage_run_for(c.st, 5 * US_PER_S);
		assert_true(first->serial != 0 && !first->gone);
		assert_int_equal(online(), 1);
		assert_int_equal(stage_ends(c.st, "name_taken"), RIVALS - 1);
		assert_true(strstr(c.players[1].text, "already playing") != NULL);
		(void)sim_cast_close(&c);
	}
}

static void test_last_wins(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(20); seed++) {
		open_with(seed, ONE_SERVER "duplicateNames: kickOld\n");
		for (unsigned i = 0; i < RIVALS; i++)
			(void)rival(sim_dice(c.st->world, 3 * US_PER_S), "198.51.100.1");
		stage_run_for(c.st, 8 * US_PER_S);
		assert_int_equal(online(), 1);
		assert_int_equal(stage_ends(c.st, "name_replaced") + stage_ends(c.st, "name_taken"),
				 RIVALS - 1);
		(void)sim_cast_close(&c);
	}
}

static void test_same_address_wins(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(20); seed++) {
		struct sim_player *first, *second, *stranger;

		open_with(seed, ONE_SERVER "duplicateNames: sameAddress\n");
		first = rival(0, "198.51.100.1");
		stranger = rival(US_PER_S, "203.0.113.5");
		second = rival(2 * US_PER_S, "198.51.100.1");
		stage_run_for(c.st, 8 * US_PER_S);
		assert_true(stranger->gone && strstr(stranger->text, "already playing") != NULL);
		assert_true(first->gone && strstr(first->text, "another place") != NULL);
		assert_true(second->serial != 0 && !second->gone);
		(void)sim_cast_close(&c);
	}
}

/* A name is free as soon as its holder has gone, however it went. */
static void test_a_name_comes_back(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(20); seed++) {
		struct sim_player *p = NULL;

		open_with(seed, ONE_SERVER "duplicateNames: refuse\n");
		for (unsigned i = 0; i < RIVALS; i++) {
			p = rival(0, "198.51.100.1");
			p->vice = VICE_LEAVES;
			stage_run_for(c.st, sim_dice(c.st->world, 2 * US_PER_S));
			sim_player_leave(p);
			stage_run_for(c.st, 100 * US_PER_MS);
		}
		p = rival(0, "198.51.100.1");
		stage_run_for(c.st, US_PER_S);
		assert_true(p->serial != 0 && !p->gone);
		(void)sim_cast_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_wins),
		cmocka_unit_test(test_last_wins),
		cmocka_unit_test(test_same_address_wins),
		cmocka_unit_test(test_a_name_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
