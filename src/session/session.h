/*
 * One player's life on one worker.
 *
 *                     player link                      server link
 *   client <--------> [filters] on_bytes --> split --> link_push --------> backend
 *                     link_push <-- split <-- on_bytes
 *
 * `kept` is what outlives a process: plain numbers, written as they are. `cold` comes with the
 * login. Everything that changes the phase goes through session_enter; every end through
 * session_end.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/addr.h"
#include "link/link.h"
#include "minecraft/profile.h"
#include "minecraft/split.h"
#include "network/backend.h"
#include "network/orders.h"
#include "session/end.h"
#include "session/phase.h"

struct worker;
struct listener;
struct candidate;
struct transfer;
struct tunnel;

enum { KEPT_FORMAT = 1 };

enum kept_flags {
	KEPT_COUNTED = 1, /* limits hold a place for addr */
	KEPT_WEBSOCKET = 2,
	KEPT_FORGE = 4,       /* has shown itself as a Forge client */
	KEPT_JOINED = 8,      /* had a Join Game: it is in some world */
	KEPT_POSITIONED = 16, /* an S 08 reached it since the last change of world */
	KEPT_KICKED = 32,     /* a kick of the backend's went through */
	KEPT_HAS_OVERRIDE = 64,
	KEPT_ANNOUNCED = 256, /* a PROXY header came */
	KEPT_LOBBY = 128, /* in HOLD because the lobby is its server, not because none is free */
};

/* No pointers. */
struct kept {
	uint32_t format;
	uint8_t phase;     /* enum phase */
	uint8_t version;   /* enum version */
	uint8_t fml;       /* enum fml_client */
	uint16_t flags;    /* enum kept_flags */
	int32_t dimension; /* where the client believes to be */
	int32_t override;  /* the last ServerHello's, sticky */
	uint8_t uuid[16];
	char name[PLAYER_NAME_MAX + 1];
	uint16_t rtt_ms;                     /* last measured; 0: not yet */
	uint16_t alive_sent, alive_answered; /* our keep-alives, counted; answers come in order */
	uint64_t conn;
	uint64_t success_us; /* when Login Success went out; 0: not yet */
	struct addr addr;    /* the player's, as announced by whom we trust */
};

/* From Login Success on. */
struct cold {
	struct session *session;
	struct split from_server;
	struct timer beat;           /* keep-alives and idleness */
	struct backend *at;          /* the server that plays, or the candidate's; a reference */
	struct order *claim;         /* goes out again as LEAVE */
	struct candidate *candidate; /* a server under way, while PLACE or HOLD goes on */
	struct transfer *transfer;
	struct catalog *catalog; /* by which the route was found; a reference */
	const struct route_settings *route;
	uint16_t route_at; /* next server of the route to try */
	uint16_t retry_n;  /* how often the whole route failed */
	uint8_t told;      /* last failure that a waiting player read of */
	int32_t server_alive_id;
	uint64_t server_alive_us; /* 0: none is waiting for its answer */
	uint64_t alive_due_us;
	uint64_t chat_answered_us; /* in HOLD */
	struct buf last_words;     /* a kick that waits for the client's first second to be over */
	struct buf channels;       /* names of the client's REGISTER, NUL between them */
	char host[254];            /* cleaned */
	uint16_t port;
};

enum session_pause { PAUSE_PEER = 1, PAUSE_MOVE = 2 };

struct session {
	struct kept kept;
	struct worker *worker;
	struct listener *listener;
	struct link *player, *server;
	struct tunnel *tunnel;
	struct cold *cold;
	struct list_node node; /* in the worker's list of this phase */
	struct timer deadline;
	struct split from_player;
	uint8_t head[3], head_len;            /* first bytes that do not decide yet */
	uint8_t player_paused, server_paused; /* enum session_pause */
	bool status_asked, claiming;
	bool over_limit; /* of its address: may only say hello and read so */
	bool swallows;   /* the frame that the player is in the middle of goes nowhere */
	uint8_t end;     /* enum end */
};

_Static_assert(sizeof(struct session) <= 384, "hot memory of a player");

/* Takes fd whatever the outcome (NULL: no memory). Counts nothing: the listener did. */
must_check struct session *session_new(struct worker *w, struct listener *ls, int fd,
				       const struct addr *peer);

/* The one door between phases. Arms the phase's deadline. */
void session_enter(struct session *s, enum phase to);

/* The one way out: tells the player, the log and the counters why. Harmless when already ending. */
void session_end(struct session *s, enum end why);
void session_end_with(struct session *s, enum end why, const struct end_detail *given);

/* DRAIN is over, or the player is gone: sends what waited and lets go. */
void session_say_last_words(struct session *s);

static inline bool session_is_over(const struct session *s)
{
	return s->kept.phase == PHASE_DRAIN || s->kept.phase == PHASE_GONE;
}

/* False: no memory (the session has ended then). */
must_check bool session_warm_up(struct session *s);

/* Frees a session that is GONE; the worker calls it at the end of the turn. */
void session_free(struct session *s);

uint64_t session_now_us(const struct session *s);
const struct settings *session_settings(const struct session *s);

/* A link is read when nobody has a reason to pause it. */
void session_pause_player(struct session *s, enum session_pause why);
void session_resume_player(struct session *s, enum session_pause why);
void session_pause_server(struct session *s, enum session_pause why);
void session_resume_server(struct session *s, enum session_pause why);

/* Makes l the session's server: its bytes go to the relay from now on. */
void session_attach_server(struct session *s, struct link *l);

/* Plain text by chat, section-sign colours allowed. */
void session_say(struct session *s, const char *text);

/* logfmt: msg, what is given, then conn, phase, addr, name, backend. cause 0: not summarised. */
void session_log(struct session *s, enum log_level level, unsigned cause, const char *msg,
		 const char *fmt, ...) printf_like(5, 6);

#endif
