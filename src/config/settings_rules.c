#include "config/settings_rules.h"

/* The node to blame: the item's key, or the item itself. */
static const struct yaml_node *part(const struct yaml_node *n, const char *key)
{
	const struct yaml_node *c = yaml_child(n, key);

	return c == NULL ? n : c;
}

static void check_public(const struct settings *s, const struct listener_settings *l,
			 const struct yaml_node *n, struct problems *p)
{
	const char *what = NULL;

	if (l->at.inherited != NULL)
		what = "is an inherited socket, which may be public";
	else if (l->at.host != NULL && !addr_is_loopback(&l->at.addr))
		what = "is a public address";
	if (what == NULL || !s->offline || s->allow_offline_public_access)
		return;
	problem_add(p, part(n, "address"),
		    "%s, and authentication: offline lets anyone join there under any name; set "
		    "allowOfflinePublicAccess: true if that is meant, or listen on 127.0.0.1",
		    what);
}

static void check_trust(const struct listener_settings *l, const struct yaml_node *n,
			struct problems *p)
{
	const struct yaml_node *ws = part(n, "webSocket");

	if (l->proxy_protocol != PROXY_PROTOCOL_OFF && l->trusted.n == 0)
		problem_add(p, part(n, "proxyProtocol"),
			    "nobody may send the header, since trusted is empty; list the networks "
			    "of the load balancer in trusted, such as [10.0.0.0/8]");
	if (l->proxy_protocol == PROXY_PROTOCOL_OFF && l->trusted.n > 0)
		problem_add(p, part(n, "trusted"),
			    "has no effect while proxyProtocol is off; set proxyProtocol: optional "
			    "or required, or remove trusted");
	if (l->ws_address_header != NULL && l->ws_trusted.n == 0)
		problem_add(p, part(ws, "clientAddress"),
			    "no header counts, since webSocket.trusted is empty; list the networks "
			    "of the web server or CDN in trusted");
	if (l->ws_address_header == NULL && l->ws_trusted.n > 0)
		problem_add(p, part(ws, "trusted"),
			    "has no effect while clientAddress is direct; name the header in "
			    "clientAddress, or remove trusted");
}

static bool is_same_place(const struct place *a, const struct place *b)
{
	if (a->unix_path != NULL && b->unix_path != NULL)
		return strcmp(a->unix_path, b->unix_path) == 0;
	if (a->inherited != NULL && b->inherited != NULL)
		return strcmp(a->inherited, b->inherited) == 0;
	return a->host != NULL && b->host != NULL && addr_same_ip(&a->addr, &b->addr) &&
	       a->port == b->port && a->port != 0;
}

static void check_twice(const struct settings *s, size_t i, const struct yaml_node *n,
			struct problems *p)
{
	for (size_t k = 0; k < i; k++) {
		if (!is_same_place(&s->listeners[i].at, &s->listeners[k].at))
			continue;
		problem_add(p, part(n, "address"),
			    "is the same place as listener [%zu]; keep one of the two", k);
		return;
	}
}

static void check_listeners(const struct settings *s, const struct yaml_node *root,
			    struct problems *p)
{
	const struct yaml_node *list = yaml_child(root, "listen");
	const struct yaml_node *n = yaml_item(list);

	for (size_t i = 0; n != NULL && i < s->listener_n; i++, n = yaml_item_next(list, n)) {
		check_public(s, &s->listeners[i], n, p);
		check_trust(&s->listeners[i], n, p);
		check_twice(s, i, n, p);
	}
}

static void check_limits(const struct settings *s, const struct yaml_node *root, struct problems *p)
{
	const struct yaml_node *n = yaml_child(root, "limits");
	uint64_t low = s->limits.unsent_low_bytes, high = s->limits.unsent_high_bytes;

	if (n != NULL && low != 0 && high != 0 && low >= high)
		problem_add(p, part(n, "unsentLow"),
			    "is not below unsentHigh, so a paused sender would never stay paused; "
			    "write a quarter of it");
}

void settings_rules_apply(struct settings *s, const struct yaml_node *root, struct arena *memory,
			  struct problems *p)
{
	check_listeners(s, root, p);
	check_limits(s, root, p);
	settings_rules_route(s, root, memory, p);
}
