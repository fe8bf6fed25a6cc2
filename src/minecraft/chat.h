/* Text components as JSON (jansson), from plain text with section-sign colours. */
#ifndef MINECRAFT_CHAT_H
#define MINECRAFT_CHAT_H

#include "base/attr.h"
#include "base/buf.h"

/* {"text":"..."} with all characters escaped; text that is not UTF-8 has the bad bytes replaced by
 * '?'. Colour codes (section sign) stay as they are: all clients from 1.7 on honour them. Appends
 * to b. */
must_check bool chat_json(struct buf *b, struct slice plain);

/* The readable text of a component, for logs and re-use in other packets: "text", "extra",
 * "translate" with "with" in parentheses, plain strings, arrays. Bounded depth; what is no JSON is
 * given back as it is, cut at 512 bytes. Appends to b. */
must_check bool chat_plain(struct buf *b, struct slice json);

#endif
