/*
 * c-ares in the loop: it tells which of its sockets it waits for (a poll each) and when it wants to
 * be called next (one timer).
 */
#include "io/dns.h"

#include <ares.h>
#include <netdb.h>
#include <stdlib.h>

#include "base/clock.h"

/* Doubled with every try: 17.5 s in all. The limits of those who wait are shorter. */
enum { FIRST_TIMEOUT_MS = 2500, TRIES = 3 };

struct dns {
	struct loop *loop;
	ares_channel channel;
	struct timer timer;
	struct list_node sockets;
	bool closing;
};

struct dns_socket {
	struct poll poll;
	struct list_node node;
	struct dns *dns;
};

static void dns_arm(struct dns *d)
{
	struct timeval tv;

	if (ares_timeout(d->channel, NULL, &tv) == NULL) {
		timer_disarm(&d->timer);
		return;
	}
	timer_arm(d->loop, &d->timer,
		  loop_now_us(d->loop) + (uint64_t)tv.tv_sec * US_PER_S + (uint64_t)tv.tv_usec);
}

static void dns_on_due(struct timer *t)
{
	struct dns *d = CONTAINER_OF(t, struct dns, timer);

	ares_process_fd(d->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	dns_arm(d);
}

static void dns_on_ready(struct poll *p, unsigned events)
{
	struct dns *d = CONTAINER_OF(p, struct dns_socket, poll)->dns;
	int in = events & (SYS_IN | SYS_HUP) ? p->fd : ARES_SOCKET_BAD;
	int out = events & SYS_OUT ? p->fd : ARES_SOCKET_BAD;

	/* The socket may be gone after this. */
	ares_process_fd(d->channel, in, out);
	dns_arm(d);
}

static struct dns_socket *socket_find(struct dns *d, int fd)
{
	LIST_EACH(n, &d->sockets)
	{
		struct dns_socket *s = LIST_ENTRY(n, struct dns_socket, node);

		if (s->poll.fd == fd)
			return s;
	}
	return NULL;
}

/* Out of memory: the socket is never looked at, and the queries on it time out. */
static void socket_add(struct dns *d, int fd, unsigned events)
{
	struct dns_socket *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return;
	s->dns = d;
	s->poll.on_ready = dns_on_ready;
	if (poll_open(d->loop, &s->poll, fd, events) < 0) {
		free(s);
		return;
	}
	list_append(&d->sockets, &s->node);
}

static void socket_drop(struct dns *d, struct dns_socket *s)
{
	poll_close(d->loop, &s->poll);
	list_remove(&s->node);
	free(s);
}

static void dns_on_socket(void *arg, ares_socket_t fd, int readable, int writable)
{
	struct dns *d = arg;
	struct dns_socket *s = socket_find(d, fd);
	unsigned events = (readable ? (unsigned)SYS_IN : 0) | (writable ? (unsigned)SYS_OUT : 0);

	if (s != NULL && events == 0)
		socket_drop(d, s);
	else if (s != NULL)
		(void)poll_change(d->loop, &s->poll, events);
	else if (events != 0)
		socket_add(d, fd, events);
}

static bool channel_open(struct dns *d, const char *servers, const struct dns_patience *p)
{
	struct ares_options o = {
		.timeout = (int)p->first_timeout_ms,
		.tries = (int)p->tries,
		.sock_state_cb = dns_on_socket,
		.sock_state_cb_data = d,
	};
	int mask = ARES_OPT_SOCK_STATE_CB | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES;

	if (ares_init_options(&d->channel, &o, mask) != ARES_SUCCESS)
		return false;
	if (servers == NULL || ares_set_servers_ports_csv(d->channel, servers) == ARES_SUCCESS)
		return true;
	ares_destroy(d->channel);
	return false;
}

struct dns *dns_new(struct loop *l, const char *servers)
{
	return dns_new_patient(l, servers, (struct dns_patience){FIRST_TIMEOUT_MS, TRIES});
}

struct dns *dns_new_patient(struct loop *l, const char *servers, struct dns_patience p)
{
	struct dns *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->loop = l;
	timer_init(&d->timer, dns_on_due);
	list_init(&d->sockets);
	if (ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS) {
		free(d);
		return NULL;
	}
	if (!channel_open(d, servers, &p)) {
		ares_library_cleanup();
		free(d);
		return NULL;
	}
	return d;
}

void dns_free(struct dns *d)
{
	if (d == NULL)
		return;
	d->closing = true;
	ares_destroy(d->channel);
	ares_library_cleanup();
	timer_disarm(&d->timer);
	free(d);
}

static const char *error_text(int status)
{
	switch (status) {
	case ARES_ENOTFOUND:
		return "no such name";
	case ARES_ENODATA:
		return "the name has no address";
	case ARES_ETIMEOUT:
		return "no name server answers";
	case ARES_ECONNREFUSED:
		return "no name server can be reached";
	case ARES_EBADNAME:
		return "not a valid name";
	case ARES_EDESTRUCTION:
		return "shutting down";
	default:
		return ares_strerror(status);
	}
}

static bool addr_of_node(const struct ares_addrinfo_node *node, struct addr *ret)
{
	struct sockaddr_storage sa = {0};

	if (node->ai_addrlen > sizeof(sa))
		return false;
	memcpy(&sa, node->ai_addr, node->ai_addrlen);
	*ret = addr_from_sockaddr(&sa);
	ret->port = 0;
	return ret->kind == ADDR_IP4 || ret->kind == ADDR_IP6;
}

static void add_ttl(struct dns_answer *a, bool *first, int ttl_s)
{
	uint32_t ttl = ttl_s > 0 ? (uint32_t)ttl_s : 0;

	if (*first || ttl < a->ttl_s)
		a->ttl_s = ttl;
	*first = false;
}

static void fill_answer(struct dns_answer *a, const struct ares_addrinfo *info)
{
	bool first = true;

	for (const struct ares_addrinfo_cname *c = info->cnames; c != NULL; c = c->next)
		add_ttl(a, &first, c->ttl);
	for (const struct ares_addrinfo_node *n = info->nodes; n != NULL; n = n->ai_next) {
		if (a->n == DNS_ADDRS_MAX || !addr_of_node(n, &a->addrs[a->n]))
			continue;
		a->n++;
		add_ttl(a, &first, n->ai_ttl);
	}
}

static void dns_on_answer(void *arg, int status, int timeouts, struct ares_addrinfo *info)
{
	struct dns_query *q = arg;
	struct dns_answer a = {0};

	(void)timeouts;
	if (status == ARES_SUCCESS && info != NULL)
		fill_answer(&a, info);
	if (info != NULL)
		ares_freeaddrinfo(info);
	if (a.n == 0)
		a = (struct dns_answer){
			.error = error_text(status == ARES_SUCCESS ? ARES_ENODATA : status)};
	q->running = false;
	q->on_answer(q, &a);
}

static bool answer_literal(struct dns_query *q, const char *name)
{
	struct dns_answer a = {.n = 1};

	if (!addr_parse_ip(slice_str(name), &a.addrs[0]))
		return false;
	q->running = false;
	q->on_answer(q, &a);
	return true;
}

void dns_ask(struct dns *d, struct dns_query *q, const char *name)
{
	struct ares_addrinfo_hints hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};

	q->running = true;
	/* c-ares would ask the servers about some of them too. */
	if (answer_literal(q, name))
		return;
	if (d->closing) {
		dns_on_answer(q, ARES_EDESTRUCTION, 0, NULL);
		return;
	}
	ares_getaddrinfo(d->channel, name, NULL, &hints, dns_on_answer, q);
	dns_arm(d);
}
