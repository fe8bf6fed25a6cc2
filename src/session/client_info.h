/* What a client has told about itself and a later server must hear too: its channels, and how far
 * its FML is. */
#ifndef SESSION_CLIENT_INFO_H
#define SESSION_CLIENT_INFO_H

#include "minecraft/play.h"
#include "minecraft/split.h"

struct session;

/* A serverbound frame of PLAY. True: a plugin message, told in *ret. */
bool client_info_note(struct session *s, const struct frame *f, struct plugin_message *ret);

/* Pushes a REGISTER with all kept channels to the session's server; nothing when there are none. */
void client_info_replay_channels(struct session *s);

#endif
