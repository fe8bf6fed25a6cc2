/*
 * Getting a connected socket to a backend: its addresses in turn, each with the dial limit, until
 * one answers or the whole time is over. A name that is still being resolved is waited for.
 */
#ifndef SESSION_REACH_H
#define SESSION_REACH_H

#include "io/dial.h"
#include "network/backend.h"

struct worker;

struct reach {
	struct worker *worker;
	struct backend *backend; /* a reference; may become a newer one of the same name */
	struct dial dial;
	struct timer wait;
	uint64_t due_us;      /* of the whole */
	uint64_t name_due_us; /* so long a missing address is waited for */
	unsigned at;          /* address under way */
	int last_error;
	/* Once, never from within reach_start: a descriptor that the callee owns, or -errno. */
	void (*on_done)(struct reach *r, int fd);
};

/* Takes a reference to b. */
void reach_start(struct reach *r, struct worker *w, struct backend *b, uint64_t due_us,
		 void (*on_done)(struct reach *r, int fd));
/* Also after on_done: drops the reference. Harmless when all zero. */
void reach_stop(struct reach *r);

/* Why it failed, for logs. */
const char *reach_error_text(const struct reach *r, int err);

#endif
