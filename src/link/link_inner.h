/* What link.c and link_out.c know of each other; nobody else includes this. */
#ifndef LINK_LINK_INNER_H
#define LINK_LINK_INNER_H

#include "base/clock.h"
#include "link/link.h"

enum {
	LINK_DEAF = 1,      /* input is thrown away */
	LINK_PEER_DONE = 2, /* FIN or error was seen */
	LINK_BROKEN = 4,    /* output is thrown away */
	LINK_FULL = 8,      /* over the high mark, on_full was told */
	LINK_RETIRING = 16,
	LINK_SHUT = 32, /* our FIN is out */
	LINK_CLOSED = 64,
	LINK_BLOCKED = 128, /* the socket is full: on_writable will come */
	LINK_FAILED = 256,  /* memory was out: breaks in the flush step */
};

/* Input side. link_complain: the filters will take no more; why NULL: the peer said goodbye in its
 * own way. */
void link_complain(struct link *l, const char *why);
void filter_take_out(struct link *l, struct filter *f, struct slice rest);
void link_close(struct link *l);
void link_free_filters(struct link *l);
void link_close_if_over(struct link *l);

/* Output side. */
must_check bool link_seal(struct link *l);
must_check bool link_say_goodbye(struct link *l);
void link_break(struct link *l, int err);
void link_fail(struct link *l); /* link_break in the flush step */
void link_drop_backlog(struct link *l);
/* Into the backlog. False: no memory. */
must_check bool link_keep(struct link *l, struct slice wire);
/* Tries again though the socket has not reported room. True: it took something (the timer is armed
 * anew), or the link is broken now, as its owner knows. */
must_check bool link_flush_anyway(struct link *l);

#endif
