#include "network/backend.h"

#include <stdlib.h>
#include <string.h>

static void take_addrs(struct backend *b, const struct dns_answer *answer)
{
	b->error = answer->error;
	b->addr_n = answer->n;
	for (unsigned i = 0; i < answer->n; i++) {
		b->addrs[i] = answer->addrs[i];
		b->addrs[i].port = b->set->at.port;
	}
}

struct backend *backend_new(struct settings *s, const struct backend_settings *set,
			    const struct dns_answer *answer)
{
	struct backend *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->refs = 1;
	b->settings = settings_ref(s);
	b->set = set;
	if (set->at.addr.kind != ADDR_NONE) {
		b->addrs[0] = set->at.addr;
		b->addrs[0].port = set->at.port;
		b->addr_n = 1;
	} else if (answer != NULL) {
		take_addrs(b, answer);
	}
	return b;
}

struct backend *backend_ref(struct backend *b)
{
	atomic_fetch_add(&b->refs, 1);
	return b;
}

void backend_unref(struct backend *b)
{
	if (b == NULL || atomic_fetch_sub(&b->refs, 1) > 1)
		return;
	settings_unref(b->settings);
	free(b);
}

struct catalog *catalog_new(struct settings *s, struct backend *const *backends)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
	struct catalog *c = calloc(1, sizeof(*c) + s->backend_n * sizeof(c->backends[0]));

	if (c == NULL)
		return NULL;
	c->refs = 1;
	c->settings = settings_ref(s);
	c->n = s->backend_n;
	for (size_t i = 0; i < c->n; i++)
		c->backends[i] = backend_ref(backends[i]);
	return c;
}

struct catalog *catalog_ref(struct catalog *c)
{
	atomic_fetch_add(&c->refs, 1);
	return c;
}

void catalog_unref(struct catalog *c)
{
	if (c == NULL || atomic_fetch_sub(&c->refs, 1) > 1)
		return;
	for (size_t i = 0; i < c->n; i++)
		backend_unref(c->backends[i]);
	settings_unref(c->settings);
	free(c);
}

struct backend *catalog_find(const struct catalog *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(c->backends[i]->set->name, name) == 0)
			return c->backends[i];
	}
	return NULL;
}
