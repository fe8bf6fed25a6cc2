#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/play.h"

static uint8_t memory[256];
static struct writer w;

static void check_written(struct slice want)
{
	assert_false(w.full);
	assert_true(slice_eq(writer_slice(&w), want));
	w = writer_of(memory, sizeof(memory));
}

static int setup(void **state)
{
	(void)state;
	w = writer_of(memory, sizeof(memory));
	return 0;
}

#define JOIN                                   \
	"\xFF\xFF\xFF\xFE\x0A\xFF\x03\x14\x07" \
	"default"

static void test_join_game(void **state)
{
	struct slice body = SLICE_LIT(JOIN);
	struct join_game j = {.entity = 77};

	(void)state;
	for (size_t n = 0; n < body.len; n++)
		assert_false(join_game_parse(&j, slice_of(body.p, n)));
	assert_int_equal(j.entity, 77);
	assert_true(join_game_parse(&j, body));
	assert_int_equal(j.entity, -2);
	assert_int_equal(j.gamemode, 10);
	assert_int_equal(j.dimension, -1);
	assert_int_equal(j.difficulty, 3);
	assert_int_equal(j.max_players, 20);
	assert_true(slice_eq(j.level_type, SLICE_LIT("default")));
	join_game_write(&w, &j);
	check_written(SLICE_LIT("\x11\x01" JOIN));
	assert_true(join_game_parse(&j, SLICE_LIT(JOIN "mods add this")));
}

#define RESPAWN                        \
	"\xFF\xFF\xFF\x96\x02\x01\x04" \
	"flat"

static void test_respawn(void **state)
{
	struct slice body = SLICE_LIT(RESPAWN);
	struct respawn r = {.dimension = 77};

	(void)state;
	for (size_t n = 0; n < body.len; n++)
		assert_false(respawn_parse(&r, slice_of(body.p, n)));
	assert_int_equal(r.dimension, 77);
	assert_true(respawn_parse(&r, body));
	assert_int_equal(r.dimension, -106);
	assert_int_equal(r.difficulty, 2);
	assert_int_equal(r.gamemode, 1);
	assert_true(slice_eq(r.level_type, SLICE_LIT("flat")));
	respawn_write(&w, &r);
	check_written(SLICE_LIT("\x0C\x07" RESPAWN));
	assert_true(respawn_parse(&r, SLICE_LIT(RESPAWN "more")));
}

/* Respawn knows no hardcore bit: a client takes the whole byte for the mode. */
static void test_respawn_after_a_hardcore_join(void **state)
{
	struct join_game j = {.gamemode = 0x09, .difficulty = 3, .level_type = SLICE_LIT("flat")};
	struct respawn r = respawn_after_join(&j, 255);

	(void)state;
	assert_int_equal(r.dimension, 255);
	assert_int_equal(r.gamemode, 1);
	assert_int_equal(r.difficulty, 3);
	assert_true(slice_eq(r.level_type, SLICE_LIT("flat")));
}

static void test_keep_alive(void **state)
{
	int32_t id = 5;

	(void)state;
	assert_false(keep_alive_parse(&id, SLICE_LIT("\0\0\0")));
	assert_int_equal(id, 5);
	assert_true(keep_alive_parse(&id, SLICE_LIT("\xFF\xFF\xFF\xFF")));
	assert_int_equal(id, -1);
	assert_true(keep_alive_parse(&id, SLICE_LIT("\0\0\1\2+")));
	assert_int_equal(id, 258);
	keep_alive_write(&w, 258);
	check_written(SLICE_LIT("\5\0\0\0\1\2"));
}

static void test_transaction(void **state)
{
	struct transaction t = {.window = 9};

	(void)state;
	assert_false(transaction_parse(&t, SLICE_LIT("\0\xFF\xFE")));
	assert_false(transaction_parse(&t, SLICE_LIT("\0\xFF\xFE\2")));
	assert_int_equal(t.window, 9);
	assert_true(transaction_parse(&t, SLICE_LIT("\3\xFF\xFE\1")));
	assert_int_equal(t.window, 3);
	assert_int_equal(t.action, -2);
	assert_true(t.accepted);
	t.accepted = false;
	transaction_write(&w, &t);
	check_written(SLICE_LIT("\5\x32\3\xFF\xFE\0"));
}

static void test_chat_and_kick(void **state)
{
	struct slice json = SLICE_LIT("untouched");

	(void)state;
	chat_write(&w, SLICE_LIT("{}"));
	check_written(SLICE_LIT("\4\2\2{}"));
	kick_write(&w, SLICE_LIT("\"x\""));
	check_written(SLICE_LIT("\5\x40\3\"x\""));
	assert_false(kick_parse(&json, SLICE_LIT("\3{}")));
	assert_true(slice_eq(json, SLICE_LIT("untouched")));
	assert_true(kick_parse(&json, SLICE_LIT("\2{}")));
	assert_true(slice_eq(json, SLICE_LIT("{}")));
}

static void test_world_input(void **state)
{
	static const bool is_input[] = {
		[0x02] = true,  [0x03] = true, [0x04] = true, [0x05] = true, [0x06] = true,
		[0x07] = true,  [0x08] = true, [0x09] = true, [0x0A] = true, [0x0B] = true,
		[0x0C] = true,  [0x0D] = true, [0x0E] = true, [0x0F] = true, [0x10] = true,
		[0x11] = true,  [0x12] = true, [0x13] = true, [0x14] = true, [0x16] = true,
		[0x40] = false,
	};

	(void)state;
	for (int32_t id = -30; id < 300; id++)
		assert_int_equal(play_c_is_world_input(id),
				 id >= 0 && id < (int32_t)COUNT_OF(is_input) && is_input[id]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_join_game, setup),
		cmocka_unit_test_setup(test_respawn, setup),
		cmocka_unit_test(test_respawn_after_a_hardcore_join),
		cmocka_unit_test_setup(test_keep_alive, setup),
		cmocka_unit_test_setup(test_transaction, setup),
		cmocka_unit_test_setup(test_chat_and_kick, setup),
		cmocka_unit_test(test_world_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
