/* What will happen, in a binary heap: earliest first, and in the order of planning at the same
 * time. */
#include "sim_inner.h"

#include <stdlib.h>

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

static void swap(struct sim_event *a, struct sim_event *b)
{
	struct sim_event kept = *a;

	*a = *b;
	*b = kept;
}

void sim_push(struct sim_world *w, struct sim_event e)
{
	size_t i = w->heap_n;

	if (w->heap_n == w->heap_cap) {
		w->heap_cap = w->heap_cap == 0 ? 64 : w->heap_cap * 2;
		w->heap = realloc(w->heap, w->heap_cap * sizeof(e));
		if (w->heap == NULL)
			abort();
	}
	if (e.side != NULL)
		e.side->conn->refs++;
	e.order = w->order++;
	w->heap[w->heap_n++] = e;
	for (; i > 0 && is_before(&w->heap[i], &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&w->heap[i], &w->heap[(i - 1) / 2]);
}

static void sink(struct sim_world *w)
{
	size_t i = 0;

	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < w->heap_n; child++) {
			if (is_before(&w->heap[child], &w->heap[least]))
				least = child;
		}
		if (least == i)
			return;
		swap(&w->heap[i], &w->heap[least]);
		i = least;
	}
}

bool sim_pop_due(struct sim_world *w, struct sim_event *ret)
{
	if (w->heap_n == 0 || w->heap[0].at_us > w->now_us)
		return false;
	*ret = w->heap[0];
	w->heap[0] = w->heap[--w->heap_n];
	sink(w);
	return true;
}
