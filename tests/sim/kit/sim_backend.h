/*
 * A scripted game server: logs players in, vanilla or Forge, sends random traffic, and dies, kicks
 * or hangs at a step by dice where the test allows it. Keeps all bytes of each connection behind
 * its Join Game, both ways.
 */
#ifndef SIM_BACKEND_H
#define SIM_BACKEND_H

#include "sim_actor.h"
#include "sim_stage.h"

#define SIM_TRICKS(X)                                                \
	X(NONE)                                                      \
	X(KICK_LOGIN)                                                \
	X(ENCRYPTION)                                                \
	X(HANG) /* takes the connection and never answers */         \
	X(FIN)  /* at a step by dice, as the next four */            \
	X(RST)                                                       \
	X(TORN)    /* FIN in the middle of a frame */                \
	X(KICK)    /* then FIN */                                    \
	X(GARBAGE) /* a frame length that cannot be */               \
	X(SLOW)    /* 1 to 40 s before Join Game */                  \
	X(HUGE)    /* a frame of 2,097,151 bytes among the others */ \
	X(DEAF)    /* never reads after the login */

enum sim_trick {
#define X(name) TRICK_##name,
	SIM_TRICKS(X)
#undef X
		TRICK_COUNT
};

struct sim_backend;

struct sim_backend_conn {
	struct sim_backend *backend;
	struct sim_actor actor;
	int32_t serial;  /* its Join Game's entity id */
	unsigned player; /* number of the player, who sent it as its port */
	enum sim_trick trick;
	unsigned die_at; /* step */
	unsigned step;   /* how far it is */
	bool login_done, join_due, joined;
	bool ended; /* by us: whole frames sent must all arrive */
	char name[20];
	struct buf sent, got; /* behind Join Game */
};

struct sim_backend {
	struct stage *st;
	const char *at;
	bool forge;
	int8_t dimension;
	bool has_override;
	unsigned trick_per_mille; /* the others behave */
	uint32_t tricks;          /* bits: those that dice may choose; 0: all */
	uint64_t beat_us;         /* between bursts of traffic [100 ms] */
	unsigned burst;           /* most frames in one [4] */
	uint32_t big_bytes;       /* largest frame but HUGE's [3000] */
	uint64_t flood_bytes;     /* sends so much as fast as it goes, first */
	struct sim_backend_conn **conns;
	size_t n;
};

/* Serves b->at from now on. */
void sim_backend_open(struct sim_backend *b);
/* Stops serving; connections go on. */
void sim_backend_close(struct sim_backend *b);
void sim_backend_fini(struct sim_backend *b);

struct sim_backend_conn *sim_backend_find(struct sim_backend *b, int32_t serial);

#endif
