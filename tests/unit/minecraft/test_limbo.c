#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include <zlib.h>

#include "minecraft/limbo.h"
#include "minecraft/reader.h"

enum { SECTION = 4096, NIBBLES = 2048, BIOMES = 256, COLUMN = SECTION + 3 * NIBBLES + BIOMES };

static uint8_t memory[LIMBO_MAX_BYTES];

/* The frames of the world, by id; each comes once. */
static struct slice packets[0x80];

static int write_world(void **state)
{
	struct writer w = writer_of(memory, sizeof(memory));
	struct reader r;

	(void)state;
	assert_true(limbo_world_write(&w, VERSION_1_7_6));
	r = reader_of(writer_slice(&w));
	while (r.rest.len > 0 && !r.bad) {
		int32_t length = read_varint(&r);
		struct reader frame = reader_of(read_bytes(&r, (size_t)length));
		int32_t id = read_varint(&frame);

		assert_true(id >= 0 && id < (int32_t)COUNT_OF(packets));
		assert_null(packets[id].p);
		packets[id] = read_rest(&frame);
	}
	assert_true(reader_done(&r));
	return 0;
}

static void test_small_packets(void **state)
{
	(void)state;
	assert_true(
		slice_eq(packets[PLAY_S_SPAWN_POINT], SLICE_LIT("\0\0\0\x08\0\0\0\x41\0\0\0\x08")));
	assert_true(slice_eq(packets[PLAY_S_ABILITIES],
			     SLICE_LIT("\7\x3D\x4C\xCC\xCD\x3D\xCC\xCC\xCD")));
	assert_true(slice_eq(packets[PLAY_S_TIME],
			     SLICE_LIT("\0\0\0\0\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xE8\x90")));
}

/* The position's y is the eyes. */
static void test_position(void **state)
{
	struct reader r = reader_of(packets[PLAY_S_POSITION]);

	(void)state;
	assert_true(read_f64(&r) == 8.5);
	assert_true(read_f64(&r) == 65 + 1.62);
	assert_true(read_f64(&r) == 8.5);
	assert_true(read_f32(&r) == 0 && read_f32(&r) == 0);
	assert_true(read_bool(&r));
	assert_true(reader_done(&r));
}

static int nibble(const uint8_t *p, int at)
{
	return at % 2 == 0 ? p[at / 2] & 15 : p[at / 2] >> 4;
}

static int at_of(int x, int y, int z)
{
	return y << 8 | z << 4 | x;
}

static void check_column(const uint8_t *c)
{
	const uint8_t *metadata = c + SECTION, *block_light = metadata + NIBBLES,
		      *sky_light = block_light + NIBBLES;

	for (int x = 0; x < 16; x++) {
		for (int z = 0; z < 16; z++) {
			bool floor = x >= 5 && x <= 11 && z >= 5 && z <= 11;

			assert_int_equal(c[at_of(x, 0, z)] != 0, floor);
			for (int y = 1; y < 16; y++) {
				assert_int_equal(c[at_of(x, y, z)], 0);
				assert_int_equal(nibble(sky_light, at_of(x, y, z)), 15);
			}
		}
	}
	for (int i = 0; i < NIBBLES; i++)
		assert_int_equal(metadata[i], 0);
	/* A lamp shines with 15, and one less a step on. */
	assert_int_equal(c[at_of(8, 0, 8)], 89);
	assert_int_equal(nibble(block_light, at_of(8, 0, 8)), 15);
	assert_int_equal(nibble(block_light, at_of(8, 1, 8)), 14);
	assert_int_equal(nibble(block_light, at_of(9, 2, 8)), 12);
	assert_int_equal(nibble(block_light, at_of(0, 15, 0)), 0);
	for (int i = COLUMN - BIOMES; i < COLUMN; i++)
		assert_int_equal(c[i], 1);
}

static void test_chunks(void **state)
{
	struct reader r = reader_of(packets[PLAY_S_CHUNK_BULK]);
	uint8_t columns[COLUMN + 200 * BIOMES];
	uLongf n = sizeof(columns);
	bool seen[7][7] = {{false}};
	int count = read_i16(&r);
	size_t packed_n = (size_t)read_i32(&r);
	struct slice packed;

	(void)state;
	assert_true(read_bool(&r));
	packed = read_bytes(&r, packed_n);
	assert_int_equal(count, 49);
	assert_int_equal(uncompress(columns, &n, packed.p, packed.len), Z_OK);
	assert_int_equal(n, COLUMN + (count - 1) * BIOMES);
	check_column(columns);
	for (int i = 0; i < count; i++) {
		int x = read_i32(&r), z = read_i32(&r);

		assert_true(x >= -3 && x <= 3 && z >= -3 && z <= 3 && !seen[x + 3][z + 3]);
		seen[x + 3][z + 3] = true;
		assert_int_equal(i == 0, x == 0 && z == 0);
		assert_int_equal(read_u16(&r), i == 0 ? 1 << 4 : 0);
		assert_int_equal(read_u16(&r), 0);
	}
	assert_true(reader_done(&r));
}

static void test_join_game(void **state)
{
	struct join_game j = limbo_join_game();

	(void)state;
	assert_int_equal(j.entity, 1);
	assert_int_equal(j.gamemode, 2);
	assert_int_equal(j.dimension, 0);
	assert_int_equal(j.difficulty, 0);
	assert_true(slice_eq(j.level_type, SLICE_LIT("default")));
}

static void test_all_versions_and_too_little_room(void **state)
{
	uint8_t little[LIMBO_MAX_BYTES];

	(void)state;
	for (int v = 0; v < VERSION_COUNT; v++) {
		struct writer w = writer_of(little, sizeof(little));
		size_t need;

		assert_true(limbo_world_write(&w, (enum version)v));
		need = w.len;
		w = writer_of(little, need - 1);
		assert_false(limbo_world_write(&w, (enum version)v));
		w = writer_of(little, 0);
		assert_false(limbo_world_write(&w, (enum version)v));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_packets),
		cmocka_unit_test(test_position),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_join_game),
		cmocka_unit_test(test_all_versions_and_too_little_room),
	};

	return cmocka_run_group_tests(tests, write_world, NULL);
}
