/* Names to addresses on the main thread's loop (c-ares: literals, /etc/hosts and DNS, A and AAAA).
 * Nothing here blocks. */
#ifndef IO_DNS_H
#define IO_DNS_H

#include "base/addr.h"
#include "io/loop.h"

enum { DNS_ADDRS_MAX = 8 };

struct dns_answer {
	struct addr addrs[DNS_ADDRS_MAX]; /* ports are 0 */
	unsigned n;
	uint32_t ttl_s;    /* smallest of the records; 0 for /etc/hosts */
	const char *error; /* NULL, or a static text ("no such name", ...); then n is 0 */
};

struct dns_query {
	/* Once; may come from within dns_ask. */
	void (*on_answer)(struct dns_query *q, const struct dns_answer *a);
	bool running;
};

struct dns;
/* NULL: no memory or no c-ares. servers: NULL for the system's, else "ip:port,..." (tests). */
must_check struct dns *dns_new(struct loop *l, const char *servers);

/* The same with other limits: the first try's, doubled with each further one. */
struct dns_patience {
	unsigned first_timeout_ms, tries;
};
must_check struct dns *dns_new_patient(struct loop *l, const char *servers, struct dns_patience p);

/* Running queries get an error answer first. Not from within on_answer. */
void dns_free(struct dns *d);
void dns_ask(struct dns *d, struct dns_query *q, const char *name);

#endif
