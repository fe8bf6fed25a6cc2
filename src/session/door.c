#include "session/door.h"

#include "base/format.h"
#include "link/proxy_filter.h"
#include "link/websocket_filter.h"
#include "session/greet.h"
#include "session/listener.h"
#include "session/session.h"
#include "session/worker.h"

bool door_accepts(const struct session *s, enum accept_bits what)
{
	return (s->listener->set->accept & what) != 0;
}

static const struct listener_settings *policy(const struct session *s)
{
	return s->listener->set;
}

static bool had_proxy_header(const struct session *s)
{
	return (s->kept.flags & KEPT_ANNOUNCED) != 0;
}

bool door_lets_ask(struct session *s)
{
	if (policy(s)->proxy_protocol != PROXY_PROTOCOL_REQUIRED || had_proxy_header(s))
		return true;
	counter_add(&s->worker->desk->counters.refused_proxy_header, 1);
	session_end(s, END_PROXY_HEADER_MISSING);
	return false;
}

bool door_lets_in(struct session *s)
{
	return door_lets_ask(s) && listener_admit(s);
}

bool door_hears(struct session *s)
{
	if (!door_lets_ask(s))
		return false;
	(void)!listener_takes(s);
	return true;
}

static void on_source(struct link *l, const struct addr *source)
{
	struct session *s = l->owner;

	s->kept.flags |= KEPT_ANNOUNCED;
	if (source->kind != ADDR_NONE)
		s->kept.addr = *source;
	if (!listener_trusts_forwarded(s->listener, &s->kept.addr))
		(void)!listener_takes(s);
}

struct filter *door_proxy_filter(struct session *s)
{
	const struct listener_settings *p = policy(s);

	if (p->proxy_protocol != PROXY_PROTOCOL_OFF && !had_proxy_header(s) &&
	    cidrs_have(p->trusted.v, p->trusted.n, &s->kept.addr))
		return proxy_filter_new(on_source);
	counter_add(&s->worker->desk->counters.refused_proxy_header, 1);
	session_end(s, END_PROXY_HEADER_UNTRUSTED);
	return NULL;
}

static bool origin_is_allowed(const struct listener_settings *p, const struct ws_request *r)
{
	struct slice origin = ws_request_header(r, SLICE_LIT("Origin"));

	if (p->ws_allowed_origins.n == 0)
		return true;
	for (size_t i = 0; i < p->ws_allowed_origins.n; i++) {
		if (slice_eq_nocase(origin, slice_str(p->ws_allowed_origins.v[i])))
			return true;
	}
	return false;
}

static struct slice trim(struct slice s)
{
	while (s.len > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		slice_cut(&s, 1);
	while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* Nothing, or ":0" to ":65535". */
static bool is_port(struct slice text)
{
	uint64_t port;

	if (text.len == 0)
		return true;
	return text.p[0] == ':' && u64_parse(slice_of(text.p + 1, text.len - 1), &port) &&
	       port <= UINT16_MAX;
}

/* "1.2.3.4", "1.2.3.4:567", "[::1]:567", "::1": what proxies write in forwarded headers. */
static bool parse_forwarded(struct slice text, struct addr *ret)
{
	size_t colon, end;

	if (text.len > 2 && text.p[0] == '[') {
		slice_cut(&text, 1);
		end = slice_find(text, ']');
		return end < text.len && is_port(slice_of(text.p + end + 1, text.len - end - 1)) &&
		       addr_parse_ip(slice_of(text.p, end), ret);
	}
	if (addr_parse_ip(text, ret))
		return true;
	colon = slice_find(text, ':');
	return is_port(slice_of(text.p + colon, text.len - colon)) &&
	       addr_parse_ip(slice_of(text.p, colon), ret);
}

bool door_forwarded_addr(const struct listener_settings *p, struct slice list, struct addr *ret)
{
	bool found = false;

	while (list.len > 0) {
		size_t comma = list.len;
		struct addr a;

		while (comma > 0 && list.p[comma - 1] != ',')
			comma--;
		if (!parse_forwarded(trim(slice_of(list.p + comma, list.len - comma)), &a))
			break;
		*ret = a;
		found = true;
		if (!cidrs_have(p->ws_trusted.v, p->ws_trusted.n, &a))
			break;
		list.len = comma > 0 ? comma - 1 : 0;
	}
	return found;
}

static void take_forwarded(struct session *s, const struct ws_request *r)
{
	const struct listener_settings *p = policy(s);
	struct slice value;
	struct addr a;

	if (!listener_trusts_forwarded(s->listener, &s->kept.addr))
		return;
	value = ws_request_last_header(r, slice_str(p->ws_address_header));
	if (value.p != NULL && door_forwarded_addr(p, value, &a)) {
		a.port = 0;
		s->kept.addr = a;
	}
}

static enum ws_verdict on_request(struct link *l, const struct ws_request *r)
{
	struct session *s = l->owner;
	const struct listener_settings *p = policy(s);
	enum ws_verdict verdict = ws_request_check(r, slice_str(p->ws_path));

	if (verdict != WS_UPGRADE)
		return verdict;
	if (!origin_is_allowed(p, r))
		return WS_FORBIDDEN;
	take_forwarded(s, r);
	return listener_takes(s) ? WS_UPGRADE : WS_TOO_MANY_REQUESTS;
}

static void on_open(struct link *l)
{
	struct session *s = l->owner;

	s->kept.flags |= KEPT_WEBSOCKET;
	s->head_len = 0;
	counter_add(&s->worker->desk->counters.websockets, 1);
}

static const struct websocket_hooks hooks = {.on_request = on_request, .on_open = on_open};

struct filter *door_websocket_filter(struct session *s)
{
	return websocket_filter_new(s->player, &hooks, session_settings(s)->timeouts.ws_ping_us);
}

struct slice door_join(struct session *s, struct slice first, struct slice in)
{
	uint8_t *p;

	if (first.len == 0)
		return in;
	p = arena_alloc(&s->worker->links.turn, first.len + in.len);
	if (p == NULL)
		return (struct slice){0};
	memcpy(p, first.p, first.len);
	if (in.len > 0)
		memcpy(p + first.len, in.p, in.len);
	return slice_of(p, first.len + in.len);
}
