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

#endif
