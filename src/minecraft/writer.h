/*
 * Writes packets into memory of the caller. Sticky: once something does not fit, `full` is set,
 * nothing more is written, and one check at the end is enough.
 */
#ifndef MINECRAFT_WRITER_H
#define MINECRAFT_WRITER_H

#include "base/attr.h"
#include "base/slice.h"
#include "minecraft/varint.h"

struct writer {
	uint8_t *p;
	size_t len, cap;
	bool full;
};

struct writer writer_of(void *memory, size_t cap);

static inline struct slice writer_slice(const struct writer *w)
{
	return slice_of(w->p, w->len);
}

enum { FRAME_HEAD_MAX = 3, FRAME_MAX_BYTES = 2097151 };

/* Bytes of the canonical form. */
unsigned varint_bytes(int32_t v);

void write_varint(struct writer *w, int32_t v);
void write_u8(struct writer *w, uint8_t v);
void write_bool(struct writer *w, bool v);
void write_u16(struct writer *w, uint16_t v);
void write_i32(struct writer *w, int32_t v);
void write_i64(struct writer *w, int64_t v);
void write_f32(struct writer *w, float v);
void write_f64(struct writer *w, double v);
void write_str(struct writer *w, struct slice utf8); /* VarInt length and the bytes */
void write_bytes(struct writer *w, struct slice s);

/*
 * A frame around what is written between the two calls: frame_begin leaves room for the length and
 * writes the id; frame_end puts the canonical length in front and closes the gap. Several frames
 * may follow one another. Returns the mark that frame_end wants.
 */
size_t frame_begin(struct writer *w, int32_t id);
void frame_end(struct writer *w, size_t mark);

#endif
