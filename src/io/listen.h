/* Listening sockets: TCP (SO_REUSEPORT so that every worker has its own), unix paths, inherited
 * ones. */
#ifndef IO_LISTEN_H
#define IO_LISTEN_H

#include "base/addr.h"
#include "base/attr.h"

/* Non-blocking, close-on-exec descriptor or -errno. reuse_port: one of several sockets on this
 * address. */
must_check int listen_tcp(const struct addr *at, bool reuse_port);

/* Whether anybody listens there: 0, or -EADDRINUSE and the like. With reuse_port alone a second
 * program of the same user would be let in, and would get a share of our connections. */
must_check int listen_tcp_probe(const struct addr *at);

/* Replaces a dead socket file, never a live one (-EADDRINUSE) or a file that is no socket. Mode
 * 0666 & ~umask. */
must_check int listen_unix(const char *path);

/* The address really bound (port 0 becomes a number). */
struct addr listen_addr(int fd);

/* Per-connection settings of an accepted or dialled TCP socket: TCP_NODELAY, TCP_USER_TIMEOUT. */
void socket_tune(int fd, unsigned user_timeout_ms);

#endif
