/*
 * A backend that a player may go to: dialled, logged in to, and read up to the point where it is
 * ready for the player. Until then nothing of the player has changed; a failure costs nothing.
 *
 *   DIALLING --> LOGIN --(Login Success)--> first join: handed to the transfer at once
 *                   \--(Login Success)--> JOINING --(Join Game or FML|HS)--> handed over
 */
#ifndef SESSION_CANDIDATE_H
#define SESSION_CANDIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/slice.h"

struct session;
struct backend;
struct candidate;

enum candidate_failed {
	CANDIDATE_UNREACHABLE, /* before the first Minecraft byte: the next one may be tried */
	CANDIDATE_REFUSED,     /* with its own reason */
	CANDIDATE_ONLINE_MODE,
	CANDIDATE_LOGIN_TIMEOUT,
	CANDIDATE_JOIN_TIMEOUT,
	CANDIDATE_GONE,
	CANDIDATE_BAD, /* no Minecraft */
	CANDIDATE_TOO_BIG,
	CANDIDATE_NEEDS_FORGE,
	CANDIDATE_NEEDS_REJOIN, /* a Forge client that cannot be reset */
	CANDIDATE_NO_MEMORY,
};

struct candidate_failure {
	enum candidate_failed what;
	const char *reason; /* readable; NULL: none */
	uint32_t max_bytes; /* CANDIDATE_TOO_BIG: what a frame may have */
	struct slice json;  /* the backend's own text component; borrowed */
};

/* Starts dialling; every failure comes later, by place_on_failure. NULL: no memory. */
must_check struct candidate *candidate_new(struct session *s, struct backend *b);
void candidate_free(struct candidate *c); /* NULL is fine; drops its link */

bool candidate_is_dialling(const struct candidate *c);

#endif
