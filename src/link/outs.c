#include "link/filter.h"

bool outs_insert(struct outs *o, unsigned at, struct out entry, struct arena *turn)
{
	if (o->n == o->cap) {
		unsigned cap = o->cap == 0 ? 8 : o->cap * 2u;
		struct out *v = cap > UINT16_MAX ? NULL : arena_alloc(turn, cap * sizeof(*v));

		if (v == NULL)
			return false;
		if (o->n > 0)
			memcpy(v, o->v, o->n * sizeof(*v));
		o->v = v;
		o->cap = (uint16_t)cap;
	}
	memmove(&o->v[at + 1], &o->v[at], (o->n - at) * sizeof(*o->v));
	o->v[at] = entry;
	o->n++;
	return true;
}
