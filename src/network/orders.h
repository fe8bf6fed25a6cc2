/*
 * What the main thread and the workers tell one another.
 *
 *   worker -> main                               main -> worker
 *   CLAIM    a login asks for its name           CLAIMED  the answer
 *   LEAVE    the name is free again              KICK     somebody else has the name now
 *   HERE     the player is on this worker now    CATALOG  config or addresses changed
 *   DRAINED  no session is left                  LISTING  server list answers changed
 *                                                DRAIN    say goodbye to everybody
 *
 * A claim's memory travels: it comes back as CLAIMED, is kept by the session, and goes out again as
 * LEAVE. So leaving needs no memory and cannot fail, and a claim whose session is gone when the
 * answer comes is sent straight back as LEAVE: each granted name is freed exactly once. In the same
 * way a DRAIN, made at start, comes back as DRAINED.
 */
#ifndef NETWORK_ORDERS_H
#define NETWORK_ORDERS_H

#include "base/addr.h"
#include "io/mailbox.h"
#include "minecraft/profile.h"

enum order_kind {
	ORDER_CLAIM,
	ORDER_LEAVE,
	ORDER_HERE,
	ORDER_DRAINED,
	ORDER_CLAIMED,
	ORDER_KICK,
	ORDER_CATALOG,
	ORDER_LISTING,
	ORDER_DRAIN,
};

struct catalog;
struct listing;

struct order {
	struct mail mail; /* kind: enum order_kind */
	uint64_t conn;
	struct order *waiting; /* main thread: roster */
	struct catalog *catalog;
	struct listing *listing;
	struct addr addr;
	uint16_t worker;
	bool granted;
	uint8_t uuid[16];
	char name[PLAYER_NAME_MAX + 1];
};

/* Heap; freed by order_free, which drops the references it carries. NULL: no memory. */
must_check struct order *order_new(enum order_kind kind, uint64_t conn);
void order_free(struct order *o);
void order_send(struct mailbox *to, struct order *o);

static inline struct order *order_of(struct mail *m)
{
	return CONTAINER_OF(m, struct order, mail);
}

#endif
