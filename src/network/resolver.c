#include "network/resolver.h"

#include <stdlib.h>

#include "base/clock.h"

struct watched_name {
	struct dns_query query;
	struct timer again;
	struct resolver *resolver;
	const struct backend_settings *set;
	struct backend *backend;
	uint32_t retry_s;
};

struct resolver {
	struct loop *loop;
	struct settings *settings;
	struct dns *dns; /* NULL while no backend has a name */
	struct resolver_hooks hooks;
	size_t n;
	struct watched_name names[];
};

static bool same_answer(const struct backend *a, const struct backend *b)
{
	if (a->addr_n != b->addr_n || a->error != b->error)
		return false;
	for (unsigned i = 0; i < a->addr_n; i++) {
		if (!addr_same_ip(&a->addrs[i], &b->addrs[i]))
			return false;
	}
	return true;
}

/* An error does not take a good address away: an old one may still be right, none never is. */
static bool is_news(const struct backend *old, const struct backend *new)
{
	return !same_answer(old, new) && (new->addr_n > 0 || old->addr_n == 0);
}

static uint32_t next_ask_s(struct watched_name *w, const struct dns_answer *a)
{
	uint32_t ttl_s = a->ttl_s < RESOLVE_TTL_MIN_S ? RESOLVE_TTL_MIN_S : a->ttl_s;

	if (a->error == NULL) {
		w->retry_s = 1;
		return ttl_s > RESOLVE_TTL_MAX_S ? RESOLVE_TTL_MAX_S : ttl_s;
	}
	w->retry_s = w->retry_s * 2 > RESOLVE_RETRY_MAX_S ? RESOLVE_RETRY_MAX_S : w->retry_s * 2;
	return w->retry_s;
}

static void on_answer(struct dns_query *q, const struct dns_answer *a)
{
	struct watched_name *w = CONTAINER_OF(q, struct watched_name, query);
	struct resolver *r = w->resolver;
	struct backend *b;

	timer_arm(r->loop, &w->again, loop_now_us(r->loop) + (uint64_t)next_ask_s(w, a) * US_PER_S);
	b = backend_new(r->settings, w->set, a);
	if (b == NULL)
		return;
	if (!is_news(w->backend, b)) {
		backend_unref(b);
		return;
	}
	backend_unref(w->backend);
	w->backend = b;
	r->hooks.on_answer(r->hooks.arg, w->set->name, a->error);
	r->hooks.on_change(r->hooks.arg);
}

static void ask(struct timer *t)
{
	struct watched_name *w = CONTAINER_OF(t, struct watched_name, again);

	if (!w->query.running)
		dns_ask(w->resolver->dns, &w->query, w->set->at.host);
}

static bool wants_dns(const struct backend_settings *set)
{
	return set->at.host != NULL && set->at.addr.kind == ADDR_NONE;
}

static bool add_name(struct resolver *r, const struct backend_settings *set)
{
	struct watched_name *w = &r->names[r->n];

	w->resolver = r;
	w->set = set;
	w->retry_s = 1;
	w->query.on_answer = on_answer;
	timer_init(&w->again, ask);
	w->backend = backend_new(r->settings, set, NULL);
	if (w->backend == NULL)
		return false;
	r->n++;
	if (wants_dns(set) && r->dns == NULL)
		r->dns = dns_new(r->loop, NULL);
	return !wants_dns(set) || r->dns != NULL;
}

struct resolver *resolver_new(struct loop *l, struct settings *s,
			      const struct resolver_hooks *hooks)
{
	struct resolver *r = calloc(1, sizeof(*r) + s->backend_n * sizeof(r->names[0]));
	bool ok = r != NULL;

	if (!ok)
		return NULL;
	r->loop = l;
	r->settings = settings_ref(s);
	r->hooks = *hooks;
	for (size_t i = 0; i < s->backend_n && ok; i++)
		ok = add_name(r, &s->backends[i]);
	if (!ok) {
		resolver_free(r);
		return NULL;
	}
	for (size_t i = 0; i < r->n; i++) {
		if (wants_dns(r->names[i].set))
			ask(&r->names[i].again);
	}
	return r;
}

static void ignore_answer(struct dns_query *q, const struct dns_answer *a)
{
	(void)q;
	(void)a;
}

void resolver_free(struct resolver *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		r->names[i].query.on_answer = ignore_answer;
		timer_disarm(&r->names[i].again);
	}
	dns_free(r->dns);
	for (size_t i = 0; i < r->n; i++)
		backend_unref(r->names[i].backend);
	settings_unref(r->settings);
	free(r);
}

struct catalog *resolver_catalog(const struct resolver *r)
{
	struct backend **v = calloc(r->n + 1, sizeof(struct backend *));
	struct catalog *c;

	if (v == NULL)
		return NULL;
	for (size_t i = 0; i < r->n; i++)
		v[i] = r->names[i].backend;
	c = catalog_new(r->settings, v);
	free(v);
	return c;
}
