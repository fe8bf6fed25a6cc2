#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "minecraft/split.h"
#include "minecraft/writer.h"
#include "split_model.h"

/* ThreadSanitizer learns nothing from one thread, and is slow. */
#ifdef __SANITIZE_THREAD__
enum { SEEDS = 40 };
#else
enum { SEEDS = 800 };
#endif

enum { POOL_BYTES = 64 << 20, CAP = FRAME_MAX_BYTES };

static struct watch watch_of(int32_t id)
{
	struct watch w = {0};

	watch_add(&w, id);
	return w;
}

/* A VarInt in a form of exactly n bytes. */
static void put_varint(struct writer *w, uint32_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++, v >>= 7)
		write_u8(w, (uint8_t)((v & 0x7F) | (i + 1 < n ? 0x80 : 0)));
}

/* A frame whose length and id have forms of so many bytes. */
static void put_frame(struct writer *w, int32_t id, unsigned length_n, unsigned id_n, size_t rest)
{
	put_varint(w, (uint32_t)(id_n + rest), length_n);
	put_varint(w, (uint32_t)id, id_n);
	for (size_t i = 0; i < rest; i++)
		write_u8(w, (uint8_t)(0x80 + i * 7));
}

static void check_has(struct slice got, const uint8_t *p, size_t len)
{
	assert_ptr_equal(got.p, p);
	assert_int_equal(got.len, len);
}

static void test_whole_frames_are_one_run_without_a_copy(void **state)
{
	static const uint8_t chunk[] = {2, 5, 1, 3, 6, 1, 2, 1, 0x7F};
	struct slice in = slice_of(chunk, sizeof(chunk)), run;
	struct watch w = watch_of(9);
	struct pool pool;
	struct split s;
	struct frame f;

	(void)state;
	pool_init(&pool, POOL_BYTES);
	for (int whole = 0; whole <= 1; whole++) {
		split_init(&s, &pool, CAP, whole != 0);
		in = slice_of(chunk, sizeof(chunk));
		assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_RUN);
		check_has(run, chunk, sizeof(chunk));
		assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_MORE);
		assert_true(split_at_boundary(&s));
		split_fini(&s);
	}
	assert_int_equal(pool.held_bytes, 0);
	pool_fini(&pool);
}

static void test_a_watched_frame_parts_the_run(void **state)
{
	static const uint8_t chunk[] = {2, 5, 1, 4, 0x86, 0x00, 7, 8, 1, 5};
	struct slice in = slice_of(chunk, sizeof(chunk)), run;
	struct watch w = watch_of(6);
	struct pool pool;
	struct split s;
	struct frame f;

	(void)state;
	pool_init(&pool, POOL_BYTES);
	split_init(&s, &pool, CAP, true);
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_RUN);
	check_has(run, chunk, 3);
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_FRAME);
	check_has(f.wire, chunk + 3, 5);
	check_has(f.body, chunk + 6, 2);
	assert_int_equal(f.id, 6);
	check_has(in, chunk + 8, 2);
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_RUN);
	check_has(run, chunk + 8, 2);
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_MORE);
	pool_fini(&pool);
}

/* Case 40: no form of an id hides a packet, nor does any form of the length. */
static void test_an_id_is_seen_in_every_form(void **state)
{
	static const int32_t ids[] = {0, 0x17, 0x40, 0x7F, 0x80, 0xFF};
	uint8_t memory[64];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		for (unsigned id_n = varint_bytes(ids[i]); id_n <= 5; id_n++) {
			for (unsigned length_n = 1; length_n <= 3; length_n++) {
				struct writer wire = writer_of(memory, sizeof(memory));
				struct watch w = watch_of(ids[i]);
				struct model m;

				put_frame(&wire, ids[i], length_n, id_n, 3);
				model_init(&m, writer_slice(&wire), CAP, true, POOL_BYTES);
				assert_true(model_feed(&m, wire.len, &w, NULL, NULL));
				assert_int_equal(m.frames, 1);
				assert_int_equal(m.runs, 0);
				model_fini(&m);
			}
		}
	}
}

/* Case 9: negative ids, ids of 256 and more, ids that end nowhere; with every id watched. */
static void test_ids_that_nobody_can_watch_pass(void **state)
{
	static const uint8_t chunk[] = {
		6, 0xE6, 0xFF, 0xFF, 0xFF, 0x0F, 1,    /* -26 */
		5, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F,       /* -1 */
		2, 0x80, 0x02,                         /* 256 */
		1, 0x80,                               /* goes on behind the frame */
		3, 0x80, 0x80, 0x80,                   /* the same */
		6, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, /* six bytes */
	};
	struct watch all = {{~0ULL, ~0ULL, ~0ULL, ~0ULL}};
	struct model m;

	(void)state;
	for (int whole = 0; whole <= 1; whole++) {
		for (size_t cut = 0; cut <= sizeof(chunk); cut++) {
			model_init(&m, slice_of(chunk, sizeof(chunk)), CAP, whole != 0, POOL_BYTES);
			assert_true(model_feed(&m, cut, &all, NULL, NULL));
			assert_true(model_feed(&m, sizeof(chunk) - cut, &all, NULL, NULL));
			assert_int_equal(m.frames, 0);
			assert_int_equal(m.at, sizeof(chunk));
			model_fini(&m);
		}
	}
}

/* Frames of all forms, one behind the other. */
static struct slice forms_stream(uint8_t *memory, size_t cap)
{
	struct writer w = writer_of(memory, cap);

	for (unsigned length_n = 1; length_n <= 3; length_n++) {
		for (unsigned id_n = 1; id_n <= 5; id_n++)
			put_frame(&w, (int32_t)(id_n + length_n), length_n, id_n, (id_n * 5) % 7);
	}
	put_frame(&w, -26, 1, 5, 2);
	put_frame(&w, 4, 2, 1, 200);
	write_bytes(&w, slice_of((const uint8_t[]){1, 0x80}, 2));
	put_frame(&w, 3, 1, 1, 0);
	assert_false(w.full);
	return writer_slice(&w);
}

static void cut_twice(struct slice stream, size_t a, size_t b, bool whole, struct watch w)
{
	struct model m;

	model_init(&m, stream, CAP, whole, POOL_BYTES);
	assert_true(model_feed(&m, a, &w, NULL, NULL));
	assert_true(model_feed(&m, b - a, &w, NULL, NULL));
	assert_true(model_feed(&m, stream.len - b, &w, NULL, NULL));
	assert_int_equal(m.at, stream.len);
	assert_true(split_at_boundary(&m.split));
	model_fini(&m);
}

static void test_every_cut_position(void **state)
{
	static const struct watch watches[] = {
		{{0}}, {{~0ULL, ~0ULL, ~0ULL, ~0ULL}}, {{1 << 4 | 1 << 6}}, {{1 << 3}}};
	uint8_t memory[512];
	struct slice stream = forms_stream(memory, sizeof(memory));

	(void)state;
	for (size_t a = 0; a <= stream.len; a++) {
		for (size_t b = a; b <= stream.len; b++) {
			for (size_t i = 0; i < COUNT_OF(watches); i++)
				cut_twice(stream, a, b, (a + b) % 2 == 0, watches[i]);
		}
	}
	for (size_t a = 0; a <= stream.len; a++) {
		for (size_t i = 0; i < COUNT_OF(watches); i++) {
			cut_twice(stream, a, a, true, watches[i]);
			cut_twice(stream, a, a, false, watches[i]);
		}
	}
}

static void test_one_byte_at_a_time(void **state)
{
	uint8_t memory[512];
	struct slice stream = forms_stream(memory, sizeof(memory));

	(void)state;
	for (int whole = 0; whole <= 1; whole++) {
		struct watch w = watch_of(4);
		struct model m;

		model_init(&m, stream, CAP, whole != 0, POOL_BYTES);
		for (size_t i = 0; i < stream.len; i++)
			assert_true(model_feed(&m, 1, &w, NULL, NULL));
		assert_int_equal(m.at, stream.len);
		model_fini(&m);
	}
}

struct bad_case {
	uint8_t wire[12];
	size_t len;
	uint32_t cap;
	enum split_bad bad;
	uint32_t length;
	int32_t id;
};

static const struct bad_case bad_cases[] = {
	{{0}, 1, CAP, SPLIT_LENGTH_BAD, 0, -1},
	{{0x80, 0x00}, 2, CAP, SPLIT_LENGTH_BAD, 0, -1},
	{{0x80, 0x80, 0x00}, 3, CAP, SPLIT_LENGTH_BAD, 0, -1},
	/* five in four bytes */
	{{0x85, 0x80, 0x80, 0x00, 7}, 5, CAP, SPLIT_LENGTH_BAD, 5, -1},
	{{0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 7}, 6, CAP, SPLIT_LENGTH_BAD, UINT32_MAX, -1},
	{{0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 6, CAP, SPLIT_LENGTH_BAD, 0, -1},
	/* case 21: the first length that is too large, and the largest that can be told */
	{{0x80, 0x80, 0x80, 0x01, 0x21}, 5, CAP, SPLIT_FRAME_TOO_BIG, 2097152, 0x21},
	{{0x80, 0x80, 0x80, 0x01}, 4, CAP, SPLIT_FRAME_TOO_BIG, 2097152, -1},
	{{0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0xE6, 0xFF, 0xFF, 0xFF, 0x0F},
	 10,
	 CAP,
	 SPLIT_FRAME_TOO_BIG,
	 INT32_MAX,
	 -26},
	{{0x81, 0x20, 0x05}, 3, 4096, SPLIT_FRAME_TOO_BIG, 4097, 5},
	{{11, 1}, 2, 10, SPLIT_FRAME_TOO_BIG, 11, 1},
	/* a cap beyond what a length can say changes nothing */
	{{0x80, 0x80, 0x80, 0x01, 0x21}, 5, UINT32_MAX, SPLIT_FRAME_TOO_BIG, 2097152, 0x21},
};

/* What came before the bad frame comes out first. */
static void test_bad_lengths(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad_cases) * 2; i++) {
		const struct bad_case *c = &bad_cases[i / 2];
		uint8_t chunk[2 + sizeof(c->wire)] = {1, 9};
		struct watch w = {0};
		struct model m;

		memcpy(chunk + 2, c->wire, c->len);
		model_init(&m, slice_of(chunk, 2 + c->len), c->cap, i % 2 == 0, POOL_BYTES);
		assert_false(model_feed(&m, 2 + c->len, &w, NULL, NULL));
		assert_int_equal(m.at, 2);
		assert_int_equal(m.split.bad, c->bad);
		assert_int_equal(m.split.bad_length, c->length);
		assert_int_equal(m.split.bad_id, c->id);
		model_fini(&m);
	}
}

/* Cut anywhere, the verdict is the same, but for an id that has not come yet. */
static void test_bad_lengths_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad_cases); i++) {
		const struct bad_case *c = &bad_cases[i];

		for (size_t cut = 1; cut < c->len; cut++) {
			struct watch w = {0};
			struct model m;

			model_init(&m, slice_of(c->wire, c->len), c->cap, cut % 2 == 0, POOL_BYTES);
			assert_false(model_feed(&m, cut, &w, NULL, NULL) &&
				     model_feed(&m, c->len - cut, &w, NULL, NULL));
			assert_int_equal(m.split.bad, c->bad);
			assert_int_equal(m.split.bad_length, c->length);
			model_fini(&m);
		}
	}
}

static struct slice large_frame(uint8_t *memory, size_t cap, int32_t id, size_t length)
{
	struct writer w = writer_of(memory, cap);

	put_frame(&w, id, 3, 1, length - 1);
	assert_false(w.full);
	return writer_slice(&w);
}

/* Case 21: the largest frame passes, watched or not, in chunks as the loop reads them. A player's
 * is not looked at, see test_a_player_cannot_fill_the_pool. */
static void test_the_largest_frame_passes(void **state)
{
	size_t cap = FRAME_MAX_BYTES + 3;
	uint8_t *memory = malloc(cap);
	struct slice stream;

	(void)state;
	assert_non_null(memory);
	stream = large_frame(memory, cap, 0x21, FRAME_MAX_BYTES);
	for (int i = 0; i < 4; i++) {
		struct watch w = watch_of(i < 2 ? 0x21 : 0x20);
		struct model m;

		model_init(&m, stream, CAP, i % 2 == 0, POOL_BYTES);
		while (m.fed < stream.len) {
			size_t left = stream.len - m.fed;

			assert_true(model_feed(&m, left < 65521 ? left : 65521, &w, NULL, NULL));
		}
		assert_int_equal(m.at, stream.len);
		assert_int_equal(m.frames, i == 0 ? 1 : 0);
		model_fini(&m);
	}
	free(memory);
}

static void test_a_cap_may_change_between_two_events(void **state)
{
	static const uint8_t chunk[] = {1, 7, 6, 5, 0, 0, 0, 0, 0};
	struct slice in = slice_of(chunk, sizeof(chunk)), run;
	struct watch w = watch_of(7);
	struct pool pool;
	struct split s;
	struct frame f;

	(void)state;
	pool_init(&pool, POOL_BYTES);
	split_init(&s, &pool, 5, true);
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_FRAME);
	s.cap = 6;
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_RUN);
	check_has(run, chunk + 2, 7);

	in = slice_of(chunk, sizeof(chunk));
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_FRAME);
	s.cap = 5;
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_BAD);
	assert_int_equal(s.bad, SPLIT_FRAME_TOO_BIG);
	assert_int_equal(s.bad_length, 6);
	assert_int_equal(s.bad_id, 5);
	pool_fini(&pool);
}

/* A frame that nobody watches goes towards a backend as it comes: only its cut head is copied. */
static void test_parts_pass_without_a_copy(void **state)
{
	static const uint8_t chunk[] = {0x84, 0x00, 0x85, 0x00, 1, 2, 1, 9};
	struct watch w = watch_of(6);
	struct slice in, run;
	struct pool pool;
	struct split s;
	struct frame f;

	(void)state;
	pool_init(&pool, POOL_BYTES);
	split_init(&s, &pool, CAP, false);
	in = slice_of(chunk, 5);
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_RUN);
	check_has(run, chunk, 5);
	assert_int_equal(s.torn_left, 1);
	assert_false(split_at_boundary(&s));
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_MORE);
	in = slice_of(chunk + 5, 3);
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_RUN);
	check_has(run, chunk + 5, 3);
	assert_true(split_at_boundary(&s));
	assert_int_equal(pool.held_bytes, 0);
	pool_fini(&pool);
}

/* Announcing a large frame costs a player more than us; a server gets the room at once. */
static void test_memory_follows_what_a_player_sends(void **state)
{
	static const uint8_t head[] = {0x80, 0x80, 0x04, 0x17, 1, 2, 3}; /* SPLIT_GATHER_MAX */
	struct watch w = watch_of(0x17);

	(void)state;
	for (int whole = 0; whole <= 1; whole++) {
		struct slice in = slice_of(head, sizeof(head)), run;
		struct pool pool;
		struct split s;
		struct frame f;

		pool_init(&pool, POOL_BYTES);
		split_init(&s, &pool, CAP, whole != 0);
		assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_MORE);
		assert_int_equal(pool.held_bytes, whole ? 262144 : 4096);
		split_fini(&s);
		assert_int_equal(pool.held_bytes, 0);
		pool_fini(&pool);
	}
}

/* Thirty players with frames of 2 MiB that never end would have used up the pool, and everybody
 * else's frames would have found no block: what is so large passes in parts, watched or not. */
static void test_a_player_cannot_fill_the_pool(void **state)
{
	static const uint8_t head[] = {0x81, 0x80, 0x04, 0x17, 1, 2, 3};
	struct watch w = watch_of(0x17);
	struct slice in = slice_of(head, sizeof(head)), run;
	struct pool pool;
	struct split s;
	struct frame f;

	(void)state;
	pool_init(&pool, POOL_BYTES);
	split_init(&s, &pool, CAP, false);
	assert_int_equal(split_next(&s, &in, &w, &run, &f), SPLIT_RUN);
	check_has(run, head, sizeof(head));
	assert_int_equal(s.torn_left, SPLIT_GATHER_MAX + 1 - 4);
	assert_int_equal(pool.held_bytes, 0);
	split_fini(&s);
	pool_fini(&pool);
}

/* The pool holds one small block, which no larger frame fits in. */
enum { SCARCE = 4096, OVER = SPLIT_CUT_THROUGH + 1 };

static void feed_scarce(struct model *m, struct slice stream, struct watch w, bool whole,
			size_t first)
{
	model_init(m, stream, CAP, whole, SCARCE);
	if (model_feed(m, first, &w, NULL, NULL))
		(void)model_feed(m, stream.len - first, &w, NULL, NULL);
}

static void test_a_large_frame_is_cut_through_when_the_pool_is_used_up(void **state)
{
	uint8_t *memory = malloc(OVER + 8);
	struct slice stream;

	(void)state;
	assert_non_null(memory);
	stream = large_frame(memory, OVER + 8, 5, OVER);
	for (size_t first = 1; first < 20; first++) {
		struct model m;

		feed_scarce(&m, stream, watch_of(6), true, first);
		assert_int_equal(m.split.bad, SPLIT_FINE);
		assert_int_equal(m.at, stream.len);
		assert_int_equal(m.torn > 0, first < stream.len);
		assert_true(split_at_boundary(&m.split));
		model_fini(&m);
	}
	free(memory);
}

static void test_no_memory_for_what_must_stay_whole(void **state)
{
	uint8_t *memory = malloc(OVER + 8);
	struct slice stream;
	struct model m;

	(void)state;
	assert_non_null(memory);
	for (size_t first = 4; first < 10000; first = first * 3 + 1) {
		for (int whole = 0; whole <= 1; whole++) {
			uint32_t length = whole ? OVER : SPLIT_GATHER_MAX;

			stream = large_frame(memory, OVER + 8, 5, length);
			feed_scarce(&m, stream, watch_of(5), whole != 0, first);
			assert_int_equal(m.split.bad, SPLIT_NO_MEMORY);
			assert_int_equal(m.split.bad_length, length);
			assert_int_equal(m.split.bad_id, 5);
			assert_int_equal(m.at, 0);
			model_fini(&m);
		}
	}
	stream = large_frame(memory, OVER + 8, 5, SPLIT_CUT_THROUGH);
	feed_scarce(&m, stream, watch_of(6), true, 100);
	assert_int_equal(m.split.bad, SPLIT_NO_MEMORY);
	model_fini(&m);
	free(memory);
}

/* What waits, given to a fresh splitter, puts it into the same state: so a session thaws. */
static void test_the_part_thaws(void **state)
{
	uint8_t memory[512];
	struct slice stream = forms_stream(memory, sizeof(memory));
	struct watch w = watch_of(5);

	(void)state;
	for (size_t cut = 0; cut <= stream.len; cut++) {
		struct model old, new;
		size_t waiting;

		model_init(&old, stream, CAP, true, POOL_BYTES);
		assert_true(model_feed(&old, cut, &w, NULL, NULL));
		waiting = split_peek_part(&old.split).len;
		assert_int_equal(old.at + waiting, cut);
		model_init(&new, slice_of(stream.p + old.at, stream.len - old.at), CAP, true,
			   POOL_BYTES);
		assert_true(model_feed(&new, waiting, &w, NULL, NULL));
		assert_int_equal(new.at, 0);
		assert_int_equal(new.split.head_len, old.split.head_len);
		assert_int_equal(new.split.part_need, old.split.part_need);
		assert_true(model_feed(&new, new.stream.len - waiting, &w, NULL, NULL));
		assert_int_equal(new.at, new.stream.len);
		model_fini(&old);
		model_fini(&new);
	}
}

static uint32_t roll(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)*state * below) >> 32);
}

static size_t random_frame_bytes(uint32_t *seed)
{
	switch (roll(seed, 20)) {
	case 0:
		return roll(seed, 9000);
	case 1:
		return roll(seed, 60) == 0 ? 300000 + roll(seed, 1000000) : roll(seed, 700);
	default:
		return roll(seed, 40);
	}
}

static struct slice random_stream(uint8_t *memory, size_t cap, uint32_t *seed)
{
	struct writer w = writer_of(memory, cap);
	size_t whole = 0;

	for (;;) {
		int32_t id = (int32_t)roll(seed, 70) - 3;
		unsigned id_n = varint_bytes(id);
		size_t rest = random_frame_bytes(seed);
		unsigned length_n = varint_bytes((int32_t)rest + 5);

		if (roll(seed, 10) == 0)
			id_n += roll(seed, 6 - id_n);
		if (roll(seed, 10) == 0)
			length_n += roll(seed, 4 - length_n);
		put_frame(&w, id, length_n, id_n, rest);
		if (w.full)
			return slice_of(memory, whole + roll(seed, (uint32_t)(w.len - whole) + 1));
		whole = w.len;
	}
}

static void change_randomly(struct model *m, struct watch *w, void *arg)
{
	uint32_t *seed = arg;

	(void)m;
	if (roll(seed, 4) == 0)
		w->bits[0] ^= (uint64_t)1 << roll(seed, 64);
}

/* What the random streams have met, so that they cannot go blind. */
struct met {
	size_t runs, frames, torn, refused;
};

static void play_random(struct met *met, uint8_t *memory, size_t cap, uint32_t seed)
{
	struct slice stream = random_stream(memory, cap, &seed);
	struct watch w = {{roll(&seed, 2) == 0 ? 0 : (uint64_t)1 << roll(&seed, 64)}};
	uint32_t chunk_max = 1u << roll(&seed, 17);
	bool changing = roll(&seed, 2) == 0;
	/* One after the other: compilers differ in the order of arguments. */
	bool whole = roll(&seed, 2) == 0;
	size_t pool_max = roll(&seed, 3) == 0 ? 70000 : POOL_BYTES;
	bool good = true;
	struct model m;

	model_init(&m, stream, CAP, whole, pool_max);
	m.changing = changing;
	while (good && m.fed < stream.len) {
		size_t n = 1 + roll(&seed, chunk_max), left = stream.len - m.fed;

		good = model_feed(&m, n < left ? n : left, &w, changing ? change_randomly : NULL,
				  &seed);
	}
	assert_true(good || m.scarce);
	met->runs += m.runs;
	met->frames += m.frames;
	met->torn += m.torn;
	met->refused += !good;
	model_fini(&m);
}

static void test_random_streams_against_the_model(void **state)
{
	enum { SMALL = 20000, LARGE = 2 << 20 };
	uint8_t *memory = malloc(LARGE);
	struct met met = {0};

	(void)state;
	assert_non_null(memory);
	for (uint32_t seed = 0; seed < SEEDS; seed++)
		play_random(&met, memory, SMALL, seed);
	for (uint32_t seed = 0; seed < 24; seed++)
		play_random(&met, memory, LARGE, 1000000 + seed);
	free(memory);
	assert_true(met.runs > 1000 && met.frames > 1000);
	assert_true(met.torn > 0 && met.refused > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_frames_are_one_run_without_a_copy),
		cmocka_unit_test(test_a_watched_frame_parts_the_run),
		cmocka_unit_test(test_an_id_is_seen_in_every_form),
		cmocka_unit_test(test_ids_that_nobody_can_watch_pass),
		cmocka_unit_test(test_every_cut_position),
		cmocka_unit_test(test_one_byte_at_a_time),
		cmocka_unit_test(test_bad_lengths),
		cmocka_unit_test(test_bad_lengths_cut),
		cmocka_unit_test(test_the_largest_frame_passes),
		cmocka_unit_test(test_a_cap_may_change_between_two_events),
		cmocka_unit_test(test_parts_pass_without_a_copy),
		cmocka_unit_test(test_memory_follows_what_a_player_sends),
		cmocka_unit_test(test_a_player_cannot_fill_the_pool),
		cmocka_unit_test(test_a_large_frame_is_cut_through_when_the_pool_is_used_up),
		cmocka_unit_test(test_no_memory_for_what_must_stay_whole),
		cmocka_unit_test(test_the_part_thaws),
		cmocka_unit_test(test_random_streams_against_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
