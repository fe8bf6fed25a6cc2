/* The loop's inside, shared by the files of src/io that make it up. Nobody else includes this. */
#ifndef IO_LOOP_INNER_H
#define IO_LOOP_INNER_H

#include <stdatomic.h>

#include "io/loop.h"

enum {
	WHEEL_LEVELS = 4,
	WHEEL_BITS = 6, /* of a tick number, per level */
	WHEEL_SLOTS = 1 << WHEEL_BITS,
	WAIT_EVENTS = 128,
	/* A full turn of full reads fits exactly. */
	TURN_MEMORY = TURN_BYTES + TURN_BYTES / READ_MAX * HEADROOM,
};

struct wheel {
	uint64_t next; /* the first tick that was not run yet */
	/* Slots that may hold timers. Disarming does not know its slot, so bits are cleared when
	 * met empty. */
	uint64_t bits[WHEEL_LEVELS];
	struct list_node slots[WHEEL_LEVELS][WHEEL_SLOTS];
	struct list_node overdue; /* armed for a tick that was already run */
};

/* Between turns a loop counts as SLEEPING. Only the step from there to WOKEN is a system call. */
enum wake_state { LOOP_RUNNING, LOOP_SLEEPING, LOOP_WOKEN };

struct loop {
	struct sys *sys;
	uint64_t now_us;
	struct loop_hooks hooks;
	atomic_int wake_state;
	bool again; /* woken in mid-turn: the next wait must not block */

	struct wheel wheel;
	struct list_node ready;   /* ios with something to do: next turn's first */
	struct list_node closing; /* ios whose on_closed is due */
	struct io *current;       /* whose callback runs; NULL once it was detached in there */
	struct acceptor *accepting;
	unsigned accepts_left;

	struct sys_event
		events[WAIT_EVENTS]; /* of this turn's wait; [at, n) are not dispatched yet */
	int events_at, events_n;

	uint8_t *memory; /* TURN_MEMORY */
	size_t used;
};

/* Drops what the running turn still has to say to w, whose memory may go now. */
void loop_forget(struct loop *l, const struct watched *w);

/* Up to TURN_IOS ready ios: on_writable, on_data, on_eof. */
void streams_run(struct loop *l);
/* on_closed for all that are closing. */
void streams_finish(struct loop *l);

void wheel_init(struct wheel *w, uint64_t now_us);
/* on_due of everything due at l->now_us. What is armed meanwhile waits for the next turn. */
void wheel_run(struct loop *l);
/* When wheel_run has something to do: never later than the first timer. UINT64_MAX: no timers. */
uint64_t wheel_next_us(struct wheel *w);

#endif
