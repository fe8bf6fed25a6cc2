#include "load.h"

#include <stdio.h>
#include <stdlib.h>

void samples_add(struct samples *s, uint64_t us)
{
	if (s->n == s->room) {
		size_t room = s->room ? s->room * 2 : 1024;
		uint32_t *v = realloc(s->us, room * sizeof(*v));
		if (!v)
			return;
		s->us = v;
		s->room = room;
	}
	s->us[s->n++] = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

double samples_ms(struct samples *s, double share)
{
	if (!s->n)
		return 0;
	qsort(s->us, s->n, sizeof(*s->us), by_value);
	size_t i = (size_t)(share * (double)s->n);
	return s->us[i < s->n ? i : s->n - 1] / 1000.0;
}

void samples_free(struct samples *s)
{
	free(s->us);
	*s = (struct samples){0};
}

void print_json_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}
