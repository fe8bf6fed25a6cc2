#include "minecraft/writer.h"

#include <endian.h>

struct writer writer_of(void *memory, size_t cap)
{
	return (struct writer){.p = memory, .cap = cap};
}

unsigned varint_bytes(int32_t v)
{
	unsigned n = 1;

	for (uint32_t rest = (uint32_t)v >> 7; rest != 0; rest >>= 7)
		n++;
	return n;
}

/* The canonical form; returns its length. */
static unsigned varint_put(uint8_t *p, int32_t v)
{
	unsigned n = varint_bytes(v);
	uint32_t rest = (uint32_t)v;

	for (unsigned i = 0; i < n; i++, rest >>= 7)
		p[i] = (uint8_t)((rest & 0x7F) | (i + 1 < n ? 0x80 : 0));
	return n;
}

void write_bytes(struct writer *w, struct slice s)
{
	if (w->full || s.len > w->cap - w->len) {
		w->full = true;
		return;
	}
	if (s.len > 0)
		memcpy(w->p + w->len, s.p, s.len);
	w->len += s.len;
}

void write_varint(struct writer *w, int32_t v)
{
	uint8_t bytes[VARINT_MAX_BYTES];

	write_bytes(w, slice_of(bytes, varint_put(bytes, v)));
}

void write_u8(struct writer *w, uint8_t v)
{
	write_bytes(w, slice_of(&v, sizeof(v)));
}

void write_bool(struct writer *w, bool v)
{
	write_u8(w, v ? 1 : 0);
}

void write_u16(struct writer *w, uint16_t v)
{
	uint16_t be = htobe16(v);

	write_bytes(w, slice_of(&be, sizeof(be)));
}

void write_i32(struct writer *w, int32_t v)
{
	uint32_t be = htobe32((uint32_t)v);

	write_bytes(w, slice_of(&be, sizeof(be)));
}

void write_i64(struct writer *w, int64_t v)
{
	uint64_t be = htobe64((uint64_t)v);

	write_bytes(w, slice_of(&be, sizeof(be)));
}

void write_f32(struct writer *w, float v)
{
	int32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	write_i32(w, bits);
}

void write_f64(struct writer *w, double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	write_i64(w, bits);
}

void write_str(struct writer *w, struct slice utf8)
{
	if (utf8.len > FRAME_MAX_BYTES) {
		w->full = true;
		return;
	}
	write_varint(w, (int32_t)utf8.len);
	write_bytes(w, utf8);
}

size_t frame_begin(struct writer *w, int32_t id)
{
	size_t mark = w->len;

	write_bytes(w, slice_of((const uint8_t[FRAME_HEAD_MAX]){0}, FRAME_HEAD_MAX));
	write_varint(w, id);
	return mark;
}

void frame_end(struct writer *w, size_t mark)
{
	uint8_t *at;
	size_t length, head;

	if (w->full)
		return;
	at = w->p + mark;
	length = w->len - mark - FRAME_HEAD_MAX;
	if (length > FRAME_MAX_BYTES) {
		w->full = true;
		return;
	}
	head = varint_put(at, (int32_t)length);
	memmove(at + head, at + FRAME_HEAD_MAX, length);
	w->len = mark + head + length;
}
