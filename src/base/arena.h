/*
 * Memory for one turn: handed out front to back, dropped all at once. The first block stays for the
 * next turn; turns that needed more give the rest back to the heap.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct arena_block;
struct arena {
	struct arena_block *first, *last;
	size_t block_bytes;
};

/* Allocates nothing yet. */
void arena_init(struct arena *a, size_t block_bytes);
void arena_fini(struct arena *a);

/* 16-byte aligned, uninitialised, valid until arena_reset. NULL when memory is out. */
must_check void *arena_alloc(struct arena *a, size_t bytes);
void arena_reset(struct arena *a);

#endif
