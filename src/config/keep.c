#include "config/keep.h"

const char *keep_text(struct arena *memory, struct slice s)
{
	char *copy = arena_alloc(memory, s.len + 1);

	if (copy == NULL)
		return NULL;
	if (s.len > 0)
		memcpy(copy, s.p, s.len);
	copy[s.len] = '\0';
	return copy;
}

void *keep_zeroed(struct arena *memory, size_t n, size_t bytes)
{
	size_t all = 0;
	void *p = __builtin_mul_overflow(n, bytes, &all) ? NULL : arena_alloc(memory, all);

	if (p != NULL)
		memset(p, 0, all);
	return p;
}
