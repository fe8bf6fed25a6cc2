/*
 * A peer as a byte stream: filters over a socket, output gathered per turn and written once.
 *
 *   in:   io chunk -> filter (wire) -> ... -> filter (top) -> on_bytes
 *   out:  link_push ... link_push    then, in the flush step, once:
 *         outs -> filter (top) -> ... -> filter (wire) -> [backlog, outs] -> one writev
 *                                                          what it did not take -> backlog
 *
 * What the socket did not take is copied into pooled blocks, in wire form, and goes first next
 * time. Above the high mark the owner is told to stop its source (on_full), below the low mark to
 * go on (on_drained).
 *
 * A link is made from a descriptor and ends in one of two ways: link_retire (everything queued is
 * still sent, then FIN, then input is discarded until the peer's FIN or 5 s) or link_drop (at
 * once). After either the owner must not touch it again; its memory goes when the loop is done with
 * it. One thread: the worker's.
 */
#ifndef LINK_LINK_H
#define LINK_LINK_H

#include "base/arena.h"
#include "base/attr.h"
#include "base/buf.h"
#include "base/pool.h"
#include "io/loop.h"
#include "link/filter.h"

struct link;

struct link_ops {
	/* Bytes from the topmost filter; writable memory that lives until the end of the turn. The
	 * callee may enable a filter for what follows (link_enable) and then must not read on
	 * itself. */
	void (*on_bytes)(struct link *l, struct slice in);
	/* Once: FIN (0), -errno, or -EPROTO when a filter refused the bytes: link_complaint. */
	void (*on_eof)(struct link *l, int err);
	/* The socket takes nothing any more (-errno): output is thrown away from here on; input
	 * still comes. */
	void (*on_broken)(struct link *l, int err);
	void (*on_full)(struct link *l);
	void (*on_drained)(struct link *l);
	/* Had output, and not one byte was taken for stall_us. */
	void (*on_stalled)(struct link *l);
};

/* What the links of one worker share. */
struct links {
	struct loop *loop;
	struct pool pool;
	struct arena turn;
	struct list_node dirty;    /* have output or a filter that wants to speak */
	struct list_node retiring; /* outlive their session */
	uint32_t high_bytes, low_bytes;
	uint64_t stall_us;
	uint32_t n; /* links alive, retiring ones included */
	uint64_t bytes_in, bytes_out;
};

enum { OUTS_MAX = 64 };

struct link {
	struct io io;
	struct links *links;
	const struct link_ops *ops;
	void *owner;
	struct filter *filters; /* nearest to the wire first */
	struct list_node dirty;
	struct list_node retired;
	struct outs outs;
	struct list_node backlog; /* of struct block */
	uint32_t unsent_bytes;
	uint16_t flags; /* private */
	const char *complaint;
	struct timer timer; /* stall, or the end of retiring */
	uint64_t taken_us;  /* when the socket last took a byte, or output began to wait */
	uint64_t heard_us;  /* when it last gave one */
};

void links_init(struct links *ls, struct loop *loop, size_t pool_bytes);
void links_fini(struct links *ls);

/* The flush step of a turn. */
void links_flush(struct links *ls);
/* Closes what still retires: its time is over. */
void links_close_all(struct links *ls);
/* End of the turn: pool and arena. */
void links_turn_end(struct links *ls);

/* Takes fd whatever the outcome; NULL: no memory, or the loop refused it. */
must_check struct link *link_new(struct links *ls, int fd, const struct link_ops *ops, void *owner);

/* Queues bytes. Adjacent memory is joined; past OUTS_MAX entries all is gathered in the arena.
 * Memory must live to the end of the turn. When memory is out the link is broken (on_broken comes
 * in the flush step). */
void link_push(struct link *l, struct out o);

/* The same for bytes that do not live so long: copied into the turn arena. */
void link_push_copy(struct link *l, struct slice s);

/* Makes the flush step visit this link although nothing was pushed. */
void link_touch(struct link *l);

/* Puts f (owned from here on) on top. What was queued before is sealed into wire form without it;
 * `rest`, the input behind the point of change, is fed into f at once. */
void link_enable(struct link *l, struct filter *f, struct slice rest);

void link_pause(struct link *l);
void link_resume(struct link *l);

/* See above. link_retire makes the filters say goodbye (WebSocket: a close frame). */
void link_retire(struct link *l);
void link_drop(struct link *l); /* NULL is fine */

/* Bytes that wait for the socket. */
static inline uint32_t link_unsent(const struct link *l)
{
	return l->unsent_bytes;
}

/* Why on_eof came with -EPROTO; a static text, or NULL. */
static inline const char *link_complaint(const struct link *l)
{
	return l->complaint;
}

/*
 * Freeze, between turns or in on_mail. link_save_unsent: everything that the peer has not got, in
 * wire form; the link goes on as it was. 0, -EPIPE: it is ending, -ENOMEM. link_detach: the
 * descriptor, taken out alive; the link is freed without another op, and with it its filters, whose
 * state was saved before. -errno: nothing has happened.
 */
must_check int link_save_unsent(struct link *l, struct buf *ret_wire);
must_check int link_detach(struct link *l);

/* Thaw, on a fresh link: bytes in wire form that go out before anything else. False: no memory. */
must_check bool link_restore_unsent(struct link *l, struct slice wire, uint64_t taken_us);

/* For filters. */
void filter_feed_up(struct link *l, struct filter *f, struct slice piece);

#endif
