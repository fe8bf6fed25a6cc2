#include <stdlib.h>

#include "sim_traffic.h"
#include "minecraft/play.h"

static void must(bool ok)
{
	if (!ok)
		abort();
}

static unsigned put_varint(uint8_t *p, uint32_t v, unsigned at_least)
{
	unsigned n = 0;

	do {
		p[n] = v & 0x7F;
		v >>= 7;
		p[n] |= v != 0 || n + 1 < at_least ? 0x80 : 0;
		n++;
	} while (v != 0 || n < at_least);
	return n;
}

void sim_traffic_frame(struct sim_world *w, struct buf *b, int32_t id, unsigned id_bytes, size_t n)
{
	uint8_t head[16], id_wire[8];
	unsigned id_len = put_varint(id_wire, (uint32_t)id, id_bytes), head_len;

	head_len = put_varint(head, (uint32_t)(n + id_len), 1 + sim_dice(w, 8) / 7);
	must(buf_append(b, slice_of(head, head_len)) && buf_append(b, slice_of(id_wire, id_len)) &&
	     buf_reserve(b, n));
	for (size_t i = 0; i < n; i += 4) {
		uint32_t r = i % 64 == 0 ? sim_dice(w, UINT32_MAX) : (uint32_t)i * 2654435761u;

		memcpy(b->p + b->len + i, &r, n - i < 4 ? n - i : 4);
	}
	b->len += n;
}

static size_t some_bytes(struct sim_world *w, uint32_t big_bytes)
{
	if (big_bytes > 0 && sim_dice(w, 20) == 0)
		return sim_dice(w, big_bytes);
	return sim_dice(w, 4) == 0 ? 0 : sim_dice(w, 200);
}

static void put_alive(struct sim_world *w, struct buf *b)
{
	struct writer wr;

	must(buf_reserve(b, 16));
	wr = writer_of(b->p + b->len, 16);
	keep_alive_write(&wr, (int32_t)sim_dice(w, SIM_ALIVE_MAX));
	b->len += wr.len;
}

static void put_one(struct sim_world *w, struct buf *b, const int32_t *ids, unsigned n,
		    uint32_t big_bytes)
{
	int32_t id = ids[sim_dice(w, n)];
	unsigned id_bytes = sim_dice(w, 10) == 0 ? 1 + sim_dice(w, 5) : 1;

	sim_traffic_frame(w, b, id, id_bytes, some_bytes(w, big_bytes));
}

void sim_traffic_server(struct sim_world *w, struct buf *b, unsigned n, uint32_t big_bytes)
{
	static const int32_t ids[] = {0x26, 0x21, 0x15, 0x1D, 0x02, 0x3F, 0x7F,
				      -26,  255,  256,  0x08, 0x38, 0x3B, 1000000};

	for (unsigned i = 0; i < n; i++) {
		if (sim_dice(w, 8) == 0)
			put_alive(w, b);
		else
			put_one(w, b, ids, COUNT_OF(ids), big_bytes);
	}
}

void sim_traffic_client(struct sim_world *w, struct buf *b, unsigned n, uint32_t big_bytes)
{
	static const int32_t ids[] = {0x03, 0x04, 0x06, 0x0A, 0x12, 0x0F, 0x7F, -26, 256, 0x14};

	for (unsigned i = 0; i < n; i++)
		put_one(w, b, ids, COUNT_OF(ids), big_bytes);
}
