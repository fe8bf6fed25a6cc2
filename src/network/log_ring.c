#include "network/log_ring.h"

#include <stdlib.h>

bool log_ring_init(struct log_ring *r)
{
	*r = (struct log_ring){.p = malloc(LOG_RING_BYTES)};
	return r->p != NULL;
}

void log_ring_fini(struct log_ring *r)
{
	free(r->p);
	r->p = NULL;
}

static void copy_in(struct log_ring *r, uint32_t at, const void *from, uint32_t n)
{
	uint32_t start = at % LOG_RING_BYTES;
	uint32_t first = n < LOG_RING_BYTES - start ? n : LOG_RING_BYTES - start;

	memcpy(r->p + start, from, first);
	memcpy(r->p, (const uint8_t *)from + first, n - first);
}

static void copy_out(const struct log_ring *r, uint32_t at, void *to, uint32_t n)
{
	uint32_t start = at % LOG_RING_BYTES;
	uint32_t first = n < LOG_RING_BYTES - start ? n : LOG_RING_BYTES - start;

	memcpy(to, r->p + start, first);
	memcpy((uint8_t *)to + first, r->p, n - first);
}

bool log_ring_put(struct log_ring *r, struct log_line line, struct slice text)
{
	uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);

	line.len = (uint16_t)(text.len > LOG_LINE_MAX ? LOG_LINE_MAX : text.len);
	if (LOG_RING_BYTES - (head - tail) < sizeof(line) + line.len)
		return false;
	copy_in(r, head, &line, sizeof(line));
	if (line.len > 0)
		copy_in(r, head + (uint32_t)sizeof(line), text.p, line.len);
	atomic_store_explicit(&r->head, head + (uint32_t)sizeof(line) + line.len,
			      memory_order_release);
	return true;
}

bool log_ring_take(struct log_ring *r, struct log_line *ret, char *ret_text)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint32_t head = atomic_load_explicit(&r->head, memory_order_acquire);

	if (head == tail)
		return false;
	copy_out(r, tail, ret, sizeof(*ret));
	copy_out(r, tail + (uint32_t)sizeof(*ret), ret_text, ret->len);
	atomic_store_explicit(&r->tail, tail + (uint32_t)sizeof(*ret) + ret->len,
			      memory_order_release);
	return true;
}
