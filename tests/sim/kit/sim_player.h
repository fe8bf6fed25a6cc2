/*
 * A scripted player, TCP or WebSocket, protocol 4 or 5, vanilla or Forge; or somebody worse. As
 * strict as the real client about what it may be sent when: it checks as it goes, and
 * sim_player_check compares what it read and sent with what its backend did.
 *
 *   dial -> [upgrade] -> handshake, start -> Login Success -> [HOLD] -> Join Game -> traffic
 */
#ifndef SIM_PLAYER_H
#define SIM_PLAYER_H

#include "sim_actor.h"
#include "sim_backend.h"

#define SIM_VICES(X)                                             \
	X(NONE)                                                  \
	X(LEAVES)      /* by FIN or reset, at a time by dice */  \
	X(NEVER_READS) /* from its first Join Game on */         \
	X(SLOW)        /* reads 20 KB/s from its Join Game on */ \
	X(MUTE)        /* sends nothing after its Join Game */   \
	X(SILENT)      /* connects and says nothing */           \
	X(GARBAGE)                                               \
	X(DRIP)      /* a byte of its login a second */          \
	X(HALF)      /* half a frame, then nothing */            \
	X(BIG_FRAME) /* before its login */                      \
	X(BAD_NAME)                                              \
	X(BAD_VERSION)                                           \
	X(BAD_FRAME) /* a frame of length 0 among its traffic */ \
	X(STATUS)                                                \
	X(LEGACY_PING)                                           \
	X(HTTP)   /* a GET that is no upgrade */                 \
	X(BAD_WS) /* an unmasked frame */

enum sim_vice {
#define X(name) VICE_##name,
	SIM_VICES(X)
#undef X
		VICE_COUNT
};

struct sim_player {
	struct stage *st;
	unsigned number; /* from 1 on, unique; travels as the port it typed */
	char name[24], from[32];
	bool websocket, forge, old_protocol;
	enum sim_vice vice;
	uint64_t arrive_us; /* from now */
	uint64_t stays_us;  /* from its arrival; 0: for ever */
	uint64_t beat_us;   /* between bursts of traffic [100 ms] */
	uint32_t big_bytes; /* largest frame it sends [500] */
	bool excused;       /* the world breaks connections: nobody can promise it a text */

	struct sim_actor actor;
	bool arrived, left, gone;
	bool spoke;    /* Minecraft: a whole Login Start went out */
	bool success;  /* had Login Success */
	bool told;     /* why it ended */
	bool answered; /* status, legacy ping, HTTP: something came */
	char text[256];
	uint64_t success_us, heard_us, gone_us;
	unsigned ours;       /* keep-alives of the proxy's own */
	uint64_t ours_us;    /* the last one */
	uint64_t silence_us; /* the longest time without a byte, from Login Success on */
	unsigned held;       /* times in our own world */
	int32_t serial;      /* of the Join Game of a server; 0: none yet */
	int32_t dimension;
	bool in_world, from_hold, opening;
	unsigned respawns; /* since Join Game, directly behind it */
	bool respawn_undone, was_reset;
	int fml;
	size_t dripped;
	struct buf got, sent; /* from that Join Game on */
	struct buf late;      /* transactions that the main thread answers later */
};

/* Dials at its time. */
void sim_player_start(struct sim_player *p);

/* Leaves now, if it is still there. */
void sim_player_leave(struct sim_player *p);

/* After the end of everything: had it a text, and were the streams equal? */
void sim_player_check(struct sim_player *p, struct sim_backend *backends, unsigned n);
void sim_player_fini(struct sim_player *p);

#endif
