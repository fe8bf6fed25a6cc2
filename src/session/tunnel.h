/*
 * PASS: a connection of any Minecraft version goes to a passthrough backend, byte for byte. The
 * proxy reads the handshake only (to route by it, and to cut tails that forge an identity), and
 * says something itself only while no backend answers.
 */
#ifndef SESSION_TUNNEL_H
#define SESSION_TUNNEL_H

#include "base/slice.h"
#include "minecraft/handshake.h"

struct session;
struct tunnel;

/* Does a forced host or otherVersions send this handshake to a passthrough backend? */
bool tunnel_wants(const struct session *s, const char *host, bool version_is_known);

/* wire: the handshake as it came. */
void tunnel_start(struct session *s, const struct handshake *h, struct slice wire, const char *host,
		  bool version_is_known);
void tunnel_free(struct tunnel *t); /* NULL is fine */

/* Its backend's name; NULL for no tunnel. Borrowed while the tunnel is there. */
const char *tunnel_backend(const struct tunnel *t);

void tunnel_from_player(struct session *s, struct slice in);
void tunnel_from_server(struct session *s, struct slice in);
void tunnel_on_deadline(struct session *s);

/* The host field that goes on when tails are cut: the name, and an FML marker where the client sent
 * one (it tells the loader, not an identity). Borrowed from host or from ret. False: does not fit.
 */
must_check bool tunnel_host(struct slice host, char *ret, size_t cap, struct slice *ret_host);

#endif
