/*
 * The order of a turn, and waking.
 *
 *   sys->wait --> events[] --(dispatch)--> poll, dial, acceptor: their callback at once
 *                               |
 *                               +--> io: flags, ready list --> streams_run: 64 ios or 256 KiB,
 *                                                              one read each --> on_data
 *
 * Timers and mail run before the events of the same wait are dispatched, and may close what those
 * are for: an io is marked and stays valid until the turn's end; everything else is struck from
 * events[] by loop_forget.
 */
#include "io/loop.h"

#include <assert.h>
#include <stdlib.h>

#include "io/loop_inner.h"

struct loop *loop_new(struct sys *sys)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->memory = aligned_alloc(64, TURN_MEMORY);
	if (l->memory == NULL) {
		free(l);
		return NULL;
	}
	l->sys = sys;
	l->now_us = sys->ops->now_us(sys);
	wheel_init(&l->wheel, l->now_us);
	list_init(&l->ready);
	list_init(&l->closing);
	/* The first turn looks for mail that came before it. */
	atomic_init(&l->wake_state, LOOP_WOKEN);
	l->again = true;
	return l;
}

void loop_free(struct loop *l)
{
	if (l == NULL)
		return;
	assert(list_is_empty(&l->ready) && list_is_empty(&l->closing));
	free(l->memory);
	free(l);
}

uint64_t loop_now_us(const struct loop *l)
{
	return l->now_us;
}

struct sys *loop_sys(struct loop *l)
{
	return l->sys;
}

void loop_set_hooks(struct loop *l, struct loop_hooks hooks)
{
	l->hooks = hooks;
}

void loop_wake(struct loop *l)
{
	if (atomic_exchange(&l->wake_state, LOOP_WOKEN) == LOOP_SLEEPING)
		l->sys->ops->wake(l->sys);
}

void loop_forget(struct loop *l, const struct watched *w)
{
	for (int i = l->events_at; i < l->events_n; i++) {
		if (l->events[i].tag == w)
			l->events[i].tag = NULL;
	}
}

static void run_hook(const struct loop *l, void (*hook)(void *arg))
{
	if (hook != NULL)
		hook(l->hooks.arg);
}

uint64_t loop_next_due_us(struct loop *l)
{
	if (l->again || !list_is_empty(&l->ready) || !list_is_empty(&l->closing))
		return 0;
	return wheel_next_us(&l->wheel);
}

static int64_t wait_us(struct loop *l, int64_t max_wait_us)
{
	uint64_t due_us = loop_next_due_us(l);
	uint64_t now_us, left_us;

	if (due_us == UINT64_MAX || max_wait_us == 0)
		return max_wait_us;
	if (due_us == 0)
		return 0;
	/* The turn's time is old by what the turn did since. */
	now_us = l->sys->ops->now_us(l->sys);
	left_us = due_us > now_us ? due_us - now_us : 0;
	return max_wait_us < 0 || left_us < (uint64_t)max_wait_us ? (int64_t)left_us : max_wait_us;
}

static void dispatch(struct loop *l)
{
	while (l->events_at < l->events_n) {
		struct sys_event e = l->events[l->events_at++];
		struct watched *w = e.tag;

		if (w != NULL)
			w->on_events(w, l, e.events);
	}
}

int loop_turn(struct loop *l, int64_t max_wait_us)
{
	int running = LOOP_RUNNING;
	int n = l->sys->ops->wait(l->sys, l->events, WAIT_EVENTS, wait_us(l, max_wait_us));

	if (n < 0)
		return n;
	l->events_at = 0;
	l->events_n = n;
	l->accepts_left = ACCEPTS_PER_TURN;
	l->used = 0;
	l->now_us = l->sys->ops->now_us(l->sys);

	bool woken = atomic_exchange(&l->wake_state, LOOP_RUNNING) == LOOP_WOKEN;
	wheel_run(l);
	if (woken)
		run_hook(l, l->hooks.on_mail);
	dispatch(l);
	streams_run(l);
	run_hook(l, l->hooks.on_flush);
	run_hook(l, l->hooks.on_turn_end);
	streams_finish(l);
	l->again = !atomic_compare_exchange_strong(&l->wake_state, &running, LOOP_SLEEPING);
	return 0;
}
