/* A heap buffer that grows. For cold paths: login, config, texts. Nothing per packet uses it. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/attr.h"
#include "base/slice.h"

struct buf {
	uint8_t *p;
	size_t len, cap;
};

/* All zero is a valid empty buffer. buf_fini leaves it empty and usable. */
void buf_fini(struct buf *b);

/* Room for `more` bytes behind len. False when memory is out: the buffer is unchanged. */
must_check bool buf_reserve(struct buf *b, size_t more);
must_check bool buf_append(struct buf *b, struct slice s);
must_check bool buf_printf(struct buf *b, const char *fmt, ...) printf_like(2, 3);

/* Drops the first n bytes (n <= len); the memory stays. */
void buf_drop_front(struct buf *b, size_t n);

static inline struct slice buf_slice(const struct buf *b)
{
	return (struct slice){b->p, b->len};
}

#endif
