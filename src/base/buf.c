#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUF_MIN = 64 };

void buf_fini(struct buf *b)
{
	free(b->p);
	*b = (struct buf){0};
}

bool buf_reserve(struct buf *b, size_t more)
{
	size_t cap = b->cap == 0 ? BUF_MIN : b->cap;
	uint8_t *p;

	if (more <= b->cap - b->len)
		return true;
	if (more > SIZE_MAX / 4 - b->len)
		return false;
	while (cap - b->len < more)
		cap *= 2;
	p = realloc(b->p, cap);
	if (p == NULL)
		return false;
	b->p = p;
	b->cap = cap;
	return true;
}

bool buf_append(struct buf *b, struct slice s)
{
	if (!buf_reserve(b, s.len))
		return false;
	if (s.len > 0)
		memcpy(b->p + b->len, s.p, s.len);
	b->len += s.len;
	return true;
}

bool buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !buf_reserve(b, (size_t)n + 1))
		return false;
	va_start(ap, fmt);
	(void)vsnprintf((char *)b->p + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
	return true;
}

void buf_drop_front(struct buf *b, size_t n)
{
	if (n < b->len)
		memmove(b->p, b->p + n, b->len - n);
	b->len -= n;
}
