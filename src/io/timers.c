/*
 * The timer wheel. A tick is 1 ms. Level 0 holds the next 64 ticks, one slot each; a slot of level
 * k spans 64^k ticks and is dealt out to the levels below when its first tick comes. What lies past
 * the last level (4.6 h) waits at its far end and is placed again from there.
 *
 * A tick is due when the clock has passed it whole: timers are never early.
 */
#include "io/loop_inner.h"

#include "base/clock.h"

#define WHEEL_SPAN (1ULL << (WHEEL_BITS * WHEEL_LEVELS))

static unsigned slot_of(uint64_t tick, unsigned level)
{
	return (unsigned)(tick >> (WHEEL_BITS * level)) & (WHEEL_SLOTS - 1);
}

void wheel_init(struct wheel *w, uint64_t now_us)
{
	w->next = now_us / US_PER_MS + 1;
	list_init(&w->overdue);
	for (unsigned level = 0; level < WHEEL_LEVELS; level++) {
		w->bits[level] = 0;
		for (unsigned slot = 0; slot < WHEEL_SLOTS; slot++)
			list_init(&w->slots[level][slot]);
	}
}

static void wheel_put(struct wheel *w, struct timer *t)
{
	uint64_t tick = t->due_us / US_PER_MS + (t->due_us % US_PER_MS != 0);
	unsigned level = 0;

	if (tick < w->next) {
		list_append(&w->overdue, &t->node);
		return;
	}
	if (tick - w->next >= WHEEL_SPAN)
		tick = w->next + WHEEL_SPAN - 1;
	while ((tick - w->next) >> (WHEEL_BITS * (level + 1)) != 0)
		level++;
	list_append(&w->slots[level][slot_of(tick, level)], &t->node);
	w->bits[level] |= 1ULL << slot_of(tick, level);
}

void timer_init(struct timer *t, void (*on_due)(struct timer *t))
{
	*t = (struct timer){.on_due = on_due};
	list_init(&t->node);
}

bool timer_is_armed(const struct timer *t)
{
	return t->node.next != NULL && !list_is_empty(&t->node);
}

void timer_disarm(struct timer *t)
{
	if (timer_is_armed(t))
		list_remove(&t->node);
}

void timer_arm(struct loop *l, struct timer *t, uint64_t due_us)
{
	timer_disarm(t);
	t->due_us = due_us;
	wheel_put(&l->wheel, t);
}

/* The first tick >= next at which a slot of this level with timers in it begins, or UINT64_MAX. */
static uint64_t level_next(struct wheel *w, unsigned level)
{
	unsigned shift = WHEEL_BITS * level;
	uint64_t first = (w->next + (1ULL << shift) - 1) >> shift;

	while (w->bits[level] != 0) {
		unsigned at = (unsigned)first & (WHEEL_SLOTS - 1);
		uint64_t turned = w->bits[level] >> at | w->bits[level]
								 << (-at & (WHEEL_SLOTS - 1));
		unsigned ahead = (unsigned)__builtin_ctzll(turned);
		unsigned slot = (at + ahead) & (WHEEL_SLOTS - 1);

		if (!list_is_empty(&w->slots[level][slot]))
			return (first + ahead) << shift;
		w->bits[level] &= ~(1ULL << slot);
	}
	return UINT64_MAX;
}

static uint64_t wheel_next_tick(struct wheel *w)
{
	uint64_t tick = UINT64_MAX;

	for (unsigned level = 0; level < WHEEL_LEVELS; level++) {
		uint64_t at = level_next(w, level);

		if (at < tick)
			tick = at;
	}
	return tick;
}

uint64_t wheel_next_us(struct wheel *w)
{
	uint64_t tick;

	if (!list_is_empty(&w->overdue))
		return 0;
	tick = wheel_next_tick(w);
	return tick == UINT64_MAX ? tick : tick * US_PER_MS;
}

/* w->next is the slot's first tick: everything in it lands on a lower level. */
static void deal_out(struct wheel *w, unsigned level)
{
	unsigned slot = slot_of(w->next, level);
	struct list_node all;
	struct list_node *n;

	list_init(&all);
	list_splice(&all, &w->slots[level][slot]);
	w->bits[level] &= ~(1ULL << slot);
	while ((n = list_take_first(&all)) != NULL)
		wheel_put(w, LIST_ENTRY(n, struct timer, node));
}

static void collect_due(struct wheel *w, uint64_t last, struct list_node *due)
{
	uint64_t tick;

	list_splice(due, &w->overdue);
	while ((tick = wheel_next_tick(w)) <= last) {
		w->next = tick;
		for (unsigned level = WHEEL_LEVELS - 1; level > 0; level--) {
			if (tick % (1ULL << (WHEEL_BITS * level)) == 0)
				deal_out(w, level);
		}
		list_splice(due, &w->slots[0][slot_of(tick, 0)]);
		w->next = tick + 1;
	}
	w->next = last + 1;
}

void wheel_run(struct loop *l)
{
	struct list_node due;
	struct list_node *n;
	uint64_t last = l->now_us / US_PER_MS;

	if (last < l->wheel.next && list_is_empty(&l->wheel.overdue))
		return;
	list_init(&due);
	collect_due(&l->wheel, last, &due);
	while ((n = list_take_first(&due)) != NULL) {
		struct timer *t = LIST_ENTRY(n, struct timer, node);

		t->on_due(t);
	}
}
