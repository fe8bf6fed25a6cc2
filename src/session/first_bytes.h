/*
 * What a connection speaks, by its first bytes. Two resolve every overlap with a Minecraft frame,
 * except FE 01: there a third byte decides, or silence (a lone FE, or FE 01, is a legacy ping when
 * nothing follows).
 */
#ifndef SESSION_FIRST_BYTES_H
#define SESSION_FIRST_BYTES_H

#include "base/attr.h"
#include "base/slice.h"

enum { FIRST_BYTES_MAX = 3 };

enum first_bytes {
	FIRST_MORE,
	FIRST_MORE_OR_LEGACY, /* more, but after 200 ms of silence it is a legacy ping */
	FIRST_MINECRAFT,
	FIRST_LEGACY, /* FE followed by FA or the like: the long form */
	FIRST_HTTP,
	FIRST_PROXY,
	FIRST_TLS,
};

/* head: the first bytes of the connection, any number of them. */
enum first_bytes first_bytes_of(struct slice head);

#endif
