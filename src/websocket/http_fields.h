/* The lines of an HTTP head behind its first one (RFC 9112 section 5). Inside websocket only. */
#ifndef WEBSOCKET_HTTP_FIELDS_H
#define WEBSOCKET_HTTP_FIELDS_H

#include "websocket/head.h"

/* Cuts the first line off *io_head and returns it without its end. */
struct slice http_line_cut(struct slice *io_head);

/* False: a control character that has no place in a head, or a CR that ends no line. */
must_check bool http_head_is_clean(struct slice head);

/* Blanks and line ends (of folds) off both ends. */
struct slice http_trim(struct slice s);

/* Splits `lines` (up to the empty line or the end) into ret->headers. WS_UPGRADE: all is well. */
must_check enum ws_verdict http_fields_split(struct ws_request *ret, struct slice lines);

/* Whether a line of that name has the token in its comma-separated list, in any case. */
bool http_fields_have(const struct ws_request *r, struct slice name, struct slice token);

/* The value, if exactly one line has the name; else p == NULL. */
struct slice http_fields_only(const struct ws_request *r, struct slice name);

#endif
