/*
 * Messages between threads: many senders, one reader, no lock. First in, first out per sender; one
 * wake-up per batch. A mail's memory belongs to whoever holds it: the sender, the box, then the
 * reader.
 */
#ifndef IO_MAILBOX_H
#define IO_MAILBOX_H

#include <stdatomic.h>

#include "base/attr.h"
#include "io/loop.h"

struct mail {
	struct mail *next;
	uint16_t kind; /* the sender's and reader's business */
	void (*free_fn)(struct mail *m);
};

struct mailbox {
	_Atomic(struct mail *) head; /* newest first */
	struct loop *loop;           /* the reader's; woken when the box was empty */
};

void mailbox_init(struct mailbox *box, struct loop *loop);
void mailbox_take(struct mailbox *to, struct mail *m); /* any thread */

/* Everything that came, oldest first, as a chain by `next`; NULL: nothing. Reader's thread. */
must_check struct mail *mailbox_drain(struct mailbox *box);

/* Frees what is still in there. */
void mailbox_fini(struct mailbox *box);

#endif
