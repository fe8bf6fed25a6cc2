/* HOLD: a tiny world of ours, as the lobby or as the place to wait for a server. */
#ifndef SESSION_HOLD_H
#define SESSION_HOLD_H

#include "session/view.h"

/* lobby: it is the player's server; else they wait here and read so. */
void hold_enter(struct session *s, bool lobby);

/* What a player sends while no server plays (PLACE and HOLD): answers to keep-alives, channel
 * names, settings; all else is of no use. */
enum verdict hold_on_player_frame(struct session *s, const struct frame *f);

#endif
