#include "config/endpoint.h"

#include "base/format.h"
#include "config/keep.h"
#include "config/text_rules.h"

enum { INHERITED_NAME_MAX = 64 };

struct target {
	struct place *place;
	struct arena *memory;
	const char *why;
	bool out_of_memory;
};

static const char *keep(struct target *t, struct slice s)
{
	const char *text = keep_text(t->memory, s);

	t->out_of_memory = t->out_of_memory || text == NULL;
	return text;
}

static struct slice behind(struct slice s, size_t n)
{
	slice_cut(&s, n);
	return s;
}

static bool wrong(struct target *t, const char *why)
{
	t->why = why;
	return false;
}

static bool parse_unix(struct target *t, struct slice path)
{
	if (path.len == 0 || path.p[0] != '/')
		return wrong(t, "has no absolute path; write unix:/run/moonbridge.sock");
	if (path.len >= ADDR_UNIX_PATH_MAX)
		return wrong(t, "is a path of more than 107 bytes, which no socket can have; "
				"choose a shorter one");
	if (!text_is_clean(path, false))
		return wrong(t, "has control characters; take them out");
	t->place->unix_path = keep(t, path);
	return t->place->unix_path != NULL;
}

static bool parse_inherited(struct target *t, struct slice name)
{
	if (!rule_name.is_ok(name) || name.len > INHERITED_NAME_MAX)
		return wrong(t, "has no good name; write inherited:NAME with the "
				"FileDescriptorName= of the systemd socket unit");
	t->place->inherited = keep(t, name);
	return t->place->inherited != NULL;
}

/* Index of the last `byte`, or s.len. */
static size_t find_last(struct slice s, uint8_t byte)
{
	for (size_t i = s.len; i > 0; i--) {
		if (s.p[i - 1] == byte)
			return i - 1;
	}
	return s.len;
}

static bool parse_port(struct target *t, struct slice text, uint64_t least)
{
	uint64_t port;

	if (!u64_parse(text, &port) || port < least || port > UINT16_MAX)
		return wrong(t, "has no port from 1 to 65535 at its end; write it as host:port");
	t->place->port = (uint16_t)port;
	return true;
}

/* "[ip6]:port" and "host:port". An empty host is allowed here. */
static bool split_port(struct target *t, struct slice text, struct slice *ret_host,
		       uint64_t least_port)
{
	bool brackets = text.len > 0 && text.p[0] == '[';
	size_t end = brackets ? slice_find(text, ']') : find_last(text, ':');
	struct slice host;

	if (end == text.len)
		return wrong(t, brackets ? "has no ] behind the IPv6 address; write [::1]:25565"
					 : "has no port; write it as host:port");
	host = slice_cut(&text, end);
	if (brackets) {
		slice_cut(&host, 1);
		slice_cut(&text, 1);
	} else if (slice_find(host, ':') < host.len) {
		return wrong(t, "has more than one colon; write an IPv6 address in brackets: "
				"[::1]:25565");
	}
	if (text.len == 0 || text.p[0] != ':')
		return wrong(t, "has no port; write it as [::1]:25565");
	slice_cut(&text, 1);
	*ret_host = host;
	return parse_port(t, text, least_port);
}

static bool set_host(struct target *t, struct slice host)
{
	struct addr a;

	if (addr_parse_ip(host, &a)) {
		a.port = t->place->port;
		t->place->addr = a;
	}
	t->place->host = keep(t, host);
	return t->place->host != NULL;
}

static bool parse_listen(struct target *t, struct slice text)
{
	struct slice host;

	if (slice_starts(text, SLICE_LIT("unix:")))
		return parse_unix(t, behind(text, 5));
	if (slice_starts(text, SLICE_LIT("inherited:")))
		return parse_inherited(t, behind(text, 10));
	if (!split_port(t, text, &host, 0))
		return false;
	if (host.len == 0 || slice_eq(host, SLICE_LIT("*")))
		host = SLICE_LIT("::");
	if (!set_host(t, host))
		return false;
	return t->place->addr.kind != ADDR_NONE ||
	       wrong(t, "is a name, and listening takes an IP address; write 127.0.0.1:25577 for "
			"this machine only or \"*:25577\" for all its addresses");
}

static bool parse_backend(struct target *t, struct slice text)
{
	struct slice host;

	if (slice_starts(text, SLICE_LIT("unix:")))
		return parse_unix(t, behind(text, 5));
	if (slice_starts(text, SLICE_LIT("inherited:")))
		return wrong(t, "is for listeners; write host:port or unix:/path");
	if (slice_starts(text, SLICE_LIT("tcp://")))
		slice_cut(&text, 6);
	if (!split_port(t, text, &host, 1) || !set_host(t, host))
		return false;
	return t->place->addr.kind != ADDR_NONE || text_is_host(host) ||
	       wrong(t, "has no good host name in it; write host:port, such as 127.0.0.1:25565");
}

static enum endpoint_result parse(struct place *ret, struct slice text, struct arena *memory,
				  const char **ret_why, bool (*how)(struct target *, struct slice))
{
	struct place place = {0};
	struct target t = {.place = &place, .memory = memory};

	place.text = keep(&t, text);
	if (place.text != NULL && how(&t, text)) {
		*ret = place;
		return ENDPOINT_OK;
	}
	if (t.out_of_memory)
		return ENDPOINT_MEMORY;
	*ret_why = t.why;
	return ENDPOINT_WRONG;
}

enum endpoint_result endpoint_parse_listen(struct place *ret, struct slice text,
					   struct arena *memory, const char **ret_why)
{
	return parse(ret, text, memory, ret_why, parse_listen);
}

enum endpoint_result endpoint_parse_backend(struct place *ret, struct slice text,
					    struct arena *memory, const char **ret_why)
{
	return parse(ret, text, memory, ret_why, parse_backend);
}
