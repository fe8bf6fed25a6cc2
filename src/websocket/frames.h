/*
 * RFC 6455 frames without I/O, both roles. Inbound: binary messages are one byte stream; payload is
 * unmasked in place and given out in pieces as it comes, never gathered. Outbound: a header per
 * message.
 *
 *   socket bytes ---> ws_in_next ---> WS_IN_DATA    a piece of payload, unmasked in place
 *                                \--> WS_IN_PING    answer with a pong of this payload
 *                                \--> WS_IN_PONG / WS_IN_CLOSE / WS_IN_BAD / WS_IN_MORE
 */
#ifndef WEBSOCKET_FRAMES_H
#define WEBSOCKET_FRAMES_H

#include "base/attr.h"
#include "base/slice.h"

enum ws_role {
	WS_SERVER,
	WS_CLIENT
}; /* what we are: a server's peer must mask, a client's must not */

enum {
	WS_MESSAGE_MAX_OUT = 65536,           /* payload of one message that we send */
	WS_MESSAGE_MAX_IN = 16 * 1024 * 1024, /* of one message that we take; never buffered */
	WS_CONTROL_MAX = 125,
	WS_HEADER_MAX = 14, /* 2 + 8 + 4 */
	WS_CONTROL_FRAME_MAX = WS_HEADER_MAX + WS_CONTROL_MAX,
};

enum ws_close_code {
	WS_CLOSE_NORMAL = 1000,
	WS_CLOSE_GOING_AWAY = 1001,
	WS_CLOSE_PROTOCOL = 1002,
	WS_CLOSE_UNSUPPORTED = 1003, /* a text message */
	WS_CLOSE_NONE = 1005,        /* the peer's close had no code; never sent */
	WS_CLOSE_NOT_UTF8 = 1007,    /* a close reason that is no UTF-8 */
	WS_CLOSE_POLICY = 1008,
	WS_CLOSE_TOO_BIG = 1009,
	WS_CLOSE_INTERNAL = 1011,
};

enum ws_in_event { WS_IN_DATA, WS_IN_PING, WS_IN_PONG, WS_IN_CLOSE, WS_IN_BAD, WS_IN_MORE };

struct ws_in {
	uint64_t payload_left;  /* of the frame under way */
	uint64_t message_bytes; /* of the message under way */
	uint8_t head[WS_HEADER_MAX];
	uint8_t head_len;
	uint8_t role;   /* enum ws_role */
	uint8_t opcode; /* of the frame under way */
	uint8_t flags;  /* private: in a frame, in a message, masked, closed */
	uint8_t mask[4];
	uint8_t mask_at; /* offset into the mask of the next payload byte */
	uint8_t control_len;
	uint16_t close_code; /* WS_IN_CLOSE: the peer's; WS_IN_BAD: what to answer with */
	const char *bad;     /* WS_IN_BAD: what was wrong, in a few words */
	uint8_t control[WS_CONTROL_MAX];
};

void ws_in_init(struct ws_in *in, enum ws_role role);

/* The next event from the front of *io_in, whose bytes may be changed (unmasked). WS_IN_DATA:
 * *ret_data is a piece inside *io_in's memory (never empty). WS_IN_PING, PONG, CLOSE: *ret_data is
 * the control payload (for CLOSE the reason behind the code), borrowed until the next call. MORE:
 * *io_in is empty now. After CLOSE and BAD only MORE follows: input is swallowed. */
must_check enum ws_in_event ws_in_next(struct ws_in *in, struct slice *io_in,
				       struct slice *ret_data);

/* CLOSE or BAD was reported. */
bool ws_in_is_closed(const struct ws_in *in);

/* For those who restore one from numbers that came from elsewhere: could ws_in_next have left it
 * so? */
must_check bool ws_in_is_valid(const struct ws_in *in);

/* The header of a binary message (FIN, one frame) of payload_len bytes; mask is NULL for the server
 * role. Returns its length (2..14). */
size_t ws_header_write(uint8_t ret[WS_HEADER_MAX], size_t payload_len, const uint8_t mask[4]);

/* Bytes that header will have. */
size_t ws_header_bytes(size_t payload_len, enum ws_role role);

enum ws_control { WS_CONTROL_CLOSE = 8, WS_CONTROL_PING = 9, WS_CONTROL_PONG = 10 };

/* A whole control frame; payload is cut at 125 bytes. mask as above. Returns its length. */
size_t ws_control_write(uint8_t ret[WS_CONTROL_FRAME_MAX], enum ws_control op, struct slice payload,
			const uint8_t mask[4]);

/* A close frame with code and reason (cut to fit at a UTF-8 boundary). WS_CLOSE_NONE writes one
 * without either, the answer to a close without a code. */
size_t ws_close_write(uint8_t ret[WS_CONTROL_FRAME_MAX], enum ws_close_code code,
		      struct slice reason, const uint8_t mask[4]);

/* XORs bytes with the mask, 8 at a time or more; `at` is the offset into the mask of the first
 * byte. */
void ws_mask_apply(uint8_t *p, size_t len, const uint8_t mask[4], unsigned at);

#endif
