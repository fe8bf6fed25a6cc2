/* A borrowed run of bytes: never owns, never frees. */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
	const uint8_t *p;
	size_t len;
};

#define SLICE_LIT(text) ((struct slice){(const uint8_t *)(text), sizeof(text) - 1})

static inline struct slice slice_of(const void *p, size_t len)
{
	return (struct slice){(const uint8_t *)p, len};
}

static inline struct slice slice_str(const char *text)
{
	return slice_of(text, strlen(text));
}

static inline bool slice_eq(struct slice a, struct slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* Cuts the first n bytes off s (n <= s->len) and returns them. */
static inline struct slice slice_cut(struct slice *s, size_t n)
{
	struct slice head = {s->p, n};

	if (n > 0)
		s->p += n;
	s->len -= n;
	return head;
}

static inline bool slice_starts(struct slice s, struct slice prefix)
{
	return s.len >= prefix.len && slice_eq((struct slice){s.p, prefix.len}, prefix);
}

/* ASCII letters compare without case; all other bytes as they are. */
bool slice_eq_nocase(struct slice a, struct slice b);

/* Index of the first `byte`, or s.len. */
static inline size_t slice_find(struct slice s, uint8_t byte)
{
	const uint8_t *at = s.len == 0 ? NULL : memchr(s.p, byte, s.len);

	return at == NULL ? s.len : (size_t)(at - s.p);
}

#endif
