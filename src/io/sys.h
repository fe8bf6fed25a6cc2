/*
 * What the loop asks of the world. Two worlds exist: Linux (io/sys_linux.c) and the simulation
 * (tests/sim), which has a clock of its own, sockets in memory, and seeded delays, short reads and
 * faults. Calls return what the system call would, errors as -errno.
 */
#ifndef IO_SYS_H
#define IO_SYS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/attr.h"

enum sys_events { SYS_IN = 1, SYS_OUT = 2, SYS_HUP = 4 /* also errors: read to learn which */ };

struct sys_event {
	void *tag;
	unsigned events; /* enum sys_events */
};

struct sys;
struct sys_ops {
	uint64_t (*now_us)(struct sys *sys);
	/* Edge-triggered unless `level`; one registration per descriptor, for its whole life.
	 * `exclusive`: EPOLLEXCLUSIVE (shared listening sockets). */
	int (*watch)(struct sys *sys, int fd, void *tag, unsigned events, bool level,
		     bool exclusive);
	/* Level-triggered ones only. */
	int (*rewatch)(struct sys *sys, int fd, void *tag, unsigned events);
	void (*unwatch)(struct sys *sys, int fd);
	/* Up to max events; timeout_us < 0: for ever. Also returns (0) when woken. */
	int (*wait)(struct sys *sys, struct sys_event *ret, int max, int64_t timeout_us);
	void (*wake)(struct sys *sys); /* any thread */
	ssize_t (*recv)(struct sys *sys, int fd, void *p, size_t n);
	/* Never blocks, no SIGPIPE. At most IOV_MAX entries. */
	ssize_t (*send)(struct sys *sys, int fd, const struct iovec *v, unsigned n);
	int (*shutdown_write)(struct sys *sys, int fd);
	void (*close)(struct sys *sys, int fd);
	/* A non-blocking stream socket under connection: 0 and *ret_fd, connected or on the way
	 * (SYS_OUT tells). */
	int (*connect)(struct sys *sys, const struct sockaddr *to, socklen_t len, int *ret_fd);
	int (*connect_result)(struct sys *sys, int fd); /* SO_ERROR: 0 or -errno */
	/* Descriptor or -errno. With -EMFILE or -ENFILE one waiting peer was turned away. */
	int (*accept)(struct sys *sys, int fd, struct sockaddr_storage *ret_peer);
	/* No longer watched here; the descriptor lives on. */
	int (*detach)(struct sys *sys, int fd);
};

struct sys {
	const struct sys_ops *ops;
};

/* An epoll instance and its wake-up. sys_linux_free closes both. */
must_check struct sys *sys_linux_new(void);
void sys_linux_free(struct sys *sys);

#endif
