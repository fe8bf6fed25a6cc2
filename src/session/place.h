/*
 * Finding a server for a player: the route's servers in order, each by a candidate; past the last
 * one HOLD or a clear text. Used from PLACE (first join) and from HOLD (again and again, with
 * back-off).
 */
#ifndef SESSION_PLACE_H
#define SESSION_PLACE_H

#include "session/candidate.h"

struct session;

/* Login Success is out: look up the route and go. */
void place_start(struct session *s);

/* HOLD: it is time to try the route again. */
void place_again(struct session *s);

/* PLACE took too long. */
void place_on_deadline(struct session *s);

/* The candidate failed; it is freed in here. */
void place_on_failure(struct session *s, const struct candidate_failure *given);

#endif
