#include "base/idmap.h"

#include <stdlib.h>

enum { CAP_MIN = 64 };

void idmap_fini(struct idmap *m)
{
	free(m->v);
	*m = (struct idmap){0};
}

static uint32_t slot_of(const struct idmap *m, uint64_t id)
{
	return (uint32_t)(id * 0x9E3779B97F4A7C15ull >> 32) & (m->cap - 1);
}

static uint32_t find(const struct idmap *m, uint64_t id)
{
	uint32_t i = slot_of(m, id);

	while (m->v[i].id != 0 && m->v[i].id != id)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static bool resize(struct idmap *m, uint32_t cap)
{
	struct idmap bigger = {.v = calloc(cap, sizeof(*m->v)), .n = m->n, .cap = cap};

	if (bigger.v == NULL)
		return false;
	for (uint32_t i = 0; i < m->cap; i++) {
		if (m->v[i].id != 0)
			bigger.v[find(&bigger, m->v[i].id)] = m->v[i];
	}
	free(m->v);
	*m = bigger;
	return true;
}

bool idmap_put(struct idmap *m, uint64_t id, void *value)
{
	if (m->n + 1 > m->cap / 4 * 3 && !resize(m, m->cap == 0 ? CAP_MIN : m->cap * 2))
		return false;
	m->v[find(m, id)] = (struct idmap_entry){id, value};
	m->n++;
	return true;
}

void *idmap_get(const struct idmap *m, uint64_t id)
{
	return m->cap == 0 ? NULL : m->v[find(m, id)].value;
}

/* Entries behind the hole move forward when their own place lies at or before it: no tombstones. */
static void close_hole(struct idmap *m, uint32_t hole)
{
	uint32_t mask = m->cap - 1;

	for (uint32_t i = (hole + 1) & mask; m->v[i].id != 0; i = (i + 1) & mask) {
		uint32_t home = slot_of(m, m->v[i].id);

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		m->v[hole] = m->v[i];
		hole = i;
	}
	m->v[hole] = (struct idmap_entry){0};
}

void idmap_remove(struct idmap *m, uint64_t id)
{
	uint32_t i = m->cap == 0 ? 0 : find(m, id);

	if (m->cap == 0 || m->v[i].id == 0)
		return;
	m->n--;
	close_hole(m, i);
	if (m->cap > CAP_MIN && m->n < m->cap / 8)
		(void)resize(m, m->cap / 2);
}
