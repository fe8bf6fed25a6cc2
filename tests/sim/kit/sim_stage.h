/*
 * The whole proxy on one virtual clock: a hub and three workers over the world in memory, as
 * src/app assembles them, and what must hold at every moment and at the end.
 *
 *   sim_player ==> FRONT -> worker 0..2 -> sim_backend          hub <- mail -> workers
 *
 * Always checked: every connection that was accepted ends by exactly one row of the ends table;
 * one name is held by one session at most, over all workers; at the end limits, descriptors, pool
 * bytes, mailboxes and names are back at zero. A check that fails aborts with a line that names
 * the seed.
 */
#ifndef SIM_STAGE_H
#define SIM_STAGE_H

#include "base/buf.h"
#include "session/worker.h"
#include "world/sim_world.h"

enum { STAGE_WORKERS = 3, STAGE_HUB = STAGE_WORKERS, STAGE_LOOPS };
#define STAGE_FRONT "127.0.0.1:25577"

struct stage_row {
	bool ended;
	char why[32];
	char name[32];
};

struct stage {
	struct sim_world *world;
	uint64_t seed;
	struct settings *settings;
	struct loop *loops[STAGE_LOOPS];
	struct worker workers[STAGE_WORKERS];
	struct desk desks[STAGE_WORKERS];
	struct desk *desk_list[STAGE_WORKERS];
	int fronts[STAGE_WORKERS];
	struct hub *hub;
	struct stage_row *rows; /* by connection id */
	size_t row_cap;
	uint64_t log_hash;
	uint64_t names_due_us;
	size_t frozen; /* sessions that are on no worker right now */
	size_t most_pool_bytes;
	int32_t last_serial; /* of Join Games */
	bool draining;
	uint64_t drain_us;
	/* Asked before each step; the test's. */
	void (*on_step)(struct stage *st);
	void *arg;
};

/* A failed check: prints the seed and aborts. */
void stage_fail(const struct stage *st, const char *fmt, ...) printf_like(2, 3)
	__attribute__((noreturn));
#define stage_check(st, ok, ...)                       \
	do {                                           \
		if (!(ok))                             \
			stage_fail((st), __VA_ARGS__); \
	} while (0)

/* yaml: what the test adds to a config that listens at STAGE_FRONT. o->loops is set here. */
struct stage *stage_new(const struct sim_options *o, const char *yaml);

/* Lets us of virtual time pass. */
void stage_run_for(struct stage *st, uint64_t us);

/* Until `done` says so; fails the test when that takes longer than within_us. */
void stage_run_until(struct stage *st, bool (*done)(struct stage *st), uint64_t within_us,
		     const char *what);

/* No session, no link, no claim under way. */
bool stage_is_quiet(struct stage *st);

/* SIGTERM's. */
void stage_drain(struct stage *st);

/* Waits until the proxy is quiet (players are expected to leave), drains, checks that nothing is
 * left. Returns the trace: of the world and of every log line. */
uint64_t stage_finish(struct stage *st);
void stage_free(struct stage *st);

/* Ended connections with this label of the ends table. */
unsigned stage_ends(const struct stage *st, const char *label);
/* A counter by its offset in struct counters, summed over the workers. */
uint64_t stage_counter(const struct stage *st, size_t offset);

/* MOONBRIDGE_SEEDS, or n. */
unsigned stage_seeds(unsigned n);

#endif
