/*
 * The configuration as the program reads it: typed, checked, immutable, counted. Loaded by the main
 * thread; workers hold references. Every field is one row of the schema table (config/schema.c),
 * which also makes the defaults, --print-config, the errors and docs/config.md.
 */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include <stdio.h>

#include "base/addr.h"
#include "base/attr.h"
#include "base/buf.h"

enum accept_bits { ACCEPT_MINECRAFT = 1, ACCEPT_LEGACY_PING = 2, ACCEPT_WEBSOCKET = 4 };
enum proxy_protocol { PROXY_PROTOCOL_OFF, PROXY_PROTOCOL_OPTIONAL, PROXY_PROTOCOL_REQUIRED };
enum when_no_server { NO_SERVER_HOLD, NO_SERVER_DISCONNECT };
enum backend_mode { BACKEND_MANAGED, BACKEND_PASSTHROUGH };
enum handshake_tails { TAILS_CUT, TAILS_KEEP };
enum duplicate_names { DUPLICATE_SAME_ADDRESS, DUPLICATE_REFUSE, DUPLICATE_KICK_OLD };
enum forge_order { FORGE_LEAVE_FIRST, FORGE_RESET_FIRST };
enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

struct cidr_list {
	struct cidr *v;
	size_t n;
};

struct string_list {
	const char **v;
	size_t n;
};

/* Where a socket listens or a backend is: exactly one of the three. */
struct place {
	const char *text; /* as written */
	const char *host; /* name or IP literal, without brackets; NULL for unix and inherited */
	uint16_t port;
	const char *unix_path; /* "unix:/path" */
	const char *inherited; /* "inherited:NAME": a socket-activation descriptor of that name;
				  listeners only */
	struct addr addr;      /* when host is an IP literal; else ADDR_NONE */
};

struct listener_settings {
	struct place at;
	unsigned accept; /* enum accept_bits */
	enum proxy_protocol proxy_protocol;
	struct cidr_list trusted; /* who may send PROXY headers */
	const char *ws_path;
	const char *ws_address_header;         /* NULL: direct */
	struct cidr_list ws_trusted;           /* whose header counts */
	struct string_list ws_allowed_origins; /* empty: all */
};

struct backend_settings {
	const char *name;
	struct place at;
	struct string_list tags;
	enum backend_mode mode;
	enum handshake_tails tails; /* passthrough: what becomes of the host field's tail */
};

struct route_settings {
	const char *host; /* lower case; "*.example.org" is a wildcard; NULL for the ordered list */
	struct string_list servers; /* names of backends, "lobby" included */
};

struct settings {
	/* --- set by the loader, not by keys --- */
	const char *file; /* NULL: built-in defaults */
	unsigned refs;    /* atomic */

	struct listener_settings *listeners;
	size_t listener_n;
	bool offline; /* authentication: offline is all there is now */
	bool allow_offline_public_access;
	uint32_t max_connections;
	uint32_t workers; /* 0: by cores */
	enum log_level log_level;
	enum duplicate_names duplicate_names;
	enum forge_order forge_order;

	struct {
		const char *motd;
		const char *icon_file;   /* NULL: none */
		const char *icon_base64; /* read and checked at load */
		uint32_t max_players;    /* shown */
		struct string_list sample;
	} status;

	struct backend_settings *backends;
	size_t backend_n;
	struct route_settings initial; /* initialRouting.servers */
	struct route_settings *forced_hosts;
	size_t forced_host_n;
	const char *other_versions; /* NULL: refused with a text */
	enum when_no_server when_no_server;

	struct {
		uint32_t per_address, new_per_second, burst, prefix_factor;
		struct cidr_list exempt;
		uint64_t unsent_high_bytes, unsent_low_bytes; /* per link */
		uint64_t pool_bytes;                          /* per worker */
	} limits;

	/* Microseconds. 0 switches off where the schema allows "off". */
	struct {
		uint64_t first_byte_us, login_us, route_us, dial_us, backend_login_us,
			first_play_us;
		uint64_t keep_alive_us, idle_us, stall_us, drain_us, ws_ping_us;
	} timeouts;
};

/* What is wrong with a config, ready to print: "file:line: key: what; remedy", one per line. */
struct config_errors {
	struct buf text;
	unsigned n;
};

/* The built-in defaults: one listener on 127.0.0.1:25577, the lobby. NULL: out of memory. */
must_check struct settings *settings_default(void);

/* Reads and checks a file (${ENV} and ${ENV:default} expanded). NULL: see errs (all errors are
 * collected, not only the first). One reference for the caller. */
must_check struct settings *settings_load(const char *path, struct config_errors *errs);
must_check struct settings *settings_parse(const char *name, struct slice yaml,
					   struct config_errors *errs);
void config_errors_fini(struct config_errors *errs);

struct settings *settings_ref(struct settings *s);
void settings_unref(struct settings *s); /* NULL is fine */

/* --print-config: the whole effective config as YAML with every key and its comment. */
void settings_print(FILE *out, const struct settings *s);
/* The reference page, docs/config.md. */
void settings_print_docs(FILE *out);

#endif
