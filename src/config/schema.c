#include "config/schema.h"

#include "config/settings.h"

/* Durations and sizes as the table writes them. */
#define MS(n) ((uint64_t)(n)*1000)
#define S(n)  MS((n)*1000)
#define KB(n) ((uint64_t)(n) << 10)
#define MB(n) KB((n) << 10)

#define KEY(name, kind, in, member)                                    \
	.key = (name), .type = (kind), .offset = offsetof(in, member), \
	.width = sizeof(((in *)0)->member)
#define SECTION(name, fields_of) .key = (name), .type = SCHEMA_SECTION, .sub = &(fields_of)
/* An array and its length: two members. */
#define ARRAY(name, kind, member, count)                                            \
	.key = (name), .type = (kind), .offset = offsetof(struct settings, member), \
	.second = offsetof(struct settings, count)
#define TOP(name, kind, member) KEY(name, kind, struct settings, member)
#define FIELDS(list)            .fields = (list), .n = COUNT_OF(list)

static const struct schema_choice proxy_protocols[] = {{"off", PROXY_PROTOCOL_OFF, NULL},
						       {"optional", PROXY_PROTOCOL_OPTIONAL, NULL},
						       {"required", PROXY_PROTOCOL_REQUIRED, NULL},
						       {NULL, 0, NULL}};
static const struct schema_choice accepts[] = {{"minecraft", ACCEPT_MINECRAFT, NULL},
					       {"legacyPing", ACCEPT_LEGACY_PING, NULL},
					       {"webSocket", ACCEPT_WEBSOCKET, NULL},
					       {NULL, 0, NULL}};
static const struct schema_choice authentications[] = {
	{"offline", true, NULL},
	{"online", false,
	 "online is not there yet: this version cannot ask the session server; write "
	 "authentication: offline, and let nobody but friends reach the port"},
	{NULL, 0, NULL}};
static const struct schema_choice log_levels[] = {{"debug", LOG_DEBUG, NULL},
						  {"info", LOG_INFO, NULL},
						  {"warn", LOG_WARN, NULL},
						  {"error", LOG_ERROR, NULL},
						  {NULL, 0, NULL}};
static const struct schema_choice duplicates[] = {{"sameAddress", DUPLICATE_SAME_ADDRESS, NULL},
						  {"refuse", DUPLICATE_REFUSE, NULL},
						  {"kickOld", DUPLICATE_KICK_OLD, NULL},
						  {NULL, 0, NULL}};
static const struct schema_choice modes[] = {{"managed", BACKEND_MANAGED, NULL},
					     {"passthrough", BACKEND_PASSTHROUGH, NULL},
					     {NULL, 0, NULL}};
static const struct schema_choice tails[] = {
	{"cut", TAILS_CUT, NULL}, {"keep", TAILS_KEEP, NULL}, {NULL, 0, NULL}};
static const struct schema_choice no_server[] = {{"hold", NO_SERVER_HOLD, NULL},
						 {"disconnect", NO_SERVER_DISCONNECT, NULL},
						 {NULL, 0, NULL}};
static const struct schema_choice forge_orders[] = {{"leaveFirst", FORGE_LEAVE_FIRST, NULL},
						    {"resetFirst", FORGE_RESET_FIRST, NULL},
						    {NULL, 0, NULL}};

#define LISTENER(name, kind, member) KEY(name, kind, struct listener_settings, member)

static const struct schema_field web_socket_fields[] = {
	{LISTENER("path", SCHEMA_TEXT, ws_path), .fallback = "/mc", .rule = &rule_url_path,
	 .doc = "The path that a WebSocket client asks for; any other path gets a 404 page."},
	{LISTENER("clientAddress", SCHEMA_TEXT, ws_address_header), .fallback = "direct",
	 .rule = &rule_header, .null_word = "direct",
	 .doc = "Where a player's address comes from: `direct` is the address of the connection; "
		"otherwise the name of a header that a CDN or web server sets, such as "
		"`X-Forwarded-For` or `CF-Connecting-IP`."},
	{LISTENER("trusted", SCHEMA_NETWORKS, ws_trusted), .sample = "[10.0.0.0/8, \"fd00::/8\"]",
	 .doc = "Networks whose header counts. From anywhere else the header is ignored, or every "
		"player could claim any address."},
	{LISTENER("allowedOrigins", SCHEMA_TEXTS, ws_allowed_origins), .rule = &rule_origin,
	 .sample = "[\"https://play.example.org\"]",
	 .doc = "Web pages whose scripts may connect (the `Origin` header). Empty: everyone. With a "
		"list, a client that sends no `Origin` is refused, too."},
};
static const struct schema web_socket = {FIELDS(web_socket_fields)};

static const struct schema_field listener_fields[] = {
	{LISTENER("address", SCHEMA_LISTEN, at), .flags = SCHEMA_REQUIRED,
	 .doc = "`ip:port`, `[ip6]:port`, `*:port` (all addresses, IPv4 and IPv6), `unix:/path`, or "
		"`inherited:NAME` for a socket handed over by systemd. Port 0 takes a free one."},
	{LISTENER("accept", SCHEMA_CHOICES, accept), .fallback = "all", .choices = accepts,
	 .doc = "What may speak here; the first bytes of a connection tell which it is."},
	{LISTENER("proxyProtocol", SCHEMA_CHOICE, proxy_protocol), .fallback = "off",
	 .choices = proxy_protocols,
	 .doc = "The PROXY header (v1 or v2) of a load balancer, which carries the player's real "
		"address. With `optional`, a trusted peer without one counts as itself; with "
		"`required` it is refused."},
	{LISTENER("trusted", SCHEMA_NETWORKS, trusted), .sample = "[10.0.0.0/8, \"fd00::/8\"]",
	 .doc = "Networks that may send a PROXY header (`unix`: every peer of a unix socket). A header "
		"from anywhere else closes the connection."},
	{SECTION("webSocket", web_socket),
	 .doc = "Minecraft inside WebSocket, on the same port, so that players can come through a web "
		"server or a CDN."},
};
static const struct schema listener = {
	FIELDS(listener_fields), .size = sizeof(struct listener_settings), .brief = "address"};

static const struct schema_field status_fields[] = {
	{TOP("motd", SCHEMA_TEXT, status.motd), .fallback = "MoonBridge", .rule = &rule_motd,
	 .doc = "The text in the server list: at most two lines (`\\n` in double quotes), colours with "
		"the section sign."},
	{TOP("icon", SCHEMA_ICON, status.icon_file),
	 .second = offsetof(struct settings, status.icon_base64), .rule = &rule_file,
	 .otherwise = "no icon", .sample = "server-icon.png",
	 .doc = "A PNG of 64x64 pixels, at most 24,000 bytes. A relative path is seen from the folder of "
		"this file."},
	{TOP("maxPlayers", SCHEMA_NUMBER, status.max_players), .max = INT32_MAX, .fallback = "1000",
	 .doc = "The number of places that the server list shows. It limits nothing: "
		"`maxConnections` does."},
	{TOP("sample", SCHEMA_TEXTS, status.sample), .rule = &rule_line, .max = 32,
	 .sample = "[\"first line\", \"second line\"]",
	 .doc = "Lines shown when the mouse rests on the player count. Empty: names of up to 12 players."},
};
static const struct schema status = {FIELDS(status_fields)};

#define BACKEND(name, kind, member) KEY(name, kind, struct backend_settings, member)

static const struct schema_field backend_fields[] = {
	{BACKEND("name", SCHEMA_TEXT, name), .flags = SCHEMA_REQUIRED, .rule = &rule_name,
	 .doc = "How routes, logs and players call it. Each name once; `lobby` is the built-in one."},
	{BACKEND("address", SCHEMA_ADDRESS, at), .flags = SCHEMA_REQUIRED,
	 .doc = "`host:port`, `[ip6]:port` or `unix:/path`. A name is looked up when it is needed; one "
		"that cannot be found never stops the proxy."},
	{BACKEND("tags", SCHEMA_TEXTS, tags), .rule = &rule_name, .max = 64, .sample = "[survival]",
	 .doc = "Words of your own to group servers by."},
	{BACKEND("mode", SCHEMA_CHOICE, mode), .fallback = "managed", .choices = modes,
	 .doc = "`managed`: players are logged in here and can be moved (Minecraft 1.7.2 to 1.7.10). "
		"`passthrough`: every byte goes to the backend untouched, login and status "
		"included, for any version; reached by `forcedHosts` and `otherVersions` only."},
	{BACKEND("handshakeTails", SCHEMA_CHOICE, tails), .fallback = "cut", .choices = tails,
	 .doc = "Passthrough: whether what a client hangs behind the host name (a forwarded address, "
		"for example) is cut off or kept. A Forge marker stays in both cases. Keep the rest "
		"only for clients that you trust or a backend that checks it."},
};
static const struct schema backend = {FIELDS(backend_fields),
				      .size = sizeof(struct backend_settings)};

static const struct schema_field routing_fields[] = {
	{TOP("servers", SCHEMA_TEXTS, initial.servers), .rule = &rule_name, .min = 1, .max = 1000,
	 .otherwise = "all managed backends in their order, or `lobby` when there are none",
	 .doc = "Where a new player goes: the first server that answers. `lobby` is the built-in "
		"one."},
	{ARRAY("forcedHosts", SCHEMA_ROUTES, forced_hosts, forced_host_n),
	 .rule = &rule_forced_host,
	 .sample = "{\"sky.example.org\": sky, \"*.old.example.org\": [old, lobby]}",
	 .doc = "Host name that the player typed: server or list of servers. `*.example.org` stands "
		"for every name below it. A passthrough backend stands alone."},
	{TOP("otherVersions", SCHEMA_TEXT, other_versions), .rule = &rule_name,
	 .otherwise = "they read which versions can join", .sample = "modern",
	 .doc = "The passthrough backend for players of versions that are not managed here."},
	{TOP("whenNoServer", SCHEMA_CHOICE, when_no_server), .fallback = "hold",
	 .choices = no_server,
	 .doc = "When no server of the list answers: `hold` lets the player wait in a small world and "
		"tries again, `disconnect` says so and closes."},
};
static const struct schema routing = {FIELDS(routing_fields)};

static const struct schema_field forge_fields[] = {
	{TOP("order", SCHEMA_CHOICE, forge_order), .fallback = "leaveFirst",
	 .choices = forge_orders,
	 .doc = "How a Forge client is taken into another server: out of the old world before its mods "
		"are reset, or after. Change it only when a modpack crashes on moves."},
};
static const struct schema forge = {FIELDS(forge_fields)};

static const struct schema_field limit_fields[] = {
	{TOP("perAddress", SCHEMA_NUMBER, limits.per_address), .min = 1, .max = 1000000,
	 .fallback = "64", .doc = "Connections of one address at the same time."},
	{TOP("newPerSecond", SCHEMA_NUMBER, limits.new_per_second), .min = 1, .max = 1000000,
	 .fallback = "50", .doc = "New connections of one address in a second, in the long run."},
	{TOP("burst", SCHEMA_NUMBER, limits.burst), .min = 1, .max = 1000000, .fallback = "200",
	 .doc = "New connections of one address at once, after a quiet time."},
	{TOP("prefixFactor", SCHEMA_NUMBER, limits.prefix_factor), .min = 1, .max = 1000,
	 .fallback = "4",
	 .doc = "A whole /24 (IPv4) or /64 (IPv6) network may do this many times what one address "
		"may."},
	{TOP("exempt", SCHEMA_NETWORKS, limits.exempt), .sample = "[10.0.0.0/8, \"fd00::/8\"]",
	 .doc = "Networks without these limits. They go by the player's address once PROXY or a "
		"trusted header told it."},
	{TOP("unsentHigh", SCHEMA_SIZE, limits.unsent_high_bytes), .min = KB(4), .max = MB(64),
	 .fallback = "256kb",
	 .doc = "When this much waits for a slow receiver, its sender is paused."},
	{TOP("unsentLow", SCHEMA_SIZE, limits.unsent_low_bytes), .min = KB(1), .max = MB(64),
	 .fallback = "64kb", .doc = "When it has shrunk to this, the sender goes on."},
	{TOP("poolPerWorker", SCHEMA_SIZE, limits.pool_bytes), .min = MB(4), .max = MB(16384),
	 .fallback = "64mb", .doc = "Memory of one worker for data on its way."},
};
static const struct schema limits = {FIELDS(limit_fields)};

#define TIMEOUT(name, member) TOP(name, SCHEMA_DURATION, timeouts.member), .min = MS(10)

static const struct schema_field timeout_fields[] = {
	{TIMEOUT("firstByte", first_byte_us), .max = S(600), .fallback = "5s",
	 .doc = "From the connection to its first byte."},
	{TIMEOUT("login", login_us), .max = S(600), .fallback = "15s",
	 .doc = "From the first byte to the end of the player's login."},
	{TIMEOUT("route", route_us), .max = S(600), .fallback = "15s",
	 .doc = "For finding a server that answers, all tries together."},
	{TIMEOUT("dial", dial_us), .max = S(600), .fallback = "5s",
	 .doc = "For one connection to a backend."},
	{TIMEOUT("backendLogin", backend_login_us), .max = S(600), .fallback = "15s",
	 .doc = "For the login there."},
	{TIMEOUT("firstPlay", first_play_us), .max = S(3600), .fallback = "2m",
	 .doc = "From that login to the backend's first game packet; large modpacks are slow."},
	{TIMEOUT("keepAlive", keep_alive_us), .max = S(15), .fallback = "5s",
	 .doc = "Between our own keep-alives while no server sends them. Clients give up after 20 s "
		"of silence."},
	{TIMEOUT("idle", idle_us), .max = S(86400), .fallback = "30s", .flags = SCHEMA_MAY_BE_OFF,
	 .doc = "A player from whom nothing comes for this long is gone."},
	{TIMEOUT("stalled", stall_us), .max = S(3600), .fallback = "30s",
	 .doc = "A receiver that takes no byte for this long, while some wait for it, is gone."},
	{TOP("drain", SCHEMA_DURATION, timeouts.drain_us), .max = S(5), .fallback = "5s",
	 .doc = "On shutdown: how long closing connections get for what is under way."},
	{TIMEOUT("webSocketPing", ws_ping_us), .max = S(600), .fallback = "25s",
	 .doc = "A WebSocket that is silent for this long is pinged; web servers and CDNs cut silent "
		"ones, often after 60 s."},
};
static const struct schema timeouts = {FIELDS(timeout_fields)};

static const struct schema_field settings_fields[] = {
	{ARRAY("listen", SCHEMA_ITEMS, listeners, listener_n), .sub = &listener, .min = 1,
	 .max = 64, .fallback = "127.0.0.1:25577",
	 .doc = "Where players connect: one address, or a list of addresses and sections."},
	{TOP("authentication", SCHEMA_CHOICE, offline), .fallback = "offline",
	 .choices = authentications,
	 .doc = "`offline`: names are taken as the clients give them. `online` is not there yet."},
	{TOP("allowOfflinePublicAccess", SCHEMA_SWITCH, allow_offline_public_access),
	 .fallback = "false",
	 .doc = "Offline, anyone can join under any name. So listening on an address that is not this "
		"machine's own loopback needs `true` here."},
	{TOP("maxConnections", SCHEMA_NUMBER, max_connections), .min = 1, .max = 1000000,
	 .fallback = "4096",
	 .doc = "Connections of players at the same time, status requests included."},
	{TOP("workers", SCHEMA_NUMBER, workers), .max = 64, .fallback = "0",
	 .doc = "Threads that carry players. 0: by the number of cores."},
	{TOP("logLevel", SCHEMA_CHOICE, log_level), .fallback = "info", .choices = log_levels,
	 .doc = "The least important lines that are logged."},
	{TOP("duplicateNames", SCHEMA_CHOICE, duplicate_names), .fallback = "sameAddress",
	 .choices = duplicates,
	 .doc = "A name that is already online: `refuse` keeps the first, `kickOld` the second, "
		"`sameAddress` the second when both come from one address, else the first."},
	{SECTION("status", status), .doc = "What the server list shows."},
	{ARRAY("backends", SCHEMA_ITEMS, backends, backend_n), .sub = &backend,
	 .doc = "The game servers behind the proxy. Without any, players land in the built-in lobby."},
	{SECTION("initialRouting", routing), .doc = "Which server a new player is sent to."},
	{SECTION("forge", forge), .doc = "Modded clients and servers."},
	{SECTION("limits", limits), .doc = "What one address may use, and how much memory waits."},
	{SECTION("timeouts", timeouts), .doc = "How long things may take."},
};
const struct schema schema_settings = {FIELDS(settings_fields)};

const struct schema_field *schema_find(const struct schema *s, const char *key)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (strcmp(s->fields[i].key, key) == 0)
			return &s->fields[i];
	}
	return NULL;
}

void schema_put_keys(struct text *t, const struct schema *s)
{
	for (unsigned i = 0; i < s->n; i++)
		text_printf(t, "%s%s", i == 0 ? "" : ", ", s->fields[i].key);
}

void schema_put_choices(struct text *t, const struct schema_choice *c)
{
	const char *between = "";

	for (; c->name != NULL; c++) {
		if (c->refused != NULL)
			continue;
		text_printf(t, "%s%s", between, c->name);
		between = " or ";
	}
}

static void put_range(struct text *t, const struct schema_field *f,
		      void (*put)(struct text *, uint64_t))
{
	text_puts(t, " from ");
	put(t, f->min);
	text_puts(t, " to ");
	put(t, f->max);
}

static void put_number(struct text *t, uint64_t v)
{
	text_printf(t, "%llu", (unsigned long long)v);
}

static void put_scalar_wants(struct text *t, const struct schema_field *f)
{
	if (f->type == SCHEMA_NUMBER) {
		text_puts(t, "a whole number");
		put_range(t, f, put_number);
	} else if (f->type == SCHEMA_SIZE) {
		text_puts(t, "a size");
		put_range(t, f, text_put_size);
	} else {
		text_puts(t, "a duration");
		put_range(t, f, text_put_duration);
		text_puts(t, (f->flags & SCHEMA_MAY_BE_OFF) != 0 ? ", or off" : "");
	}
}

void schema_put_wants(struct text *t, const struct schema_field *f)
{
	static const char *const words[SCHEMA_TYPES] = {
		[SCHEMA_SWITCH] = "true or false",
		[SCHEMA_NETWORKS] = "a list of networks, such as [10.0.0.0/8, \"::1\", unix]",
		[SCHEMA_LISTEN] = "an address to listen on, such as 127.0.0.1:25577",
		[SCHEMA_ADDRESS] = "host:port or unix:/path",
		[SCHEMA_ROUTES] = "a section of host: server, or host: [servers]",
		[SCHEMA_ITEMS] = "a list",
	};

	if (f->type == SCHEMA_CHOICES)
		text_puts(t, "a list of ");
	if (words[f->type] != NULL)
		text_puts(t, words[f->type]);
	else if (f->choices != NULL)
		schema_put_choices(t, f->choices);
	else if (f->rule != NULL && f->type == SCHEMA_TEXTS)
		text_printf(t, "a list; each value: %s", f->rule->wants);
	else if (f->rule != NULL)
		text_puts(t, f->rule->wants);
	else if (f->type == SCHEMA_SECTION)
		text_puts(t, "a section of keys");
	else
		put_scalar_wants(t, f);
}

void schema_put_item_wants(struct text *t, const struct schema_field *f)
{
	if (f->type == SCHEMA_TEXTS)
		text_puts(t, f->rule->wants);
	else if (f->type == SCHEMA_CHOICES)
		schema_put_choices(t, f->choices);
	else if (f->type == SCHEMA_NETWORKS)
		text_puts(t, "a network such as 10.0.0.0/8 or fd00::/8, an address, or unix");
	else
		schema_put_wants(t, f);
}
