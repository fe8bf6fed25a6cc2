/*
 * Keep-alives. Ours go out only while no server plays (PLACE, MOVE before its Join Game, HOLD),
 * with ids of a range of our own whose answers are swallowed; a server's pass through and give the
 * round-trip time. The same beat ends players of whom nothing is heard.
 */
#ifndef SESSION_ALIVE_H
#define SESSION_ALIVE_H

#include "io/loop.h"
#include "session/view.h"

/* After Login Success: first beat after the client's first second. */
void alive_start(struct session *s);
/* The phase changed: beats may be due. */
void alive_wake(struct session *s);
void alive_on_beat(struct timer *t);

/* A C 00: true when it answers one of ours and goes nowhere. */
bool alive_swallows(struct session *s, const struct frame *f);
/* An S 00 that passes. */
void alive_note_server(struct session *s, const struct frame *f);

#endif
