/*
 * A settled session as bytes and descriptors, for a move to another worker and for the live
 * upgrade. Nobody but the proxy notices: what either side sent or has not got yet comes along, cut
 * frames and half WebSocket messages included; unread bytes stay in the kernel.
 *
 *   session --session_freeze--> struct frozen { bytes, descriptors } --session_thaw--> session
 *
 * The bytes hold no pointers: magic and sizes, `struct frozen_fixed` (with `struct kept`) as it is
 * in memory, then lengths and bytes of what varies. They are read by the same build only, or by one
 * whose formats agree; the magic, which has the sizes in it, says so. Times are the machine's
 * monotonic clock.
 *
 * Limits go on counting a frozen player, and the roster goes on naming it: thaw posts HERE, and
 * nothing else. On the worker's thread, between turns or in on_mail.
 */
#ifndef SESSION_FREEZE_H
#define SESSION_FREEZE_H

#include "base/attr.h"
#include "base/buf.h"
#include "link/websocket_filter.h"
#include "session/session.h"

struct frozen {
	struct buf bytes;
	int player_fd, server_fd; /* -1: none */
};

/* The part of fixed size. Every byte is initialised. */
struct frozen_fixed {
	struct kept kept;
	uint64_t deadline_us; /* HOLD: next try of the route; 0: none */
	uint64_t alive_due_us, server_alive_us;
	uint64_t player_heard_us, player_taken_us, server_heard_us, server_taken_us;
	uint32_t from_player_torn, from_server_torn;
	int32_t server_alive_id;
	uint16_t retry_n, port;
	uint8_t told, swallows, has_websocket, has_server;
	struct websocket_kept websocket;
};

enum frozen_part {
	FROZEN_HOST,
	FROZEN_BACKEND, /* its name */
	FROZEN_CHANNELS,
	FROZEN_TO_PLAYER, /* wire form */
	FROZEN_FROM_PLAYER,
	FROZEN_TO_SERVER,
	FROZEN_FROM_SERVER,
	FROZEN_PARTS,
};

enum { FROZEN_MAGIC = 0x4D425A31, FROZEN_HEAD_BYTES = 12 };

/* In PLAY, or in HOLD without a server under way; both links whole. Others settle soon, or end. */
bool session_may_freeze(const struct session *s);

/* 0: *ret holds the player, and s is gone without a trace. -EBUSY: not settled, -EPIPE: an end is
 * on its way, -ENOMEM: s lives on. */
must_check int session_freeze(struct session *s, struct frozen *ret);

/*
 * 0: the player is on w, *ret may be over already when memory ran out on the way (it was told), and
 * f is empty. Else f is unchanged: -EBADMSG: no bytes of ours, -ENOMEM, -ESHUTDOWN: w is draining.
 */
must_check int session_thaw(struct worker *w, struct frozen *f, struct session **ret);

#endif
