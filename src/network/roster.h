/*
 * Who is on the network: one entry per name (without regard to case: backends keep files by it),
 * with the connection that holds it. Main thread only.
 */
#ifndef NETWORK_ROSTER_H
#define NETWORK_ROSTER_H

#include "config/settings.h"
#include "network/orders.h"

enum claim_verdict {
	CLAIM_GRANTED,
	CLAIM_REFUSED,
	CLAIM_WAITS, /* the roster keeps the order until the holder has left; *ret_kick names the
			holder */
};

struct claim_holder {
	uint64_t conn;
	uint16_t worker;
};

struct roster;
must_check struct roster *roster_new(void);
void roster_free(struct roster *r); /* waiting claims are freed */

/* CLAIM_WAITS: when another claim waited already, it comes back in *ret_displaced (else NULL) and
 * is refused. */
must_check enum claim_verdict roster_claim(struct roster *r, struct order *claim,
					   enum duplicate_names policy,
					   struct claim_holder *ret_kick,
					   struct order **ret_displaced);

/* The holder has left. Returns the claim that waited and is granted now, or NULL. */
must_check struct order *roster_leave(struct roster *r, const struct order *leave);

/* The player is on another worker now. */
void roster_moved(struct roster *r, const struct order *here);

/* Somebody waits for this player to leave. A KICK that was under way while it moved has found
 * nobody. */
bool roster_is_wanted(const struct roster *r, const struct order *here);

size_t roster_count(const struct roster *r);

/* Up to n names of players, newest first; borrowed until the next change. */
unsigned roster_sample(const struct roster *r, const char **ret_names, unsigned n);

#endif
