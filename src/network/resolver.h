/*
 * Keeps the addresses of all backends fresh: asks for each host name at start, again when its time
 * to live is over, and with back-off while the answer is an error. A bad name marks its backend,
 * and nothing else. Main thread.
 */
#ifndef NETWORK_RESOLVER_H
#define NETWORK_RESOLVER_H

#include "network/backend.h"

enum { RESOLVE_TTL_MIN_S = 5, RESOLVE_TTL_MAX_S = 300, RESOLVE_RETRY_MAX_S = 60 };

struct resolver_hooks {
	void (*on_change)(void *arg); /* catalog differs: resolver_catalog gives the new one */
	/* An answer that changes what is known; error NULL: fine. */
	void (*on_answer)(void *arg, const char *backend, const char *error);
	void *arg;
};

struct resolver;
/* NULL: no memory. Starts asking; on_change may come from within. */
must_check struct resolver *resolver_new(struct loop *l, struct settings *s,
					 const struct resolver_hooks *hooks);
void resolver_free(struct resolver *r);

/* A reference for the caller, or NULL: no memory. */
must_check struct catalog *resolver_catalog(const struct resolver *r);

#endif
