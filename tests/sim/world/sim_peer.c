/* Who is reached at an address, and the peers that test code plays. */
#include "sim_inner.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/un.h>

#include "base/addr.h"

void sim_key_of(const struct sockaddr *sa, socklen_t len, char ret[SIM_KEY_MAX])
{
	struct sockaddr_storage all = {0};
	struct addr a;

	memcpy(&all, sa, len < sizeof(all) ? len : sizeof(all));
	memset(ret, 0, SIM_KEY_MAX);
	if (all.ss_family == AF_UNIX) {
		const char *path = (const char *)&all + offsetof(struct sockaddr_un, sun_path);

		memcpy(ret, path, strnlen(path, ADDR_UNIX_PATH_MAX - 1));
		return;
	}
	a = addr_from_sockaddr(&all);
	addr_format(&a, ret);
}

/* "10.0.0.1:80" or "[::1]:80". */
static bool parse_from(const char *text, struct sockaddr_storage *ret)
{
	const char *colon = strrchr(text, ':');
	struct slice ip;
	struct addr a;

	if (colon == NULL)
		return false;
	ip = slice_of(text, (size_t)(colon - text));
	if (text[0] == '[' && ip.len > 2)
		ip = slice_of(text + 1, ip.len - 2);
	if (!addr_parse_ip(ip, &a))
		return false;
	a.port = (uint16_t)strtoul(colon + 1, NULL, 10);
	(void)addr_to_sockaddr(&a, ret);
	return true;
}

static struct sim_place *place_find(struct sim_world *w, const char *at)
{
	LIST_EACH(n, &w->places)
	{
		struct sim_place *p = LIST_ENTRY(n, struct sim_place, node);

		if (strcmp(p->at, at) == 0)
			return p;
	}
	return NULL;
}

static struct sim_place *place_of(struct sim_world *w, const char *at)
{
	struct sim_place *p = place_find(w, at);

	if (p != NULL)
		return p;
	p = sim_alloc(sizeof(*p));
	memcpy(p->at, at, strnlen(at, SIM_KEY_MAX - 1));
	list_append(&w->places, &p->node);
	return p;
}

void sim_set_fate(struct sim_world *w, const char *at, enum sim_fate fate)
{
	place_of(w, at)->fate = fate;
}

void sim_listen(struct sim_world *w, const char *at,
		void (*on_accept)(void *arg, struct sim_peer *p), void *arg)
{
	struct sim_place *p = place_of(w, at);

	p->on_accept = on_accept;
	p->arg = arg;
}

void sim_unlisten(struct sim_world *w, const char *at)
{
	place_of(w, at)->on_accept = NULL;
}

int sim_listener(struct sim_world *w, const char *at)
{
	struct sim_socket *s = sim_socket_new(w, NULL);

	memcpy(s->at, at, strnlen(at, SIM_KEY_MAX - 1));
	list_append(&w->listeners, &s->served);
	return s->fd;
}

/* One of those that listen there, by dice. */
static struct sim_socket *listener_find(struct sim_world *w, const char *at)
{
	struct sim_socket *found = NULL;
	uint32_t n = 0;

	LIST_EACH(node, &w->listeners)
	{
		struct sim_socket *s = LIST_ENTRY(node, struct sim_socket, served);

		if (strcmp(s->at, at) == 0 && sim_dice(w, ++n) == 0)
			found = s;
	}
	return found;
}

static void tell_dialler(struct sim_conn *c, enum sim_kind kind, size_t n)
{
	struct sim_side *s = &c->sides[0];
	uint64_t at_us = c->w->now_us + s->latency_us;

	/* The first thing on its way: data of the other side queues behind it. */
	s->last_us = at_us;
	sim_push(c->w, (struct sim_event){.at_us = at_us, .kind = kind, .side = s, .n = n});
}

static void refuse(struct sim_conn *c, const struct sim_place *place)
{
	c->sides[1].dead = true;
	if (place == NULL || place->fate == SIM_REFUSE)
		tell_dialler(c, EV_RESET, ECONNREFUSED);
	sim_side_close(&c->sides[1]);
}

struct sim_peer *sim_peer_new(struct sim_side *side)
{
	struct sim_peer *p = sim_alloc(sizeof(*p));

	p->side = side;
	side->peer = p;
	return p;
}

void sim_peer_arrive(struct sim_conn *c)
{
	struct sim_socket *listener = listener_find(c->w, c->to);
	const struct sim_place *place = place_find(c->w, c->to);

	if (listener == NULL && (place == NULL || place->on_accept == NULL)) {
		refuse(c, place);
		return;
	}
	tell_dialler(c, EV_CONNECTED, 0);
	c->sides[1].connected = true;
	if (listener != NULL) {
		list_append(&listener->queue, &c->queue_node);
		sim_socket_edge(c->w, listener);
	} else {
		place->on_accept(place->arg, sim_peer_new(&c->sides[1]));
	}
}

struct sim_peer *sim_dial(struct sim_world *w, const char *at, const char *from,
			  const struct sim_peer_ops *ops, void *arg)
{
	struct sockaddr_storage sa = {0};
	struct sim_conn *c;
	struct sim_peer *p;

	if (!parse_from(from == NULL ? "127.0.0.1:40000" : from, &sa))
		abort();
	if (at[0] == '/')
		sa = (struct sockaddr_storage){.ss_family = AF_UNIX};
	c = sim_conn_new(w, at, &sa);
	p = sim_peer_new(&c->sides[0]);
	p->ops = ops;
	p->arg = arg;
	sim_push(w, (struct sim_event){.at_us = w->now_us + c->sides[1].latency_us,
				       .kind = EV_SYN,
				       .side = &c->sides[0]});
	return p;
}

ssize_t sim_peer_send(struct sim_peer *p, const void *bytes, size_t n)
{
	struct iovec v = {.iov_len = n};

	memcpy(&v.iov_base, &bytes, sizeof(bytes));
	return sim_side_send(p->side, &v, 1);
}

ssize_t sim_peer_recv(struct sim_peer *p, void *ret, size_t n)
{
	return sim_side_recv(p->side, ret, n);
}

void sim_peer_shutdown(struct sim_peer *p)
{
	(void)sim_side_shutdown(p->side);
}

void sim_peer_close(struct sim_peer *p)
{
	sim_side_close(p->side);
}

void sim_peer_reset(struct sim_peer *p)
{
	sim_side_reset(p->side);
}
