/* One backend as workers see it: immutable, counted. A new address makes a new object in a new
 * catalog. */
#ifndef NETWORK_BACKEND_H
#define NETWORK_BACKEND_H

#include <stdatomic.h>

#include "base/addr.h"
#include "base/attr.h"
#include "config/settings.h"
#include "io/dns.h"

struct backend {
	_Atomic unsigned refs;
	struct settings *settings; /* a reference: keeps the strings of `set` alive */
	const struct backend_settings *set;
	struct addr addrs[DNS_ADDRS_MAX]; /* with ports */
	unsigned addr_n;                  /* 0 with a host name: not resolved */
	const char *error;                /* why not; NULL: the answer is still to come */
};

/* NULL: no memory. answer may be NULL (unix path, IP literal, not yet asked). */
must_check struct backend *backend_new(struct settings *s, const struct backend_settings *set,
				       const struct dns_answer *answer);
struct backend *backend_ref(struct backend *b);
void backend_unref(struct backend *b); /* NULL is fine */

/* All backends of a config; what a worker routes by. */
struct catalog {
	_Atomic unsigned refs;
	struct settings *settings; /* a reference */
	size_t n;
	struct backend *backends[]; /* references, in the config's order */
};

must_check struct catalog *catalog_new(struct settings *s, struct backend *const *backends);
struct catalog *catalog_ref(struct catalog *c);
void catalog_unref(struct catalog *c); /* NULL is fine */

/* Borrowed; NULL for the lobby and for names that are not there. */
struct backend *catalog_find(const struct catalog *c, const char *name);

#endif
