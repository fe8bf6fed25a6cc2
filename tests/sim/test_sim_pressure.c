/* A side that takes nothing, or little: memory stays bounded, the slow are never ended, the deaf
 * are, and nobody else notices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "kit/sim_cast.h"

static struct sim_cast c;

#define ONE_SERVER "backends: [{name: one, address: \"10.0.0.1:25565\"}]\n"

enum { MIB = 1024 * 1024, FLOOD = 8 * MIB };

static void open_with(uint64_t seed, struct sim_backend what, const char *yaml)
{
	struct sim_options o = sim_rough(seed);

	o.buffer_bytes = 65536;
	what.at = "10.0.0.1:25565";
	sim_cast_open(&c, &o, yaml);
	(void)sim_cast_backend(&c, what);
}

/* Case 23: it takes nothing while the server sends without end. */
static void test_a_player_who_never_reads(void **state)
{
	struct sim_player *deaf, *good;

	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(4); seed++) {
		open_with(seed, (struct sim_backend){.flood_bytes = FLOOD}, ONE_SERVER);
		deaf = sim_cast_player(&c, (struct sim_player){.vice = VICE_NEVER_READS,
							       .websocket = seed & 1});
		good = sim_cast_player(&c, (struct sim_player){.websocket = seed & 2});
		stage_run_for(c.st, 28 * US_PER_S);
		assert_int_equal(stage_ends(c.st, "player_stalled"), 0);
		assert_true(good->got.len > FLOOD);
		/* The kernel's buffers, a high mark, one turn's reads. */
		assert_in_range(c.st->most_pool_bytes, 256 * 1024, MIB);
		stage_run_for(c.st, 10 * US_PER_S);
		assert_int_equal(stage_ends(c.st, "player_stalled"), 1);
		assert_true(!good->gone && good->silence_us < US_PER_S);
		(void)deaf;
		(void)sim_cast_close(&c);
	}
}

static void test_a_slow_reader_is_never_ended(void **state)
{
	struct sim_player *slow;

	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(4); seed++) {
		open_with(seed, (struct sim_backend){.flood_bytes = FLOOD}, ONE_SERVER);
		slow = sim_cast_player(&c, (struct sim_player){.vice = VICE_SLOW,
							       .websocket = seed & 1});
		stage_run_for(c.st, 150 * US_PER_S);
		assert_true(!slow->gone && slow->got.len > 2 * MIB);
		assert_in_range(c.st->most_pool_bytes, 256 * 1024, MIB);
		(void)sim_cast_close(&c);
	}
}

static void test_a_server_that_never_reads(void **state)
{
	struct sim_player *p;

	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(4); seed++) {
		open_with(seed,
			  (struct sim_backend){.trick_per_mille = 1000, .tricks = 1 << TRICK_DEAF},
			  ONE_SERVER);
		p = sim_cast_player(&c, (struct sim_player){.beat_us = 10 * US_PER_MS,
							    .big_bytes = 20000,
							    .websocket = seed & 1});
		stage_run_for(c.st, 70 * US_PER_S);
		assert_true(p->gone && strstr(p->text, "took no data") != NULL);
		assert_int_equal(stage_ends(c.st, "backend_stalled"), 1);
		assert_in_range(c.st->most_pool_bytes, 1, MIB);
		(void)sim_cast_close(&c);
	}
}

/* Case 21: the largest frame that there is, for slow and quick players at once. */
static void test_largest_frames(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(2); seed++) {
		open_with(seed,
			  (struct sim_backend){.trick_per_mille = 1000, .tricks = 1 << TRICK_HUGE},
			  ONE_SERVER);
		for (unsigned i = 0; i < 6; i++)
			(void)sim_cast_player(&c, (struct sim_player){.websocket = i & 1,
								      .vice = i == 5 ? VICE_SLOW
										     : VICE_NONE});
		stage_run_for(c.st, 120 * US_PER_S);
		for (unsigned i = 0; i < c.player_n; i++)
			assert_true(!c.players[i].gone && c.players[i].got.len > 2097151);
		(void)sim_cast_close(&c);
	}
}

/* With no pool left, large frames are cut through, and nobody is ended: what a slow player has not
 * taken yet is bounded by its marks. */
static void test_a_full_pool_ends_nobody(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(2); seed++) {
		open_with(seed,
			  (struct sim_backend){.trick_per_mille = 1000, .tricks = 1 << TRICK_HUGE},
			  ONE_SERVER "limits: {poolPerWorker: 4mb}\n");
		for (unsigned i = 0; i < 12; i++)
			(void)sim_cast_player(&c, (struct sim_player){.websocket = i & 1});
		stage_run_for(c.st, 40 * US_PER_S);
		for (unsigned i = 0; i < c.player_n; i++)
			assert_true(!c.players[i].gone && c.players[i].got.len > 2097151);
		assert_in_range(c.st->most_pool_bytes, 3 * MIB, 10 * MIB);
		(void)sim_cast_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_player_who_never_reads),
		cmocka_unit_test(test_a_slow_reader_is_never_ended),
		cmocka_unit_test(test_a_server_that_never_reads),
		cmocka_unit_test(test_largest_frames),
		cmocka_unit_test(test_a_full_pool_ends_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
