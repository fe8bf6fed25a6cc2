/* The first packet of every Minecraft connection, the same in all versions: docs/protocol.md. */
#ifndef MINECRAFT_HANDSHAKE_H
#define MINECRAFT_HANDSHAKE_H

#include "base/attr.h"
#include "base/slice.h"
#include "minecraft/writer.h"

enum handshake_next { NEXT_STATUS = 1, NEXT_LOGIN = 2, NEXT_TRANSFER = 3 /* 1.20.5 and later */ };

enum { HANDSHAKE_ID = 0x00, HANDSHAKE_HOST_MAX_UNITS = 255, HOST_NAME_MAX_BYTES = 253 };

struct handshake {
	int32_t protocol;
	struct slice host; /* as sent, tails and all; borrowed from the body */
	uint16_t port;
	enum handshake_next next;
};

/* body: behind the id. False: not a handshake. Hosts of up to 255 units by the book; forwarding
 * tails make longer ones, so up to 4,096 are read. */
must_check bool handshake_parse(struct handshake *ret, struct slice body);

/* The whole frame. */
void handshake_write(struct writer *w, const struct handshake *h);

/* What a route is looked up by: lower case, without FML marker (\0FML\0, \0FML2\0 ...), forwarding
 * tail (\0...), RealIP tail (///...), trailing dot, `_minecraft._tcp.` and `_dc-srv.xx.` prefixes.
 * ret is NUL-terminated; false when what is left is longer than HOST_NAME_MAX_BYTES or holds
 * control characters. */
must_check bool host_clean(struct slice host, char ret[HOST_NAME_MAX_BYTES + 1]);

/* The part of the host field from the first NUL or `///` on (empty: none). Borrowed. */
struct slice host_tail(struct slice host);

#endif
