/* The frame splitter against the naive model, over any stream. The first bytes of the input choose
 * the mode, the cap, the size of the pool, the watched ids and how the rest is cut into chunks. */
#include "../unit/minecraft/split_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	HEAD_BYTES = 8,
	WHOLE = 1,
	CHANGING = 2,
	SCARCE = 4,
	SMALL_CAP = 8,
	WATCH_MANY = 16,
	POOL_BYTES = 64 << 20,
	POOL_SCARCE = 5000,
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void change(struct model *m, struct watch *w, void *arg)
{
	uint32_t *state = arg;

	if (next_random(state) % 4 == 0)
		w->bits[next_random(state) % 4] ^= (uint64_t)1 << (next_random(state) % 64);
	if (next_random(state) % 8 == 0)
		m->split.cap = next_random(state) % 300000;
	if (m->split.cap > m->cap_max)
		m->cap_max = m->split.cap;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice in = slice_of(data, size);
	struct watch w = {{0}};
	bool good = true;
	struct model m;
	uint32_t seed;
	uint8_t flags, id, chunk_max;

	if (size < HEAD_BYTES)
		return 0;
	flags = data[0];
	id = data[1];
	chunk_max = data[2];
	memcpy(&seed, data + 4, sizeof(seed));
	slice_cut(&in, HEAD_BYTES);
	watch_add(&w, id);
	if ((flags & WATCH_MANY) != 0)
		w.bits[0] |= 0x00AA5500AA55FF00;
	model_init(&m, in, (flags & SMALL_CAP) != 0 ? data[3] : 2097151, (flags & WHOLE) != 0,
		   (flags & SCARCE) != 0 ? POOL_SCARCE : POOL_BYTES);
	m.changing = (flags & CHANGING) != 0;
	while (good && m.fed < in.len) {
		size_t n = 1 + next_random(&seed) % (chunk_max + 1u), left = in.len - m.fed;

		good = model_feed(&m, n < left ? n : left, &w, m.changing ? change : NULL, &seed);
	}
	model_fini(&m);
	return 0;
}
