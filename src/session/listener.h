/* A listening socket on a worker: accepts, applies the limits that are known at once, and starts
 * sessions. */
#ifndef SESSION_LISTENER_H
#define SESSION_LISTENER_H

#include "base/attr.h"
#include "config/settings.h"
#include "io/loop.h"

struct worker;
struct session;

struct listener {
	struct acceptor acceptor;
	struct worker *worker;
	const struct listener_settings *set; /* of the settings the worker holds */
	struct list_node node;
};

/* fd stays the caller's. shared: other workers accept from the same descriptor. NULL: no memory, or
 * the loop refused. */
must_check struct listener *listener_new(struct worker *w, const struct listener_settings *set,
					 int fd, bool shared);
void listener_free(struct listener *ls);

/* The address that limits count is known only once the peer announces one. */
bool listener_waits_for_address(const struct listener *ls, const struct addr *peer);

/* A forwarded-address header from this peer counts. */
bool listener_trusts_forwarded(const struct listener *ls, const struct addr *peer);

/* Counts s by its address, once. False: over a limit (s->over_limit); the refusal is counted. */
must_check bool listener_takes(struct session *s);

/* The same; at false the session has ended. */
bool listener_admit(struct session *s);

#endif
