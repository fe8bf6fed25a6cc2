/*
 * A world in memory under io/sys.h: one virtual clock, several loops, stream sockets with latency
 * and bounded buffers, outside peers played by test code, and seeded mischief. The same seed gives
 * the same trace.
 *
 *   test code: sim_peer  <==== latency, segments, FIN, RST ====>  descriptor <- sys_ops <- loop i
 *   test code: sim_at    --------- its time comes --------->  callback
 *
 * Edge-triggered watching is as strict as epoll's: an edge for each arrival and for room after a
 * full send, and nothing else; what a short read leaves behind is announced again. Descriptors are
 * never used twice, and a call on one that is closed or unknown aborts: it is a bug of the program.
 *
 * Addresses are text: "10.0.0.1:25565", "[::1]:80" (as addr_format writes them) or a path that
 * starts with '/'.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "io/loop.h"

struct sim_world;
struct sim_peer;

enum { SIM_SYS_MAX = 8 };

/* All zero gives a friendly world: no mischief, 64 KiB buffers, 50 us latency. */
struct sim_options {
	uint64_t seed;
	unsigned loops;                 /* 0: 1 */
	uint32_t latency_us, jitter_us; /* per connection and direction up to twice latency; per
					   segment + jitter */
	uint32_t buffer_bytes;          /* per direction */
	uint32_t segment_bytes;         /* sends arrive in pieces of 1 to this; 0: whole */
	uint32_t wake_delay_us;         /* loop_wake takes up to this */
	uint32_t stall_us;              /* after a turn a loop may lose its CPU for up to this */
	uint32_t short_per_mille;       /* of the program's reads; the rest is announced again */
	uint32_t reset_per_mille; /* of the program's reads and sends: both sides see a reset */
	uint32_t fd_limit;        /* open descriptors; 0: none. More: -EMFILE */
};

/* Aborts when memory is out, as everything here does. */
struct sim_world *sim_world_new(const struct sim_options *o);

/* Number of descriptors that the program left open. */
size_t sim_world_free(struct sim_world *w);

struct sys *sim_world_sys(struct sim_world *w, unsigned i);
uint64_t sim_now_us(const struct sim_world *w);
size_t sim_open_fds(const struct sim_world *w);
void sim_set_fd_limit(struct sim_world *w, uint32_t limit); /* 0: none */

/* Everything that happened so far, as one number. */
uint64_t sim_trace(const struct sim_world *w);

/* The world's own dice, so that a test needs no other seed. 0 <= result < n; n > 0. */
uint32_t sim_dice(struct sim_world *w, uint32_t n);

enum sim_end {
	SIM_DONE, /* `done` said so */
	SIM_TIME, /* until_us was reached */
	SIM_IDLE, /* nothing will ever happen again */
	SIM_STUCK /* a million turns */
};

/* Steps loops[i] on sim_world_sys(w, i), in an order by seed, and advances the clock when all are
 * idle. `done` is asked before each step and may be NULL. A failed turn aborts. */
enum sim_end sim_run(struct sim_world *w, struct loop *const *loops, uint64_t until_us,
		     bool (*done)(void *arg), void *arg);

/* Lets time pass while no loop gets a turn: what is under way arrives. */
void sim_settle(struct sim_world *w, uint64_t us);

/* Calls back once, between turns. */
void sim_at(struct sim_world *w, uint64_t at_us, void (*fn)(void *arg), void *arg);

/* What becomes of connections to an address that is not served; SIM_REFUSE where nothing was said.
 */
enum sim_fate { SIM_REFUSE, SIM_SILENCE };
void sim_set_fate(struct sim_world *w, const char *at, enum sim_fate fate);

/*
 * The program's listening sockets, for acceptor_open. Several on one address share it like
 * SO_REUSEPORT; one may
 * be watched by several loops. Closed by sys->close.
 */
int sim_listener(struct sim_world *w, const char *at);

/*
 * Outside peers. on_event comes between turns, whenever something changed, with all that is true at
 * that moment: SYS_OUT (connected and room to send), SYS_IN, SYS_HUP (the program closed, or the
 * connection is broken or was refused: read to learn which).
 */
struct sim_peer_ops {
	void (*on_event)(struct sim_peer *p, unsigned events);
};

struct sim_peer {
	const struct sim_peer_ops *ops;
	void *arg;             /* the test's */
	struct sim_side *side; /* private */
};

/* A peer comes from `from` ("192.0.2.7:4000"; NULL: 127.0.0.1) to a listening socket, the program's
 * or sim_listen. */
struct sim_peer *sim_dial(struct sim_world *w, const char *at, const char *from,
			  const struct sim_peer_ops *ops, void *arg);

/* Serves an address. on_accept gives p->ops. */
void sim_listen(struct sim_world *w, const char *at,
		void (*on_accept)(void *arg, struct sim_peer *p), void *arg);
void sim_unlisten(struct sim_world *w, const char *at);

/* Like the system calls, errors as -errno. */
ssize_t sim_peer_send(struct sim_peer *p, const void *bytes, size_t n);
ssize_t sim_peer_recv(struct sim_peer *p, void *ret, size_t n);
void sim_peer_shutdown(struct sim_peer *p); /* FIN; still reads */

/* The peer is gone for the test after either. Closing with unread input resets, as Linux does. */
void sim_peer_close(struct sim_peer *p);
void sim_peer_reset(struct sim_peer *p);

#endif
