/*
 * The clock and the order of things: what is due happens first; then one loop that has something to
 * do makes a turn, by dice; when none has, time moves to the next thing.
 */
#include "sim_world.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim_inner.h"

enum {
	START_US = 1000000,
	TURN_MAX_US = 8,
	TURNS_MAX = 1000000,
	BUFFER_BYTES = 65536,
	LATENCY_US = 50
};

void *sim_alloc(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (p == NULL)
		abort();
	return p;
}

/* xorshift64* */
uint32_t sim_dice(struct sim_world *w, uint32_t n)
{
	w->rng ^= w->rng >> 12;
	w->rng ^= w->rng << 25;
	w->rng ^= w->rng >> 27;
	return (uint32_t)((w->rng * 0x2545F4914F6CDD1DULL) >> 32) % n;
}

bool sim_chance(struct sim_world *w, uint32_t per_mille)
{
	return per_mille > 0 && sim_dice(w, 1000) < per_mille;
}

/* FNV-1a over 64-bit words. */
void sim_note(struct sim_world *w, uint64_t what, uint64_t value)
{
	uint64_t words[3] = {w->now_us, what, value};

	for (size_t i = 0; i < COUNT_OF(words); i++)
		w->trace = (w->trace ^ words[i]) * 0x100000001B3ULL;
}

static struct sim_options with_defaults(struct sim_options o)
{
	if (o.loops == 0)
		o.loops = 1;
	if (o.loops > SIM_SYS_MAX)
		abort();
	if (o.buffer_bytes == 0)
		o.buffer_bytes = BUFFER_BYTES;
	if (o.latency_us == 0)
		o.latency_us = LATENCY_US;
	return o;
}

struct sim_world *sim_world_new(const struct sim_options *o)
{
	struct sim_world *w = sim_alloc(sizeof(*w));

	w->o = with_defaults(*o);
	w->now_us = START_US;
	/* Never zero, and near seeds far apart. */
	w->rng = (o->seed + 1) * 0x9E3779B97F4A7C15ULL | 1;
	list_init(&w->conns);
	list_init(&w->listeners);
	list_init(&w->places);
	for (unsigned i = 0; i < SIM_SYS_MAX; i++) {
		w->syses[i] = (struct sim_sys){.sys = {&sim_sys_ops}, .w = w, .index = i};
		list_init(&w->syses[i].pending);
	}
	return w;
}

static void free_sockets(struct sim_world *w)
{
	for (size_t i = 0; i < w->sockets_n; i++) {
		struct sim_socket *s = w->sockets[i];

		if (s == NULL)
			continue;
		(void)fprintf(stderr, "simulation: descriptor %d was never closed\n", s->fd);
		list_remove(&s->served);
		while (list_take_first(&s->queue) != NULL)
			continue;
		free(s);
	}
	free(w->sockets);
}

size_t sim_world_free(struct sim_world *w)
{
	size_t left = w->open_fds;
	struct list_node *n;

	free_sockets(w);
	while (!list_is_empty(&w->conns))
		sim_conn_free(LIST_ENTRY(w->conns.next, struct sim_conn, node));
	while ((n = list_take_first(&w->places)) != NULL)
		free(LIST_ENTRY(n, struct sim_place, node));
	free(w->heap);
	free(w);
	return left;
}

struct sys *sim_world_sys(struct sim_world *w, unsigned i)
{
	if (i >= w->o.loops)
		abort();
	return &w->syses[i].sys;
}

uint64_t sim_now_us(const struct sim_world *w)
{
	return w->now_us;
}

size_t sim_open_fds(const struct sim_world *w)
{
	return w->open_fds;
}

void sim_set_fd_limit(struct sim_world *w, uint32_t limit)
{
	w->o.fd_limit = limit;
}

uint64_t sim_trace(const struct sim_world *w)
{
	return w->trace;
}

void sim_at(struct sim_world *w, uint64_t at_us, void (*fn)(void *arg), void *arg)
{
	sim_push(w, (struct sim_event){.at_us = at_us, .kind = EV_CALL, .fn = fn, .arg = arg});
}

static void happen(struct sim_world *w, const struct sim_event *e)
{
	sim_note(w, e->kind, e->n);
	if (e->kind == EV_CALL)
		e->fn(e->arg);
	else if (e->kind == EV_WAKE)
		w->syses[e->n].woken = true;
	else
		sim_side_event(e);
}

void sim_settle(struct sim_world *w, uint64_t us)
{
	uint64_t until_us = w->now_us + us;
	struct sim_event e;

	for (;;) {
		while (sim_pop_due(w, &e))
			happen(w, &e);
		if (w->heap_n == 0 || w->heap[0].at_us > until_us)
			break;
		w->now_us = w->heap[0].at_us;
	}
	w->now_us = until_us;
}

/* When loop i wants a turn; UINT64_MAX: not of itself. */
static uint64_t wants_turn_us(struct sim_world *w, struct loop *const *loops, unsigned i)
{
	const struct sim_sys *s = &w->syses[i];
	uint64_t at_us = 0;

	if (!s->woken && list_is_empty(&s->pending))
		at_us = loop_next_due_us(loops[i]);
	return at_us < s->stalled_until_us ? s->stalled_until_us : at_us;
}

/* A loop that can make a turn now, by dice, or -1; then *ret_next_us is when the first one can. */
static int choose_loop(struct sim_world *w, struct loop *const *loops, uint64_t *ret_next_us)
{
	uint64_t next_us = UINT64_MAX;
	uint32_t able = 0;
	int chosen = -1;

	for (unsigned i = 0; i < w->o.loops; i++) {
		uint64_t at_us = wants_turn_us(w, loops, i);

		if (at_us <= w->now_us && sim_dice(w, ++able) == 0)
			chosen = (int)i;
		next_us = at_us < next_us ? at_us : next_us;
	}
	*ret_next_us = next_us;
	return chosen;
}

static void make_turn(struct sim_world *w, struct loop *const *loops, unsigned i)
{
	sim_note(w, 'l', i);
	if (loop_turn(loops[i], 0) != 0)
		abort();
	w->now_us += 1 + sim_dice(w, TURN_MAX_US);
	if (w->o.stall_us > 0)
		w->syses[i].stalled_until_us = w->now_us + sim_dice(w, w->o.stall_us + 1);
}

enum sim_end sim_run(struct sim_world *w, struct loop *const *loops, uint64_t until_us,
		     bool (*done)(void *arg), void *arg)
{
	struct sim_event e;
	uint64_t next_us;

	for (unsigned turns = 0; turns < TURNS_MAX;) {
		if (done != NULL && done(arg))
			return SIM_DONE;
		if (w->now_us >= until_us)
			return SIM_TIME;
		if (sim_pop_due(w, &e)) {
			happen(w, &e);
			continue;
		}
		int chosen = choose_loop(w, loops, &next_us);
		if (chosen >= 0) {
			make_turn(w, loops, (unsigned)chosen);
			turns++;
			continue;
		}
		if (w->heap_n > 0 && w->heap[0].at_us < next_us)
			next_us = w->heap[0].at_us;
		if (next_us == UINT64_MAX)
			return SIM_IDLE;
		w->now_us = next_us < until_us ? next_us : until_us;
	}
	return SIM_STUCK;
}
