/*
 * Bytes between the two links of a session: runs of frames that nobody watches go on as they are,
 * watched frames go to the phase's handler. Never decodes, copies or checks more than that.
 */
#ifndef SESSION_RELAY_H
#define SESSION_RELAY_H

#include "base/slice.h"

struct session;

void relay_from_player(struct session *s, struct slice in);
void relay_from_server(struct session *s, struct slice in);

#endif
