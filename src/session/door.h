/*
 * The listener's policies on a connection that has not spoken Minecraft yet: what it accepts, whose
 * PROXY header and whose forwarded address count.
 */
#ifndef SESSION_DOOR_H
#define SESSION_DOOR_H

#include "config/settings.h"
#include "link/filter.h"

struct session;

bool door_accepts(const struct session *s, enum accept_bits what);

/* False, counted: a PROXY header is required here and did not come. */
must_check bool door_lets_in(struct session *s);

/* NULL: this peer may not send one (the session has ended), or no memory. */
struct filter *door_proxy_filter(struct session *s);
struct filter *door_websocket_filter(struct session *s);

/* Both as one piece; memory of this turn. */
struct slice door_join(struct session *s, struct slice first, struct slice in);

#endif
