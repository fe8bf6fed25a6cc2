/*
 * The event loop: one per thread, completion-shaped. It reads into memory of its own and hands
 * chunks out; sends are given over once per io in the flush step and answer in the same turn;
 * closing ends in on_closed.
 *
 *   wait -> timers -> mail -> on_data (64 ios, or 256 KiB) -> on_flush -> turn end: on_closed
 *
 * What is still readable stays on the ready list and goes first next turn. Everything here is
 * called on the loop's own thread, except loop_wake and mailbox_take. Nothing here logs.
 */
#ifndef IO_LOOP_H
#define IO_LOOP_H

#include "base/attr.h"
#include "base/list.h"
#include "base/slice.h"
#include "io/sys.h"

enum {
	HEADROOM = 16,           /* free bytes before every chunk */
	READ_MAX = 65536,        /* one read */
	TURN_BYTES = 256 * 1024, /* all reads of a turn */
	TURN_IOS = 64,
	ACCEPTS_PER_TURN = 64,
};

struct loop;
struct io;
struct timer;

/* The loop's memory, writable, HEADROOM bytes free before p; dies with the turn. */
struct chunk {
	uint8_t *p;
	uint32_t len;
};

struct io_ops {
	/* At most one per io and turn; never while paused or closed. */
	void (*on_data)(struct io *io, struct chunk in);
	/* Once, after every received byte was delivered: 0 = FIN, else -errno. Not while paused;
	 * after resume then. */
	void (*on_eof)(struct io *io, int err);
	/* Once after a send that took less than all. Comes while paused too. */
	void (*on_writable)(struct io *io);
	/* The last call, at the end of a turn: memory may be reused. */
	void (*on_closed)(struct io *io);
};

/* What every descriptor in the loop starts with; the loop's own business. */
struct watched {
	void (*on_events)(struct watched *w, struct loop *l, unsigned events);
};

struct io {
	struct watched watched;
	const struct io_ops *ops;
	struct list_node node; /* ready or closing */
	int fd;
	uint32_t flags; /* private */
};

/* The loop owns fd from here on, also when this fails (-errno): then it is closed and on_closed
 * never comes. */
must_check int io_open(struct loop *l, struct io *io, int fd, const struct io_ops *ops);
void io_pause(struct loop *l, struct io *io);
void io_resume(struct loop *l, struct io *io);
bool io_is_paused(const struct io *io);

/* Flush step (or any time within a turn; once per turn is the intent). Bytes taken (0: full;
 * on_writable will come), or -errno for a connection that is gone. */
must_check ssize_t io_send(struct loop *l, struct io *io, const struct iovec *v, unsigned n);
int io_shutdown_write(struct loop *l, struct io *io);

/* No further call but on_closed, which comes at the end of this turn. Harmless when already
 * closing. */
void io_close(struct loop *l, struct io *io);

/* Takes a descriptor out alive: the loop forgets it at once and on_closed never comes. Unread bytes
 * stay in the kernel (the epoll back end reads only what it delivers). */
must_check int io_detach(struct loop *l, struct io *io);

/* Foreign descriptors (c-ares, signals): level-triggered. */
struct poll {
	struct watched watched;
	int fd;
	void (*on_ready)(struct poll *p, unsigned events); /* enum sys_events */
};
must_check int poll_open(struct loop *l, struct poll *p, int fd, unsigned events);
int poll_change(struct loop *l, struct poll *p, unsigned events);
void poll_close(struct loop *l, struct poll *p); /* forgets it; does not close fd */

/* Timers: intrusive, in a wheel of 1 ms ticks (four levels); never early, late by the turn. All
 * zero: unarmed. */
struct timer {
	struct list_node node;
	uint64_t due_us;
	void (*on_due)(struct timer *t);
};
void timer_init(struct timer *t, void (*on_due)(struct timer *t));
void timer_arm(struct loop *l, struct timer *t, uint64_t due_us); /* re-arms when armed */
void timer_disarm(struct timer *t);
bool timer_is_armed(const struct timer *t);

/* Listening sockets: at most ACCEPTS_PER_TURN a turn. On EMFILE/ENFILE the spare descriptor is used
 * to accept and close, on_exhausted is called, and accepting pauses for 100 ms. */
struct acceptor {
	struct watched watched;
	int fd;
	struct loop *loop;
	struct timer again; /* the end of a pause */
	bool shared, paused;
	/* Owns fd; may close the acceptor. */
	void (*on_accept)(struct acceptor *a, int fd, const struct sockaddr_storage *peer);
	void (*on_exhausted)(struct acceptor *a);
};
must_check int acceptor_open(struct loop *l, struct acceptor *a, int fd, bool shared);
void acceptor_close(struct loop *l, struct acceptor *a); /* forgets it; does not close fd */

/* sys is borrowed. NULL: out of memory. */
must_check struct loop *loop_new(struct sys *sys);
/* Everything opened in it must be closed and a last turn made. */
void loop_free(struct loop *l);

/* Time of this turn (read once after wait; refreshed before on_flush is not needed). */
uint64_t loop_now_us(const struct loop *l);
struct sys *loop_sys(struct loop *l);

struct loop_hooks {
	void (*on_mail)(void *arg);     /* after timers: every turn that was woken, and the first */
	void (*on_flush)(void *arg);    /* after input */
	void (*on_turn_end)(void *arg); /* before chunks die and on_closed */
	void *arg;
};
void loop_set_hooks(struct loop *l, struct loop_hooks hooks);

/* One turn; max_wait_us < 0: until something happens. 0, or -errno of wait. */
must_check int loop_turn(struct loop *l, int64_t max_wait_us);

/* When the loop wants its next turn though nothing happens (0: now, UINT64_MAX: never); at or
 * before the first timer. For those who drive loops on a clock of their own. */
uint64_t loop_next_due_us(struct loop *l);

/* Makes a waiting or the next turn run on_mail. Any thread. */
void loop_wake(struct loop *l);

#endif
