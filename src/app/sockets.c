#include "app/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "io/listen.h"

static int find_inherited(const char *name)
{
	char **names = NULL;
	int n = sd_listen_fds_with_names(0, &names);
	int fd = -ENOENT;

	for (int i = 0; i < n; i++) {
		if (fd < 0 && strcmp(names[i], name) == 0)
			fd = SD_LISTEN_FDS_START + i;
		free(names[i]);
	}
	free(names);
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fd;
}

/* first: not yet shared with other workers of ours. */
static int open_tcp(const struct addr *at, bool first, unsigned workers)
{
	int err = first && workers > 1 ? listen_tcp_probe(at) : 0;

	return err < 0 ? err : listen_tcp(at, workers > 1);
}

static int open_one(const struct listener_settings *set, const struct addr *at, bool first,
		    unsigned workers)
{
	if (set->at.inherited != NULL)
		return find_inherited(set->at.inherited);
	if (set->at.unix_path != NULL)
		return listen_unix(set->at.unix_path);
	return open_tcp(at, first, workers);
}

static const char *remedy(const struct listener_settings *set, int err)
{
	if (set->at.inherited != NULL)
		return "no descriptor of that name was handed over; see systemd.socket(5), FileDescriptorName=";
	switch (-err) {
	case EADDRINUSE:
		return "another program (or another MoonBridge) has it; stop that one or choose another address";
	case EACCES:
		return "ports below 1024 and foreign folders need a permission; choose a higher port";
	case EADDRNOTAVAIL:
		return "this machine has no such address";
	default:
		return "see the error";
	}
}

static bool out_of_memory(void)
{
	(void)fputs("moonbridge: out of memory at start\n", stderr);
	return false;
}

static bool open_set(struct socket_set *ret, const struct listener_settings *set, unsigned workers)
{
	bool tcp = set->at.host != NULL;
	struct addr at = set->at.addr;

	*ret = (struct socket_set){.set = set, .inherited = set->at.inherited != NULL};
	ret->fds = calloc(workers, sizeof(int));
	if (ret->fds == NULL)
		return out_of_memory();
	at.port = set->at.port;
	for (unsigned i = 0; i < (tcp ? workers : 1); i++) {
		int fd = open_one(set, &at, i == 0, workers);

		if (fd < 0) {
			(void)fprintf(stderr, "moonbridge: cannot listen on %s: %s; %s\n",
				      set->at.text, strerrordesc_np(-fd), remedy(set, fd));
			return false;
		}
		ret->fds[ret->n++] = fd;
		if (tcp)
			at = listen_addr(fd); /* port 0 has become a number: the others share it */
	}
	return true;
}

bool sockets_open(struct sockets *ret, const struct settings *s, unsigned workers)
{
	*ret = (struct sockets){.sets = calloc(s->listener_n, sizeof(struct socket_set))};
	if (ret->sets == NULL)
		return out_of_memory();
	for (size_t i = 0; i < s->listener_n; i++) {
		ret->n++;
		if (!open_set(&ret->sets[i], &s->listeners[i], workers))
			return false;
	}
	return true;
}

void sockets_close(struct sockets *all)
{
	for (unsigned i = 0; i < all->n; i++) {
		struct socket_set *set = &all->sets[i];

		for (unsigned j = 0; j < set->n; j++)
			(void)close(set->fds[j]);
		if (set->n > 0 && set->set->at.unix_path != NULL)
			(void)unlink(set->set->at.unix_path);
		free(set->fds);
	}
	free(all->sets);
	*all = (struct sockets){0};
}

int sockets_fd(const struct sockets *all, unsigned i, unsigned worker)
{
	const struct socket_set *set = &all->sets[i];

	return set->fds[worker < set->n ? worker : 0];
}

void sockets_text(const struct sockets *all, unsigned i, char *ret, unsigned cap)
{
	const struct socket_set *set = &all->sets[i];
	char text[ADDR_TEXT_MAX];
	struct addr at;

	if (set->set->at.host == NULL) {
		(void)snprintf(ret, cap, "%s", set->set->at.text);
		return;
	}
	at = listen_addr(set->fds[0]);
	addr_format(&at, text);
	(void)snprintf(ret, cap, "%s", text);
}
