/* The player's link: its events, and the phase's deadline. */
#ifndef SESSION_PLAYER_H
#define SESSION_PLAYER_H

#include "link/link.h"

struct session;

extern const struct link_ops player_ops;

void player_on_deadline(struct session *s);

#endif
