/* Which servers a player may go to, by the host they typed. Pure: settings in, a list out. */
#ifndef NETWORK_ROUTE_H
#define NETWORK_ROUTE_H

#include "config/settings.h"

#define LOBBY_NAME "lobby"

/* Exact host, then the longest wildcard ("*.example.org" fits "a.example.org", not "example.org"),
 * then the ordered list. host: cleaned (host_clean), or "" when it could not be. */
const struct route_settings *route_find(const struct settings *s, const char *host);

/* The passthrough backend that this handshake belongs to, or NULL: by forced host, or otherVersions
 * when the protocol is none that sessions speak. */
const struct backend_settings *route_passthrough(const struct settings *s, const char *host,
						 bool version_is_known);

#endif
