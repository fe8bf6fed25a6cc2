/* A growing byte buffer with a read position, and the few wire forms that protocol 5 needs. */
#ifndef LOAD_BYTES_H
#define LOAD_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *v;
	size_t at;  /* read up to here */
	size_t end; /* written up to here */
	size_t room;
};

/* Ends the program when memory is out: a load tool has nobody to report to. */
void bytes_add(struct bytes *b, const void *data, size_t n);
void bytes_add_u8(struct bytes *b, uint8_t value);
void bytes_add_be(struct bytes *b, uint64_t value, unsigned size);
void bytes_add_varint(struct bytes *b, uint32_t value);
void bytes_add_str(struct bytes *b, const char *text);
/* `body` as a frame: with its length in front. */
void bytes_add_frame(struct bytes *b, const struct bytes *body);
/* Marks n bytes as read; gives the memory back when nothing is left and it is large. */
void bytes_skip(struct bytes *b, size_t n);
void bytes_clear(struct bytes *b);
void bytes_free(struct bytes *b);

static inline size_t bytes_left(const struct bytes *b)
{
	return b->end - b->at;
}

static inline const uint8_t *bytes_head(const struct bytes *b)
{
	return b->v ? b->v + b->at : NULL;
}

/* Size of the VarInt at v (1..5), 0 while it is cut short, -1 when it is none. */
int varint_peek(uint32_t *ret, const uint8_t *v, size_t n);

static inline uint32_t be32(const uint8_t *v)
{
	return (uint32_t)v[0] << 24 | (uint32_t)v[1] << 16 | (uint32_t)v[2] << 8 | v[3];
}

#endif
