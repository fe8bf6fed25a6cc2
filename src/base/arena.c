#include "base/arena.h"

#include <stdlib.h>

struct arena_block {
	struct arena_block *next;
	size_t used, cap;
	_Alignas(16) uint8_t p[];
};

void arena_init(struct arena *a, size_t block_bytes)
{
	*a = (struct arena){.block_bytes = block_bytes};
}

static void free_from(struct arena_block *b)
{
	while (b != NULL) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
}

void arena_fini(struct arena *a)
{
	free_from(a->first);
	a->first = a->last = NULL;
}

static struct arena_block *grow(struct arena *a, size_t bytes)
{
	size_t cap = bytes > a->block_bytes ? bytes : a->block_bytes;
	struct arena_block *b = malloc(sizeof(*b) + cap);

	if (b == NULL)
		return NULL;
	*b = (struct arena_block){.cap = cap};
	if (a->last == NULL)
		a->first = b;
	else
		a->last->next = b;
	a->last = b;
	return b;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	struct arena_block *b = a->last;
	size_t rounded = (bytes + 15) & ~(size_t)15;

	if (bytes > SIZE_MAX / 4)
		return NULL;
	if (b == NULL || b->cap - b->used < rounded)
		b = grow(a, rounded);
	if (b == NULL)
		return NULL;
	b->used += rounded;
	return b->p + b->used - rounded;
}

void arena_reset(struct arena *a)
{
	if (a->first == NULL)
		return;
	free_from(a->first->next);
	a->first->next = NULL;
	a->first->used = 0;
	a->last = a->first;
}
