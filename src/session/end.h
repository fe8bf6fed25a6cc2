/*
 * Why sessions end: one row a reason. `level` is the log's; `label` the cause in logs and metrics;
 * `text` what the player reads. In texts {backend}, {reason}, {limit} and {name} are filled in; an
 * empty text says nothing (the player is gone, or never spoke Minecraft).
 */
#ifndef SESSION_END_H
#define SESSION_END_H

#include "base/attr.h"
#include "base/buf.h"
#include "config/settings.h"

#define ENDS(X)                                                                                    \
	/* the player's side */                                                                    \
	X(PLAYER_LEFT, INFO, "player_left", "")                                                    \
	X(PLAYER_LOST, INFO, "player_lost", "")                                                    \
	X(PLAYER_STALLED, INFO, "player_stalled",                                                  \
	  "Your connection took no data for {limit}. Please join again.")                          \
	X(PLAYER_IDLE, INFO, "player_idle",                                                        \
	  "Nothing was heard from you for {limit}. Please join again.")                            \
	X(STATUS_DONE, DEBUG, "status_done", "")                                                   \
	X(SCANNER, DEBUG, "scanner", "")                                                           \
	X(HTTP_REFUSED, DEBUG, "http_refused", "")                                                 \
	X(WEBSOCKET_BAD, INFO, "websocket_bad", "")                                                \
	X(PROXY_HEADER_BAD, WARN, "proxy_header_bad", "")                                          \
	X(PROXY_HEADER_UNTRUSTED, WARN, "proxy_header_untrusted", "")                              \
	X(PROXY_HEADER_MISSING, WARN, "proxy_header_missing", "")                                  \
	X(LIMIT_REACHED, INFO, "limit_reached",                                                    \
	  "Too many connections from your address. Please try again in a moment.")                 \
	X(PACKET_BAD, INFO, "packet_bad",                                                          \
	  "Your client sent something that is no Minecraft packet.")                               \
	X(PLAYER_FRAME_TOO_BIG, WARN, "player_frame_too_big",                                      \
	  "Your client sent a packet larger than {limit}.")                                        \
	X(LOGIN_TIMEOUT, INFO, "login_timeout", "Logging in took too long. Please try again.")     \
	X(VERSION_UNKNOWN, INFO, "version_unknown",                                                \
	  "This network speaks Minecraft {limit}. Please join with one of these versions.")        \
	X(NAME_BAD, INFO, "name_bad",                                                              \
	  "The name {name} cannot be used here: 1 to 16 letters, digits, '_', '.' or '-'.")        \
	X(NAME_TAKEN, INFO, "name_taken",                                                          \
	  "Somebody with the name {name} is already playing here. Please try again later.")        \
	X(NAME_REPLACED, INFO, "name_replaced", "You logged in from another place.")               \
	/* the backend's side */                                                                   \
	X(NO_SERVER, WARN, "no_server",                                                            \
	  "No server can take you right now. Please try again soon.")                              \
	X(BACKEND_UNREACHABLE, WARN, "backend_unreachable",                                        \
	  "{backend} cannot be reached right now. Please try again soon.")                         \
	X(BACKEND_REFUSED, INFO, "backend_refused", "{reason}")                                    \
	X(BACKEND_ONLINE_MODE, ERROR, "backend_online_mode",                                       \
	  "{backend} asks for a Mojang login itself. Its online-mode must be off behind a proxy.") \
	X(BACKEND_LOGIN_TIMEOUT, WARN, "backend_login_timeout",                                    \
	  "{backend} did not finish your login. Please join again.")                               \
	X(BACKEND_JOIN_TIMEOUT, WARN, "backend_join_timeout",                                      \
	  "{backend} did not let you in within {limit}. Please join again.")                       \
	X(BACKEND_KICKED, INFO, "backend_kicked", "") /* its own kick went through */              \
	X(BACKEND_GONE, INFO, "backend_gone",                                                      \
	  "The server {backend} closed the connection. Please join again.")                        \
	X(BACKEND_LOST, WARN, "backend_lost",                                                      \
	  "The connection to {backend} was lost. Please join again.")                              \
	X(BACKEND_STALLED, WARN, "backend_stalled",                                                \
	  "{backend} took no data for {limit}. Please join again.")                                \
	X(BACKEND_PACKET_BAD, WARN, "backend_packet_bad",                                          \
	  "{backend} sent something that is no Minecraft packet.")                                 \
	X(FRAME_TOO_BIG, WARN, "frame_too_big", "{backend} sent a packet larger than {limit}.")    \
	X(TORN_FRAME, WARN, "torn_frame", "")                                                      \
	X(FORGE_NEEDED, INFO, "forge_needed",                                                      \
	  "{backend} runs Forge mods. Please join with the Forge client of this network.")         \
	X(FORGE_REJOIN, INFO, "forge_rejoin",                                                      \
	  "{backend} can take you now, but your Forge is too old to go there from here. Please "   \
	  "join again.")                                                                           \
	/* ours */                                                                                 \
	X(SHUTDOWN, INFO, "shutdown", "The proxy is shutting down. Please come back in a moment.") \
	X(OUT_OF_MEMORY, ERROR, "out_of_memory", "The proxy is overloaded. Please try again soon.")

enum end {
	END_NONE,
#define X(name, level, label, text) END_##name,
	ENDS(X)
#undef X
		END_COUNT
};

struct end_row {
	enum log_level level;
	const char *label;
	const char *text;
};

const struct end_row *end_row(enum end why);

/* What fills the braces; NULL counts as "". `reason` may hold section-sign colours. */
struct end_detail {
	const char *backend, *reason, *limit, *name;
	struct slice json; /* a backend's own reason: goes to the player as it is, instead of the
			      row's text */
};

/* The plain text for the player; empty when there is none to say. */
must_check bool end_text(struct buf *ret, enum end why, const struct end_detail *d);

#endif
