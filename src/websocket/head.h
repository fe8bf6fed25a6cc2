/*
 * The HTTP request head that asks for a WebSocket (RFC 6455 section 4.2, RFC 9112), and our
 * answers. No I/O: the caller collects the head (up to and with the empty line) and hands it over
 * whole.
 *
 * Tolerant where field software differs: any case, `Connection: keep-alive, Upgrade`, lists over
 * several lines of one name, obs-fold lines, bare LF as line end. Strict where it matters: method,
 * version 13, a key of 16 bytes in base64, no control characters.
 */
#ifndef WEBSOCKET_HEAD_H
#define WEBSOCKET_HEAD_H

#include "base/attr.h"
#include "base/slice.h"

enum {
	WS_HEAD_MAX_BYTES = 8192,
	WS_HEAD_MAX_HEADERS = 64,
	WS_KEY_BYTES = 24,
	WS_ACCEPT_BYTES = 28,
	WS_ANSWER_MAX_BYTES = 512
};

/* Where the head ends: DONE sets *ret_len (bytes with the empty line); MORE: not yet; BAD: over 8
 * KiB. seen: bytes that were already searched by an earlier call (0 at first). */
must_check enum progress ws_head_end(struct slice in, size_t seen, size_t *ret_len);

struct ws_header {
	struct slice name, value; /* value without blanks around it; folds are kept as they stood */
};

struct ws_request {
	struct slice method, target, path; /* path: target without its query */
	unsigned minor;                    /* of HTTP/1.x */
	struct ws_header headers[WS_HEAD_MAX_HEADERS];
	unsigned header_n;
};

/* HTTP statuses that a request can earn; the first is the good one. */
enum ws_verdict {
	WS_UPGRADE = 101,
	WS_BAD_REQUEST = 400,
	WS_FORBIDDEN = 403,
	WS_NOT_FOUND = 404,
	WS_METHOD_NOT_ALLOWED = 405,
	WS_UPGRADE_REQUIRED = 426,  /* no upgrade asked for, or a version other than 13 */
	WS_TOO_MANY_REQUESTS = 429, /* the caller's limits */
	WS_HEAD_TOO_LARGE = 431,    /* bytes or number of headers */
};

/* Splits a whole head. Everything in ret is borrowed from it. */
must_check enum ws_verdict ws_request_parse(struct ws_request *ret, struct slice head);

/* All checks of the upgrade but the policy on origins and addresses. `path` is the configured one
 * ("/mc"; the client's may have a trailing slash or a query). WS_UPGRADE when it may go on. */
must_check enum ws_verdict ws_request_check(const struct ws_request *r, struct slice path);

/* First header of that name, or an empty slice with p == NULL. */
struct slice ws_request_header(const struct ws_request *r, struct slice name);

/* Last header of that name: a proxy in front appends, so the last line is its own. */
struct slice ws_request_last_header(const struct ws_request *r, struct slice name);

/* The answers, whole, into ret (capacity WS_ANSWER_MAX_BYTES); return the length. ws_answer_upgrade
 * wants a request that passed ws_request_check; it accepts no extension, and of subprotocols only
 * `binary` (a plain byte stream, which is what we are); 0 when the SHA-1 of this machine does not
 * work. ws_answer_refusal: plain text that says what this place is, `Connection: close`,
 * `Sec-WebSocket-Version: 13` with 426. */
size_t ws_answer_upgrade(char *ret, const struct ws_request *r);
size_t ws_answer_refusal(char *ret, enum ws_verdict why);

/* Client role: the request head for host and path with `key` (base64 of 16 random bytes): its
 * length, or 0 when it and a NUL do not fit into cap. And the check of the server's answer head
 * (ws_head_end finds its end). */
size_t ws_request_write(char *ret, size_t cap, struct slice host, struct slice path,
			const char key[WS_KEY_BYTES + 1]);
must_check bool ws_answer_check(struct slice head, const char key[WS_KEY_BYTES + 1]);

#endif
