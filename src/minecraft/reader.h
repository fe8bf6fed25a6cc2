/*
 * A cursor over one packet body. Sticky: after the first field that does not fit every read
 * returns zero or an empty slice, so a packet reads as straight code with one check at the end.
 * Slices point into the body.
 */
#ifndef MINECRAFT_READER_H
#define MINECRAFT_READER_H

#include "base/attr.h"
#include "base/slice.h"

struct reader {
	struct slice rest;
	bool bad;
};

struct reader reader_of(struct slice body);

/* Not bad and everything read. */
must_check bool reader_done(const struct reader *r);

/* 1 to 5 bytes, non-canonical forms included; bad past 5 bytes. */
int32_t read_varint(struct reader *r);
uint8_t read_u8(struct reader *r);
int8_t read_i8(struct reader *r);
uint16_t read_u16(struct reader *r);
int16_t read_i16(struct reader *r);
int32_t read_i32(struct reader *r);
int64_t read_i64(struct reader *r);
float read_f32(struct reader *r);
double read_f64(struct reader *r);

/* 0 or 1; anything else is bad. */
bool read_bool(struct reader *r);

/* VarInt byte length, then valid UTF-8 of at most max_units UTF-16 units. */
struct slice read_str(struct reader *r, unsigned max_units);
struct slice read_bytes(struct reader *r, size_t n);

/* All that is left. */
struct slice read_rest(struct reader *r);

#endif
