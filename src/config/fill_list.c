#include "config/fill_list.h"

#include "config/fill_scalar.h"
#include "config/keep.h"
#include "config/settings.h"

bool fill_count_is_ok(struct fill *f, const struct schema_field *d, const struct yaml_node *n)
{
	unsigned count = yaml_item_n(n);

	if (count < d->min) {
		problem_add(f->problems, n,
			    "is empty; write at least one value, or remove the key");
		return false;
	}
	if (d->max > 0 && count > d->max) {
		problem_add(f->problems, n, "has %u values; at most %u are possible", count,
			    (unsigned)d->max);
		return false;
	}
	return true;
}

void fill_choices(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		  void *base)
{
	bool all = n->kind == NODE_TEXT && slice_eq_nocase(n->text, SLICE_LIT("all"));
	unsigned bits = 0;

	for (const struct schema_choice *c = d->choices; all && c->name != NULL; c++)
		bits |= c->value;
	if (!all && yaml_item_n(n) == 0)
		problem_add(f->problems, n,
			    "is empty; write at least one value, or remove the key");
	for (const struct yaml_node *c = all ? NULL : yaml_item(n); c != NULL;
	     c = yaml_item_next(n, c)) {
		const struct schema_choice *choice = c->failed ? NULL : fill_find_choice(f, d, c);

		bits |= choice == NULL ? 0 : choice->value;
	}
	*(unsigned *)((char *)base + d->offset) = bits;
}

static bool parse_network(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
			  struct cidr *ret)
{
	struct slice ip = {n->text.p, slice_find(n->text, '/')};
	struct addr a;

	if (n->failed || !fill_is_text(f, d, n))
		return false;
	if (cidr_parse(n->text, ret))
		return true;
	fill_complain(f, d, n,
		      addr_parse_ip(ip, &a)
			      ? "is not a network: its bits behind the prefix must be 0"
			      : "is not a network");
	return false;
}

void fill_networks(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		   void *base)
{
	struct cidr_list *ret = (struct cidr_list *)(void *)((char *)base + d->offset);
	struct cidr_list list = {0};

	if (!fill_count_is_ok(f, d, n))
		return;
	list.v = keep_zeroed(f->memory, yaml_item_n(n), sizeof(*list.v));
	if (list.v == NULL) {
		f->problems->out_of_memory = true;
		return;
	}
	for (const struct yaml_node *c = yaml_item(n); c != NULL; c = yaml_item_next(n, c))
		list.n += parse_network(f, d, c, &list.v[list.n]) ? 1 : 0;
	*ret = list;
}

/* The list keeps its length whatever is wrong with an item: rules look items up by their place. */
static bool read_texts(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		       struct string_list *ret)
{
	struct string_list list = {0};

	list.v = keep_zeroed(f->memory, yaml_item_n(n), sizeof(*list.v));
	if (list.v == NULL) {
		f->problems->out_of_memory = true;
		return false;
	}
	for (const struct yaml_node *c = yaml_item(n); c != NULL; c = yaml_item_next(n, c)) {
		if (!c->failed && fill_is_text(f, d, c) && fill_keeps_rule(f, d, c))
			list.v[list.n] = fill_keep(f, c->text);
		list.n++;
	}
	*ret = list;
	return true;
}

void fill_texts(struct fill *f, const struct schema_field *d, const struct yaml_node *n, void *base)
{
	if (fill_count_is_ok(f, d, n))
		(void)read_texts(f, d, n, (void *)((char *)base + d->offset));
}

/* Lower case, without the dot that ends a full DNS name. */
static const char *keep_host(struct fill *f, const struct schema_field *d, struct slice host)
{
	char text[YAML_KEY_MAX + 1];
	size_t n = 0;

	if (host.len > 0 && host.p[host.len - 1] == '.')
		host.len--;
	if (!d->rule->is_ok(host))
		return NULL;
	for (; n < host.len; n++)
		text[n] =
			(char)(host.p[n] >= 'A' && host.p[n] <= 'Z' ? host.p[n] | 0x20 : host.p[n]);
	return fill_keep(f, slice_of(text, n));
}

static void read_route(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		       struct route_settings *ret)
{
	static const struct schema_field servers = {
		.type = SCHEMA_TEXTS, .min = 1, .max = 1000, .rule = &rule_name};

	ret->host = keep_host(f, d, slice_str(n->key));
	if (ret->host == NULL && !f->problems->out_of_memory)
		problem_add(f->problems, n, "is not possible as a host; write %s", d->rule->wants);
	if (!n->failed && fill_count_is_ok(f, &servers, n))
		(void)read_texts(f, &servers, n, &ret->servers);
}

void fill_routes(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		 void *base)
{
	struct route_settings *routes = NULL;
	size_t i = 0;

	if (n->kind != NODE_MAP && !yaml_is_nothing(n)) {
		fill_complain(f, d, n, "does not belong here");
		return;
	}
	routes = keep_zeroed(f->memory, n->n, sizeof(*routes));
	if (routes == NULL) {
		f->problems->out_of_memory = true;
		return;
	}
	for (const struct yaml_node *c = n->first; c != NULL; c = c->next)
		read_route(f, d, c, &routes[i++]);
	*(struct route_settings **)(void *)((char *)base + d->offset) = routes;
	*(size_t *)(void *)((char *)base + d->second) = i;
}
