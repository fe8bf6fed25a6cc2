/* Connecting to an address or unix path, with a deadline. */
#ifndef IO_DIAL_H
#define IO_DIAL_H

#include "base/addr.h"
#include "io/loop.h"

struct dial_target {
	struct addr addr;      /* ADDR_IP4, ADDR_IP6; ADDR_UNIX: unix_path */
	const char *unix_path; /* borrowed during dial_start only */
};

struct dial {
	struct watched watched;
	struct timer deadline;
	struct loop *loop;
	int fd;
	/* Once, never from within dial_start: a connected descriptor that the callee owns, or
	 * -errno (-ETIMEDOUT for the deadline). The dial's memory is free to go within the call. */
	void (*on_done)(struct dial *d, int fd);
};

/* 0, or -errno at once (then on_done never comes). */
must_check int dial_start(struct loop *l, struct dial *d, const struct dial_target *to,
			  uint64_t due_us);
void dial_cancel(struct dial *d); /* harmless after on_done */
bool dial_is_running(const struct dial *d);

#endif
