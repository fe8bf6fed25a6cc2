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

/* For a peer that has said all it will say about its address. False, counted, and the session has
 * ended: a PROXY header is required here and did not come, or the address is over its limits. */
must_check bool door_lets_in(struct session *s);

/* The same for Minecraft: over its limits a peer is heard too, so that it can read why
 * (over_limit). */
must_check bool door_hears(struct session *s);

/* The same for a WebSocket, whose request may still name an address. */
must_check bool door_lets_ask(struct session *s);

/* NULL: this peer may not send one (the session has ended), or no memory. */
struct filter *door_proxy_filter(struct session *s);
struct filter *door_websocket_filter(struct session *s);

/* The address that a trusted peer names in a forwarded header: the last of the list that is not
 * itself a trusted proxy's (all are: the first). A part that is no address ends the search. False:
 * the last part is none, *ret is unchanged. */
must_check bool door_forwarded_addr(const struct listener_settings *p, struct slice list,
				    struct addr *ret);

/* Both as one piece; memory of this turn. */
struct slice door_join(struct session *s, struct slice first, struct slice in);

#endif
