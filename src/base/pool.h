/*
 * Blocks of a few fixed sizes, kept and used again, so that after warm-up the packet path allocates
 * nothing.
 *
 * A block is either held (somebody owns it), retired (freed at the end of this turn: output of this
 * turn may still point into it) or free. One pool per worker; no locks. `max_bytes` bounds what is
 * held and retired together: past it pool_take returns NULL, and the caller does without.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"

enum {
	POOL_CLASSES = 6,
	POOL_LARGEST = 2 * 1024 * 1024 + 64, /* the largest Minecraft frame and its head */
};

struct block {
	struct list_node node; /* free to use for the holder */
	uint32_t cap;
	uint32_t size_class;
	uint32_t start, len; /* for the holder: what part of p is in use */
	uint8_t p[];
};

struct pool {
	struct list_node free[POOL_CLASSES];
	uint32_t free_n[POOL_CLASSES];
	struct list_node retired;
	size_t held_bytes, max_bytes;
};

void pool_init(struct pool *pool, size_t max_bytes);

/* Frees all free and retired blocks. Held ones must have been given back. */
void pool_fini(struct pool *pool);

/* A block of at least `bytes` (<= POOL_LARGEST), empty. NULL: over the limit or out of memory. */
must_check struct block *pool_take(struct pool *pool, size_t bytes);

/* The same without regard to max_bytes, for what is bounded elsewhere and must not be refused.
 * NULL: out of memory. */
must_check struct block *pool_take_beyond(struct pool *pool, size_t bytes);

/* Gives a block back now. NULL is fine. */
void pool_give(struct pool *pool, struct block *b);

/* Gives a block back at the end of the turn. */
void pool_retire(struct pool *pool, struct block *b);

/* End of turn: retired blocks become free. */
void pool_turn_end(struct pool *pool);

#endif
