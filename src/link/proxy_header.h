/*
 * The PROXY protocol header, versions 1 and 2 (haproxy's proxy-protocol.txt), read without I/O.
 */
#ifndef LINK_PROXY_HEADER_H
#define LINK_PROXY_HEADER_H

#include "base/addr.h"
#include "base/attr.h"

enum { PROXY_V1_MAX_BYTES = 107, PROXY_V2_MAX_BYTES = 16 + 4096 };

struct proxy_header {
	struct addr source; /* ADDR_NONE for UNKNOWN, LOCAL and families that are no IP: keep the
			       peer's own */
	size_t bytes;       /* of the header in all, TLVs included */
};

/* `in` starts at the header's first byte and may hold any amount of it. DONE: *ret is set, what
 * follows the header begins at ret->bytes. MORE: a valid beginning. */
must_check enum progress proxy_header_parse(struct proxy_header *ret, struct slice in);

#endif
