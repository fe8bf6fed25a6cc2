/*
 * A layer between a socket and a byte stream: PROXY header, WebSocket, later TLS and cipher. Pulled
 * inwards piece by piece, so that nothing is moved to make it contiguous; outwards it changes the
 * list of outputs in place.
 */
#ifndef LINK_FILTER_H
#define LINK_FILTER_H

#include "base/arena.h"
#include "base/attr.h"
#include "base/slice.h"

struct link;

enum out_kind {
	OUT_TURN,   /* the loop's chunk or a pooled block: may be changed in place */
	OUT_SHARED, /* never changed in place */
};

struct out {
	uint8_t *p;
	uint32_t len;
	enum out_kind kind;
};

/* Lives in the turn arena. Entries before `sealed` are in wire form. */
struct outs {
	struct out *v;
	uint16_t n, cap, sealed;
};

struct filter;
struct filter_ops {
	/* Takes from the front of *io_in; DONE: *ret_piece (perhaps empty) goes up; MORE: *io_in is
	 * used up; BAD: *ret_why. A filter that is done for good says so by `spent`: it is taken
	 * out and the rest goes to the next one up. */
	enum progress (*in)(struct filter *f, struct link *l, struct slice *io_in,
			    struct slice *ret_piece, const char **ret_why);
	/* Entries [from, n) of *io to the next form. NULL: passes. False: no memory. */
	bool (*out)(struct filter *f, struct outs *io, unsigned from, struct arena *turn);
	/* The link is about to end: last words may be queued (they come behind all output). NULL:
	 * none. */
	bool (*goodbye)(struct filter *f, struct outs *io, struct arena *turn);
	void (*free)(struct filter *f);
};

struct filter {
	const struct filter_ops *ops;
	struct filter *up;
	bool spent;
};

/* Room for one more entry behind n, or at `at` (the others move back). False: no memory. */
must_check bool outs_insert(struct outs *o, unsigned at, struct out entry, struct arena *turn);

#endif
