#include "load_conn.h"
#include "load_ws.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES 65536
#define EVENTS     256
#define MAX_FRAME  2097151
#define BACKLOG    4096

static int epoll_fd = -1;
static int listen_fd = -1;
static void (*accept_fn)(int fd);
/* The connection whose callback runs now: it must not vanish below us. */
static struct conn *busy;

uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void conn_init(void)
{
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0) {
		perror("mbload: epoll_create1");
		exit(1);
	}
}

static void watch(struct conn *c, int op, bool out)
{
	struct epoll_event e = {.events = EPOLLIN | (out ? EPOLLOUT : 0u), .data.ptr = c};

	c->wants_out = out;
	epoll_ctl(epoll_fd, op, c->fd, &e);
}

/* ---- the end ---- */

static void finish(struct conn *c)
{
	close(c->fd);
	c->fd = -1;
	c->state = CONN_CLOSED;
	bytes_free(&c->wire);
	bytes_free(&c->in);
	bytes_free(&c->out);
	c->ops->on_close(c, c->why);
}

void conn_close(struct conn *c, const char *why)
{
	if (c->state == CONN_CLOSED || c->is_closing)
		return;
	c->is_closing = true;
	c->why = why;
	if (busy != c)
		finish(c);
}

void conn_abort(struct conn *c, const char *why)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};

	if (c->state != CONN_CLOSED)
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	conn_close(c, why);
}

/* ---- dialling and listening ---- */

static socklen_t address_of(struct sockaddr_storage *ret, const struct target *to)
{
	memset(ret, 0, sizeof(*ret));
	if (to->unix_path) {
		struct sockaddr_un *un = (struct sockaddr_un *)ret;
		un->sun_family = AF_UNIX;
		snprintf(un->sun_path, sizeof(un->sun_path), "%s", to->unix_path);
		return sizeof(*un);
	}
	struct sockaddr_in *in = (struct sockaddr_in *)ret;
	in->sin_family = AF_INET;
	in->sin_port = htons(to->port);
	if (inet_pton(AF_INET, to->host, &in->sin_addr) != 1)
		return 0;
	return sizeof(*in);
}

static int bind_source(int fd, unsigned nth, unsigned sources)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	int on = 1;

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + nth % sources);
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	return bind(fd, (struct sockaddr *)&in, sizeof(in));
}

static void no_delay(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int conn_dial(struct conn *c, const struct conn_ops *ops, const struct target *to, unsigned nth)
{
	struct sockaddr_storage addr;
	socklen_t n = address_of(&addr, to);
	int fd = n ? socket(addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;

	if (fd < 0)
		return n ? -errno : -EINVAL;
	no_delay(fd);
	bool bound = to->unix_path || !to->sources || bind_source(fd, nth, to->sources) == 0;
	if (!bound || (connect(fd, (struct sockaddr *)&addr, n) < 0 && errno != EINPROGRESS)) {
		int err = errno;
		close(fd);
		return -err;
	}
	*c = (struct conn){.ops = ops, .fd = fd, .state = CONN_CONNECTING, .why = "closed"};
	c->websocket = to->ws_path != NULL;
	if (c->websocket)
		ws_add_request(&c->out, to->host, to->ws_path);
	watch(c, EPOLL_CTL_ADD, true);
	return 0;
}

int conn_listen(const struct target *at, uint16_t *ret_port, void (*on_accept)(int fd))
{
	struct sockaddr_storage addr;
	socklen_t n = address_of(&addr, at);
	int on = 1;

	if (!n)
		return -EINVAL;
	listen_fd = socket(addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	setsockopt(listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listen_fd, (struct sockaddr *)&addr, n) < 0 || listen(listen_fd, BACKLOG) < 0)
		return -errno;
	getsockname(listen_fd, (struct sockaddr *)&addr, &n);
	*ret_port = at->unix_path ? 0 : ntohs(((struct sockaddr_in *)&addr)->sin_port);
	accept_fn = on_accept;
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL};
	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listen_fd, &e) < 0 ? -errno : 0;
}

void conn_take(struct conn *c, const struct conn_ops *ops, int fd)
{
	no_delay(fd);
	*c = (struct conn){.ops = ops, .fd = fd, .state = CONN_OPEN, .why = "closed"};
	watch(c, EPOLL_CTL_ADD, false);
}

static void accept_all(void)
{
	for (int i = 0; i < EVENTS; i++) {
		int fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			return;
		accept_fn(fd);
	}
}

/* ---- sending ---- */

static void flush(struct conn *c)
{
	while (bytes_left(&c->out)) {
		ssize_t n = send(c->fd, bytes_head(&c->out), bytes_left(&c->out), MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0) {
			conn_close(c, strerror(errno));
			return;
		}
		bytes_skip(&c->out, (size_t)n);
	}
	if (c->wants_out != (bytes_left(&c->out) > 0))
		watch(c, EPOLL_CTL_MOD, bytes_left(&c->out) > 0);
}

void conn_send(struct conn *c, const struct bytes *frames)
{
	if (c->state != CONN_OPEN || c->is_closing)
		return;
	if (c->websocket)
		ws_add_binary(&c->out, frames);
	else
		bytes_add(&c->out, bytes_head(frames), bytes_left(frames));
	flush(c);
}

/* ---- receiving ---- */

static void open_now(struct conn *c)
{
	c->state = CONN_OPEN;
	c->ops->on_open(c);
}

static void on_connected(struct conn *c)
{
	int err = 0;
	socklen_t n = sizeof(err);

	getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &n);
	if (err) {
		conn_close(c, strerror(err));
		return;
	}
	c->state = CONN_UPGRADING;
	if (!c->websocket)
		open_now(c);
	flush(c);
}

/* Hands up the whole frames of `from`; what is left stays in it. */
static void hand_up(struct conn *c, struct bytes *from)
{
	while (!c->is_closing) {
		uint32_t n = 0;
		int size = varint_peek(&n, bytes_head(from), bytes_left(from));
		if (size == 0 ||
		    (size > 0 && bytes_left(from) < (size_t)size + n && n <= MAX_FRAME))
			return;
		if (size < 0 || n == 0 || n > MAX_FRAME) {
			conn_close(c, "a bad frame length");
			return;
		}
		if (!c->ops->on_frame(c, bytes_head(from) + size, n))
			conn_close(c, "an unexpected packet");
		bytes_skip(from, (size_t)size + n);
	}
}

static void on_wire(struct conn *c)
{
	if (c->state == CONN_UPGRADING) {
		int answer = ws_read_answer(&c->wire);
		if (answer < 0)
			conn_close(c, "the upgrade was refused");
		if (answer <= 0)
			return;
		open_now(c);
	}
	struct bytes pong = {0};
	const char *why = ws_read_frames(&c->in, &pong, &c->wire);
	if (bytes_left(&pong)) {
		bytes_add(&c->out, bytes_head(&pong), bytes_left(&pong));
		flush(c);
	}
	bytes_free(&pong);
	hand_up(c, &c->in);
	if (why)
		conn_close(c, why);
}

static void on_readable(struct conn *c)
{
	static uint8_t chunk[READ_BYTES];
	ssize_t n = recv(c->fd, chunk, sizeof(chunk), 0);

	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			conn_close(c, n == 0 ? "closed by the other side" : strerror(errno));
		return;
	}
	if (c->websocket) {
		bytes_add(&c->wire, chunk, (size_t)n);
		on_wire(c);
	} else if (bytes_left(&c->in)) {
		bytes_add(&c->in, chunk, (size_t)n);
		hand_up(c, &c->in);
	} else {
		/* The usual case: frames are read where they lie. */
		struct bytes here = {.v = chunk, .end = (size_t)n, .room = 0};
		hand_up(c, &here);
		bytes_add(&c->in, bytes_head(&here), bytes_left(&here));
	}
	if (!c->is_closing && c->ops->on_batch)
		c->ops->on_batch(c);
}

static void on_event(struct conn *c, uint32_t events)
{
	if (c->state == CONN_CLOSED)
		return;
	busy = c;
	if (c->state == CONN_CONNECTING)
		on_connected(c);
	else if (events & EPOLLOUT)
		flush(c);
	if (!c->is_closing && c->state != CONN_CONNECTING &&
	    (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		on_readable(c);
	busy = NULL;
	if (c->is_closing && c->state != CONN_CLOSED)
		finish(c);
}

void conn_poll(int timeout_ms)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(epoll_fd, events, EVENTS, timeout_ms);

	for (int i = 0; i < n; i++)
		if (events[i].data.ptr)
			on_event(events[i].data.ptr, events[i].events);
		else
			accept_all();
}
