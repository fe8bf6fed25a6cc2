#include "session/listener.h"

#include <stdlib.h>

#include "io/listen.h"
#include "session/session.h"
#include "session/worker.h"

static bool trusts_proxy(const struct listener *ls, const struct addr *peer)
{
	const struct listener_settings *p = ls->set;

	return p->proxy_protocol != PROXY_PROTOCOL_OFF &&
	       cidrs_have(p->trusted.v, p->trusted.n, peer);
}

bool listener_trusts_forwarded(const struct listener *ls, const struct addr *peer)
{
	const struct listener_settings *p = ls->set;

	return p->ws_address_header != NULL && cidrs_have(p->ws_trusted.v, p->ws_trusted.n, peer);
}

bool listener_waits_for_address(const struct listener *ls, const struct addr *peer)
{
	return trusts_proxy(ls, peer) || listener_trusts_forwarded(ls, peer);
}

static void count_refusal(struct worker *w, enum limit_verdict v)
{
	struct counters *c = &w->desk->counters;

	switch (v) {
	case LIMIT_OK:
		break;
	case LIMIT_FULL:
		counter_add(&c->refused_full, 1);
		break;
	case LIMIT_ADDRESS:
		counter_add(&c->refused_address, 1);
		break;
	case LIMIT_RATE:
		counter_add(&c->refused_rate, 1);
		break;
	}
}

static enum limit_verdict admit(struct worker *w, const struct addr *a, bool *ret_counted)
{
	enum limit_verdict v =
		limits_admit(w->common->limits, w->settings, a, loop_now_us(w->loop), ret_counted);

	count_refusal(w, v);
	return v;
}

bool listener_takes(struct session *s)
{
	bool counted = false;

	if (s->over_limit || s->kept.flags & KEPT_COUNTED)
		return !s->over_limit;
	s->over_limit = admit(s->worker, &s->kept.addr, &counted) != LIMIT_OK;
	if (counted)
		s->kept.flags |= KEPT_COUNTED;
	return !s->over_limit;
}

bool listener_admit(struct session *s)
{
	if (listener_takes(s))
		return true;
	session_end(s, END_LIMIT_REACHED);
	return false;
}

static void turn_away(struct worker *w, int fd)
{
	struct sys *sys = loop_sys(w->loop);

	sys->ops->close(sys, fd);
}

static void begin(struct listener *ls, int fd, const struct addr *peer, bool counted)
{
	struct worker *w = ls->worker;
	struct session *s = session_new(w, ls, fd, peer);

	if (s == NULL) {
		if (counted)
			limits_release(w->common->limits, peer);
		limits_leave(w->common->limits);
		return;
	}
	if (counted)
		s->kept.flags |= KEPT_COUNTED;
	counter_add(&w->desk->counters.accepted, 1);
}

static void on_accept(struct acceptor *a, int fd, const struct sockaddr_storage *sa)
{
	struct listener *ls = CONTAINER_OF(a, struct listener, acceptor);
	struct worker *w = ls->worker;
	struct addr peer = addr_from_sockaddr(sa);
	bool counted = false;

	if (!limits_enter(w->common->limits, w->settings->max_connections)) {
		count_refusal(w, LIMIT_FULL);
		turn_away(w, fd);
		return;
	}
	if (!listener_waits_for_address(ls, &peer) && admit(w, &peer, &counted) != LIMIT_OK) {
		limits_leave(w->common->limits);
		turn_away(w, fd);
		return;
	}
	socket_tune(fd, (unsigned)(w->settings->timeouts.stall_us / 1000));
	begin(ls, fd, &peer, counted);
}

static void on_exhausted(struct acceptor *a)
{
	struct listener *ls = CONTAINER_OF(a, struct listener, acceptor);

	counter_add(&ls->worker->desk->counters.out_of_descriptors, 1);
	worker_log(ls->worker, LOG_ERROR, CAUSE_DESCRIPTORS,
		   "msg=\"out of file descriptors: accepting pauses\" listener=%s",
		   ls->set->at.text);
}

struct listener *listener_new(struct worker *w, const struct listener_settings *set, int fd,
			      bool shared)
{
	struct listener *ls = calloc(1, sizeof(*ls));

	if (ls == NULL)
		return NULL;
	ls->worker = w;
	ls->set = set;
	ls->acceptor.on_accept = on_accept;
	ls->acceptor.on_exhausted = on_exhausted;
	if (acceptor_open(w->loop, &ls->acceptor, fd, shared) < 0) {
		free(ls);
		return NULL;
	}
	list_init(&ls->node);
	list_append(&w->listeners, &ls->node);
	return ls;
}

void listener_free(struct listener *ls)
{
	list_remove(&ls->node);
	acceptor_close(ls->worker->loop, &ls->acceptor);
	free(ls);
}
