/*
 * Many non-blocking connections on one epoll: TCP or unix, outgoing (also as WebSocket clients) or
 *accepted. Hands whole frames up.
 *
 *	epoll -> read -> [WebSocket frames off] -> frames -> ops->on_frame(body)
 *	conn_send -> [WebSocket frame on] -> out, written at once, the rest when the socket has room
 */
#ifndef LOAD_CONN_H
#define LOAD_CONN_H

#include "load_bytes.h"

struct conn;

struct conn_ops {
	void (*on_open)(struct conn *c); /* connected (and upgraded) */
	/* A frame without its length. False: the connection is at fault and gets closed. */
	bool (*on_frame)(struct conn *c, const uint8_t *body, size_t n);
	/* All frames of one read were handed up. May be NULL. */
	void (*on_batch)(struct conn *c);
	/* Gone; `why` is never NULL. The memory may be reused after it returns. */
	void (*on_close)(struct conn *c, const char *why);
};

enum conn_state { CONN_CLOSED, CONN_CONNECTING, CONN_UPGRADING, CONN_OPEN };

struct conn {
	const struct conn_ops *ops;
	int fd;
	enum conn_state state;
	bool websocket;
	bool wants_out;    /* EPOLLOUT is registered */
	bool is_closing;   /* conn_close() was called inside a callback */
	struct bytes wire; /* read, still in WebSocket frames; or the upgrade's answer */
	struct bytes in;   /* Minecraft bytes of a frame that is not whole */
	struct bytes out;
	const char *why;
};

struct target {
	const char *host; /* IPv4 literal */
	uint16_t port;
	const char *unix_path; /* instead of host and port */
	const char *ws_path;   /* NULL: plain */
	unsigned sources;      /* addresses 127.0.0.2.. to come from, 0: the system's choice */
};

/* One loop per process. conn_poll waits at most timeout_ms and handles what is there. */
void conn_init(void);
void conn_poll(int timeout_ms);

/* 0 or -errno. `nth` picks the source address. */
int conn_dial(struct conn *c, const struct conn_ops *ops, const struct target *to, unsigned nth);
/* Listens; on_accept gets a new descriptor per connection and hands it to conn_take or closes it. 0
 * or -errno. */
int conn_listen(const struct target *at, uint16_t *ret_port, void (*on_accept)(int fd));
void conn_take(struct conn *c, const struct conn_ops *ops, int fd);

void conn_send(struct conn *c, const struct bytes *frames);
/* Closes; on_close runs before this returns, or after the callback that it was called from. */
void conn_close(struct conn *c, const char *why);
/* The same, with a reset: no TIME_WAIT is left behind. */
void conn_abort(struct conn *c, const char *why);

uint64_t now_us(void);

#endif
