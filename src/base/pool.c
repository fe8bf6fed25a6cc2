#include "base/pool.h"

#include <assert.h>
#include <stdlib.h>

static const uint32_t class_bytes[POOL_CLASSES] = {512, 4096, 16384, 65536, 262144, POOL_LARGEST};
/* Free blocks past this many go back to the heap: a peak must not stay for ever. */
static const uint32_t class_keep[POOL_CLASSES] = {256, 256, 64, 32, 8, 2};

void pool_init(struct pool *pool, size_t max_bytes)
{
	*pool = (struct pool){.max_bytes = max_bytes};
	for (unsigned i = 0; i < POOL_CLASSES; i++)
		list_init(&pool->free[i]);
	list_init(&pool->retired);
}

static void free_all(struct list_node *head)
{
	struct list_node *n;

	while ((n = list_take_first(head)) != NULL)
		free(LIST_ENTRY(n, struct block, node));
}

void pool_fini(struct pool *pool)
{
	for (unsigned i = 0; i < POOL_CLASSES; i++)
		free_all(&pool->free[i]);
	free_all(&pool->retired);
}

static uint32_t class_for(size_t bytes)
{
	uint32_t size_class = 0;

	while (class_bytes[size_class] < bytes)
		size_class++;
	return size_class;
}

struct block *pool_take(struct pool *pool, size_t bytes)
{
	assert(bytes <= POOL_LARGEST);
	if (pool->held_bytes + class_bytes[class_for(bytes)] > pool->max_bytes)
		return NULL;
	return pool_take_beyond(pool, bytes);
}

struct block *pool_take_beyond(struct pool *pool, size_t bytes)
{
	assert(bytes <= POOL_LARGEST);
	uint32_t size_class = class_for(bytes);
	struct list_node *n;
	struct block *b;

	n = list_take_first(&pool->free[size_class]);
	if (n != NULL) {
		b = LIST_ENTRY(n, struct block, node);
		pool->free_n[size_class]--;
	} else {
		b = malloc(sizeof(*b) + class_bytes[size_class]);
		if (b == NULL)
			return NULL;
		list_init(&b->node);
		b->cap = class_bytes[size_class];
		b->size_class = size_class;
	}
	b->start = b->len = 0;
	pool->held_bytes += b->cap;
	return b;
}

void pool_give(struct pool *pool, struct block *b)
{
	if (b == NULL)
		return;
	pool->held_bytes -= b->cap;
	if (pool->free_n[b->size_class] >= class_keep[b->size_class]) {
		free(b);
		return;
	}
	list_append(&pool->free[b->size_class], &b->node);
	pool->free_n[b->size_class]++;
}

void pool_retire(struct pool *pool, struct block *b)
{
	if (b != NULL)
		list_append(&pool->retired, &b->node);
}

void pool_turn_end(struct pool *pool)
{
	struct list_node *n;

	while ((n = list_take_first(&pool->retired)) != NULL)
		pool_give(pool, LIST_ENTRY(n, struct block, node));
}
