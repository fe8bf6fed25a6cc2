/*
 * WebSocket over a link, server role: takes the request head, asks the owner, answers, and from
 * then on turns binary messages into the byte stream and each flush into messages of at most 64
 * KiB.
 *
 * It pings after `ping_us` without input or without output, and complains ("no answer to two
 * pings") when two pings and everything since went unanswered; a peer that ignores pings but sends
 * data is alive.
 */
#ifndef LINK_WEBSOCKET_FILTER_H
#define LINK_WEBSOCKET_FILTER_H

#include "link/link.h"
#include "websocket/frames.h"
#include "websocket/head.h"

struct websocket_hooks {
	/* The request is well-formed. WS_UPGRADE lets it in; else it is answered with that status.
	 * The callee may note the client's address. */
	enum ws_verdict (*on_request)(struct link *l, const struct ws_request *r);
	/* The upgrade was answered; nothing is queued behind it yet. */
	void (*on_open)(struct link *l);
};

/* NULL: no memory. ping_us 0: never. */
must_check struct filter *websocket_filter_new(struct link *l, const struct websocket_hooks *hooks,
					       uint64_t ping_us);

/* True when f is one of ours, with the upgrade done; *ret_messages: binary messages sent so far. */
bool websocket_filter_is_open(const struct filter *f);

/*
 * Freeze and thaw. Plain numbers, no pointers: what a server's filter knows in mid-message.
 * websocket_filter_save is false when f is none of ours, not open, or on its way out.
 * websocket_filter_restore makes a filter for l that goes on (link_enable puts it in place); NULL:
 * no memory. What it is given must be valid.
 */
struct websocket_kept {
	uint64_t spoke_us, payload_left, message_bytes;
	uint8_t head[WS_HEADER_MAX], mask[4], control[WS_CONTROL_MAX], pong[WS_CONTROL_MAX];
	uint8_t head_len, opcode, flags, mask_at, control_len;
	uint8_t pings, pong_pending, pong_len;
};
must_check bool websocket_kept_is_valid(const struct websocket_kept *k);
must_check bool websocket_filter_save(const struct filter *f, struct websocket_kept *ret);
must_check struct filter *websocket_filter_restore(struct link *l, const struct websocket_kept *k,
						   uint64_t ping_us);

#endif
