/*
 * How many connections one address, one prefix and all together may have, and how fast new ones may
 * come. Shared by all workers; the only locks above io (64 shards, touched at accept and close).
 */
#ifndef NETWORK_LIMITS_H
#define NETWORK_LIMITS_H

#include "base/addr.h"
#include "base/attr.h"
#include "config/settings.h"

enum limit_verdict { LIMIT_OK, LIMIT_FULL, LIMIT_ADDRESS, LIMIT_RATE };

struct limits;

must_check struct limits *limits_new(void);
void limits_free(struct limits *l);

/* One place of maxConnections. Every true wants one limits_leave. */
must_check bool limits_enter(struct limits *l, uint32_t max_connections);
void limits_leave(struct limits *l);

/*
 * Counts a connection for its address (and its /24 or /64). LIMIT_OK wants one limits_release with
 * the same address. Unix peers and exempt addresses are not counted: then *ret_counted is false and
 * nothing is released. LIMIT_OK also when memory is out: a limit is no reason to turn a player
 * away.
 */
must_check enum limit_verdict limits_admit(struct limits *l, const struct settings *s,
					   const struct addr *a, uint64_t now_us,
					   bool *ret_counted);
void limits_release(struct limits *l, const struct addr *a);

/* Connections now, and entries in the tables (tests: both return to zero). */
uint32_t limits_connections(const struct limits *l);
size_t limits_entries(struct limits *l);

#endif
