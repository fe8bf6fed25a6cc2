#include "config/keep.h"

#include <stdlib.h>

#include "config/nearest.h"
#include "config/settings_rules.h"

static const char lobby[] = "lobby";

static const struct backend_settings *find_backend(const struct settings *s, const char *name)
{
	for (size_t i = 0; i < s->backend_n; i++) {
		if (s->backends[i].name != NULL && strcmp(s->backends[i].name, name) == 0)
			return &s->backends[i];
	}
	return NULL;
}

static bool is_same_name(const char *a, const char *b)
{
	return slice_eq_nocase(slice_str(a), slice_str(b));
}

/* Players type names into commands: two that differ in case only would be one too many. */
static void check_name(const struct settings *s, size_t i, const struct yaml_node *n,
		       struct problems *p)
{
	const struct yaml_node *at = yaml_child(n, "name");
	const char *name = s->backends[i].name;

	if (name == NULL || at == NULL)
		return;
	if (is_same_name(name, lobby)) {
		problem_add(p, at, "lobby is the built-in one; choose another name");
		return;
	}
	for (size_t k = 0; k < i; k++) {
		if (s->backends[k].name == NULL || !is_same_name(s->backends[k].name, name))
			continue;
		problem_add(p, at,
			    "%s is the name of backends[%zu], too (capitals do not count); choose "
			    "another one",
			    name, k);
		return;
	}
}

static void check_backends(const struct settings *s, const struct yaml_node *root,
			   struct problems *p)
{
	const struct yaml_node *list = yaml_child(root, "backends");
	const struct yaml_node *n = yaml_item(list);

	for (size_t i = 0; n != NULL && i < s->backend_n; i++, n = yaml_item_next(list, n))
		check_name(s, i, n, p);
}

static void complain_unknown(const struct settings *s, const char *name, const struct yaml_node *n,
			     struct problems *p)
{
	struct nearest near;

	nearest_init(&near, slice_str(name));
	nearest_try(&near, lobby);
	for (size_t i = 0; i < s->backend_n && !problems_are_full(p); i++) {
		if (s->backends[i].name != NULL)
			nearest_try(&near, s->backends[i].name);
	}
	if (near.best != NULL)
		problem_add(p, n, "no backend is called %s; did you mean %s?", name, near.best);
	else
		problem_add(p, n, "no backend is called %s; add it to backends, or write lobby",
			    name);
}

enum route_kind { ORDERED, FORCED };

static void check_server(const struct settings *s, const struct string_list *list, size_t i,
			 enum route_kind kind, const struct yaml_node *n, struct problems *p)
{
	const char *name = list->v[i];
	const struct backend_settings *b = NULL;

	if (name == NULL)
		return;
	for (size_t k = 0; k < i; k++) {
		if (list->v[k] != NULL && strcmp(list->v[k], name) == 0) {
			problem_add(p, n, "%s is in the list twice; keep one of the two", name);
			return;
		}
	}
	b = find_backend(s, name);
	if (b == NULL && strcmp(name, lobby) != 0)
		complain_unknown(s, name, n, p);
	else if (b != NULL && b->mode == BACKEND_PASSTHROUGH && kind == ORDERED)
		problem_add(p, n,
			    "%s is a passthrough backend, which only forcedHosts and otherVersions "
			    "may name; take it out, or set its mode: managed",
			    name);
	else if (b != NULL && b->mode == BACKEND_PASSTHROUGH && list->n > 1)
		problem_add(p, n,
			    "%s is a passthrough backend, which has to stand alone for its host; "
			    "take the others out",
			    name);
}

static void check_servers(const struct settings *s, const struct string_list *servers,
			  enum route_kind kind, const struct yaml_node *list, struct problems *p)
{
	const struct yaml_node *n = yaml_item(list);

	for (size_t i = 0; n != NULL && i < servers->n; i++, n = yaml_item_next(list, n))
		check_server(s, servers, i, kind, n, p);
}

struct host_at {
	const char *host;
	const struct yaml_node *n;
};

static int compare_hosts(const void *a, const void *b)
{
	const struct host_at *x = a, *y = b;
	int order = strcmp(x->host, y->host);

	return order != 0 ? order : (x->n->index > y->n->index) - (x->n->index < y->n->index);
}

/* Hosts that became one in lower case. Sorted, because there may be thousands. */
static void check_hosts_twice(const struct settings *s, const struct yaml_node *map,
			      struct problems *p)
{
	struct host_at *all = calloc(s->forced_host_n + 1, sizeof(*all));
	const struct yaml_node *n = map->first;
	size_t count = 0;

	if (all == NULL) {
		p->out_of_memory = true;
		return;
	}
	for (size_t i = 0; n != NULL && i < s->forced_host_n; i++, n = n->next) {
		if (s->forced_hosts[i].host != NULL)
			all[count++] = (struct host_at){s->forced_hosts[i].host, n};
	}
	qsort(all, count, sizeof(*all), compare_hosts);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(all[i].host, all[i - 1].host) == 0)
			problem_add(p, all[i].n,
				    "is the same host as the one in line %u; keep one of the two",
				    all[i - 1].n->line);
	}
	free(all);
}

static void check_forced_hosts(const struct settings *s, const struct yaml_node *map,
			       struct problems *p)
{
	const struct yaml_node *n = map == NULL ? NULL : map->first;

	if (n != NULL)
		check_hosts_twice(s, map, p);
	for (size_t i = 0; n != NULL && i < s->forced_host_n; i++, n = n->next)
		check_servers(s, &s->forced_hosts[i].servers, FORCED, n, p);
}

static void check_other_versions(const struct settings *s, const struct yaml_node *n,
				 struct problems *p)
{
	const struct backend_settings *b = NULL;

	if (n == NULL || s->other_versions == NULL)
		return;
	b = find_backend(s, s->other_versions);
	if (b == NULL && strcmp(s->other_versions, lobby) != 0)
		complain_unknown(s, s->other_versions, n, p);
	else if (b == NULL || b->mode != BACKEND_PASSTHROUGH)
		problem_add(p, n,
			    "%s cannot take other versions; name a backend with mode: passthrough",
			    s->other_versions);
}

/* Without a list: all managed backends in their order, or the lobby when there are none. */
static void default_servers(struct settings *s, struct arena *memory, struct problems *p)
{
	struct string_list list = {0};

	list.v = keep_zeroed(memory, s->backend_n + 1, sizeof(*list.v));
	if (list.v == NULL) {
		p->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < s->backend_n; i++) {
		if (s->backends[i].mode == BACKEND_MANAGED && s->backends[i].name != NULL)
			list.v[list.n++] = s->backends[i].name;
	}
	if (list.n == 0)
		list.v[list.n++] = lobby;
	s->initial.servers = list;
}

void settings_rules_route(struct settings *s, const struct yaml_node *root, struct arena *memory,
			  struct problems *p)
{
	const struct yaml_node *routing = yaml_child(root, "initialRouting");
	const struct yaml_node *servers = yaml_child(routing, "servers");

	check_backends(s, root, p);
	check_servers(s, &s->initial.servers, ORDERED, servers, p);
	check_forced_hosts(s, yaml_child(routing, "forcedHosts"), p);
	check_other_versions(s, yaml_child(routing, "otherVersions"), p);
	if (servers == NULL)
		default_servers(s, memory, p);
}
