/*
 * The world of HOLD: one chunk with a platform in its middle, and empty chunks around it, because
 * a client stands still where it has no chunk. The platform is the floor of section 4 (y 64 to
 * 79); all the rest is air.
 *
 * S 26 (chunk bulk) is: number of columns, length, sky light?, zlib of the columns, then per column
 * x, z, its sections, its add sections. A column is, per section in its bitmap, 4,096 block ids (y,
 * z, x; x fastest), then for all of them metadata, block light and sky light in half bytes (low one
 * first), then 256 biomes.
 */
#include "minecraft/limbo.h"

#include <stdlib.h>
#include <zlib.h>

enum {
	SIDE = 16,
	SECTION_BLOCKS = SIDE * SIDE * SIDE,
	SECTION_NIBBLES = SECTION_BLOCKS / 2,
	BIOMES = SIDE * SIDE,
	CENTRE_BYTES = SECTION_BLOCKS + 3 * SECTION_NIBBLES + BIOMES,

	CHUNKS_AROUND = 3, /* in each direction */
	CHUNKS_SIDE = 2 * CHUNKS_AROUND + 1,
	CHUNKS = CHUNKS_SIDE * CHUNKS_SIDE,
	COLUMNS_BYTES = CENTRE_BYTES + (CHUNKS - 1) * BIOMES,

	PLATFORM_SECTION = 4,
	PLATFORM_Y = PLATFORM_SECTION * SIDE,
	PLATFORM_FROM = 5, /* to PLATFORM_TO, in x and z: 7 x 7 around the middle */
	PLATFORM_TO = 11,
	MIDDLE = 8,

	BLOCK_GLASS = 20,
	BLOCK_QUARTZ = 155,
	BLOCK_GLOWSTONE = 89,
	BIOME_PLAINS = 1,
	LIGHT_MAX = 15,
};

static const double EYES_HEIGHT = 1.62;

/* Where things of the centre column lie. */
struct column {
	uint8_t blocks[SECTION_BLOCKS];
	uint8_t metadata[SECTION_NIBBLES];
	uint8_t block_light[SECTION_NIBBLES];
	uint8_t sky_light[SECTION_NIBBLES];
	uint8_t biomes[BIOMES];
};

static bool on_platform(int x, int z)
{
	return x >= PLATFORM_FROM && x <= PLATFORM_TO && z >= PLATFORM_FROM && z <= PLATFORM_TO;
}

static bool is_edge(int v)
{
	return v == PLATFORM_FROM || v == PLATFORM_TO;
}

/* Glass with a rim, lamps in its corners and in the middle. */
static uint8_t block_at(int x, int z)
{
	if ((is_edge(x) && is_edge(z)) || (x == MIDDLE && z == MIDDLE))
		return BLOCK_GLOWSTONE;
	return is_edge(x) || is_edge(z) ? BLOCK_QUARTZ : BLOCK_GLASS;
}

static int steps(int a, int b)
{
	return a < b ? b - a : a - b;
}

/* Light loses one a step and comes from the nearest lamp. */
static int lamp_light(int x, int y, int z)
{
	static const int lamps[][2] = {{PLATFORM_FROM, PLATFORM_FROM},
				       {PLATFORM_FROM, PLATFORM_TO},
				       {PLATFORM_TO, PLATFORM_FROM},
				       {PLATFORM_TO, PLATFORM_TO},
				       {MIDDLE, MIDDLE}};
	int best = 0;

	for (size_t i = 0; i < COUNT_OF(lamps); i++) {
		int light = LIGHT_MAX - y - steps(x, lamps[i][0]) - steps(z, lamps[i][1]);

		best = light > best ? light : best;
	}
	return best;
}

static void nibble_set(uint8_t *nibbles, int at, int value)
{
	nibbles[at / 2] |= (uint8_t)(at % 2 == 0 ? value : value << 4);
}

static void light_fill(struct column *c)
{
	for (int at = 0; at < SECTION_BLOCKS; at++) {
		int x = at % SIDE, z = at / SIDE % SIDE, y = at / (SIDE * SIDE);
		bool dark = c->blocks[at] == BLOCK_QUARTZ || c->blocks[at] == BLOCK_GLOWSTONE;

		nibble_set(c->sky_light, at, dark ? 0 : LIGHT_MAX);
		if (c->blocks[at] != BLOCK_QUARTZ)
			nibble_set(c->block_light, at, lamp_light(x, y, z));
	}
}

static void column_fill(struct column *c)
{
	for (int z = 0; z < SIDE; z++) {
		for (int x = 0; x < SIDE; x++) {
			if (on_platform(x, z))
				c->blocks[z * SIDE + x] = block_at(x, z);
		}
	}
	light_fill(c);
}

/* The centre comes first, so that the player has ground before all else. */
static void meta_write(struct writer *w, int x, int z)
{
	bool centre = x == 0 && z == 0;

	write_i32(w, x);
	write_i32(w, z);
	write_u16(w, centre ? 1 << PLATFORM_SECTION : 0);
	write_u16(w, 0);
}

static void metas_write(struct writer *w)
{
	meta_write(w, 0, 0);
	for (int z = -CHUNKS_AROUND; z <= CHUNKS_AROUND; z++) {
		for (int x = -CHUNKS_AROUND; x <= CHUNKS_AROUND; x++) {
			if (x != 0 || z != 0)
				meta_write(w, x, z);
		}
	}
}

static void bulk_write(struct writer *w, struct slice packed)
{
	size_t mark = frame_begin(w, PLAY_S_CHUNK_BULK);

	write_u16(w, CHUNKS);
	write_i32(w, (int32_t)packed.len);
	write_bool(w, true); /* sky light: the dimension has a sky */
	write_bytes(w, packed);
	metas_write(w);
	frame_end(w, mark);
}

static bool columns_write(struct writer *w)
{
	_Static_assert(sizeof(struct column) == CENTRE_BYTES, "columns are written as they lie");
	uint8_t packed[LIMBO_MAX_BYTES];
	uLongf n = sizeof(packed);
	uint8_t *columns = calloc(1, COLUMNS_BYTES);
	bool ok;

	if (columns == NULL)
		return false;
	column_fill((struct column *)columns);
	memset(columns + CENTRE_BYTES - BIOMES, BIOME_PLAINS, (size_t)CHUNKS * BIOMES);
	ok = compress2(packed, &n, columns, COLUMNS_BYTES, Z_BEST_COMPRESSION) == Z_OK;
	free(columns);
	if (ok)
		bulk_write(w, slice_of(packed, n));
	return ok;
}

static void spawn_write(struct writer *w)
{
	size_t mark = frame_begin(w, PLAY_S_SPAWN_POINT);

	write_i32(w, MIDDLE);
	write_i32(w, PLATFORM_Y + 1);
	write_i32(w, MIDDLE);
	frame_end(w, mark);
}

static void abilities_write(struct writer *w)
{
	size_t mark = frame_begin(w, PLAY_S_ABILITIES);

	write_u8(w, 0x07); /* unharmed, flying, may fly */
	write_f32(w, 0.05F);
	write_f32(w, 0.1F);
	frame_end(w, mark);
}

static void time_write(struct writer *w)
{
	size_t mark = frame_begin(w, PLAY_S_TIME);

	write_i64(w, 0);
	write_i64(w, -6000); /* noon; negative: the sun stands still */
	frame_end(w, mark);
}

static void position_write(struct writer *w)
{
	size_t mark = frame_begin(w, PLAY_S_POSITION);

	write_f64(w, MIDDLE + 0.5);
	write_f64(w, PLATFORM_Y + 1 + EYES_HEIGHT);
	write_f64(w, MIDDLE + 0.5);
	write_f32(w, 0);
	write_f32(w, 0);
	write_bool(w, true); /* on ground */
	frame_end(w, mark);
}

struct join_game limbo_join_game(void)
{
	return (struct join_game){
		.entity = LIMBO_ENTITY,
		.gamemode = 2, /* adventure: nothing breaks */
		.dimension = LIMBO_DIMENSION,
		.difficulty = 0,
		.max_players = 1,
		.level_type = SLICE_LIT("default"),
	};
}

bool limbo_world_write(struct writer *w, enum version v)
{
	bool ok;

	(void)v; /* protocols 4 and 5 have these packets alike */
	spawn_write(w);
	abilities_write(w);
	time_write(w);
	ok = columns_write(w);
	position_write(w);
	return ok && !w->full;
}
