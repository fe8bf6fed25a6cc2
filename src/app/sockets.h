/* The listening sockets of a config, opened before any worker runs, so that a taken port is an
 * error at start. */
#ifndef APP_SOCKETS_H
#define APP_SOCKETS_H

#include "base/attr.h"
#include "config/settings.h"

/* One listener of the config. TCP: a descriptor per worker (SO_REUSEPORT); unix and inherited: one
 * for all. */
struct socket_set {
	const struct listener_settings *set;
	int *fds;
	unsigned n;
	bool inherited;
};

struct sockets {
	struct socket_set *sets;
	unsigned n;
};

/* False: an error was printed to stderr; sockets_close cleans up. */
must_check bool sockets_open(struct sockets *ret, const struct settings *s, unsigned workers);
void sockets_close(struct sockets *all);

/* Descriptor of listener i for that worker. */
int sockets_fd(const struct sockets *all, unsigned i, unsigned worker);

/* The address that listener i is bound to, as text ("127.0.0.1:25577", "unix:/run/x"). */
void sockets_text(const struct sockets *all, unsigned i, char *ret, unsigned cap);

#endif
