#include "load_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_BYTES 4096

static void grow(struct bytes *b, size_t n)
{
	if (b->at > 0) {
		memmove(b->v, b->v + b->at, bytes_left(b));
		b->end -= b->at;
		b->at = 0;
	}
	size_t want = b->room ? b->room : 256;
	while (want < b->end + n)
		want *= 2;
	if (want == b->room)
		return;
	uint8_t *v = realloc(b->v, want);
	if (!v) {
		fprintf(stderr, "mbload: out of memory\n");
		exit(1);
	}
	b->v = v;
	b->room = want;
}

void bytes_add(struct bytes *b, const void *data, size_t n)
{
	if (n == 0)
		return;
	if (b->room - b->end < n)
		grow(b, n);
	memcpy(b->v + b->end, data, n);
	b->end += n;
}

void bytes_add_u8(struct bytes *b, uint8_t value)
{
	bytes_add(b, &value, 1);
}

void bytes_add_be(struct bytes *b, uint64_t value, unsigned size)
{
	uint8_t v[8];

	for (unsigned i = 0; i < size; i++)
		v[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
	bytes_add(b, v, size);
}

void bytes_add_varint(struct bytes *b, uint32_t value)
{
	while (value > 0x7f) {
		bytes_add_u8(b, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	bytes_add_u8(b, (uint8_t)value);
}

void bytes_add_str(struct bytes *b, const char *text)
{
	size_t n = strlen(text);
	bytes_add_varint(b, (uint32_t)n);
	bytes_add(b, text, n);
}

void bytes_add_frame(struct bytes *b, const struct bytes *body)
{
	bytes_add_varint(b, (uint32_t)bytes_left(body));
	bytes_add(b, bytes_head(body), bytes_left(body));
}

void bytes_skip(struct bytes *b, size_t n)
{
	b->at += n;
	if (b->at < b->end)
		return;
	bytes_clear(b);
	if (b->room > KEEP_BYTES)
		bytes_free(b);
}

void bytes_clear(struct bytes *b)
{
	b->at = 0;
	b->end = 0;
}

void bytes_free(struct bytes *b)
{
	free(b->v);
	*b = (struct bytes){0};
}

int varint_peek(uint32_t *ret, const uint8_t *v, size_t n)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 5; i++) {
		if (i >= n)
			return 0;
		value |= (uint32_t)(v[i] & 0x7f) << (7 * i);
		if (v[i] < 0x80) {
			*ret = value;
			return (int)i + 1;
		}
	}
	return -1;
}
