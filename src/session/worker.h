/*
 * A worker: one loop, its sessions, its links. What it knows of the network are references that
 * came by mail.
 */
#ifndef SESSION_WORKER_H
#define SESSION_WORKER_H

#include "base/idmap.h"
#include "link/link.h"
#include "minecraft/version.h"
#include "network/hub.h"
#include "network/listing.h"
#include "session/listener.h"
#include "session/session.h"

struct worker_setup {
	struct sys *sys;
	struct desk *desk; /* its box is initialised by worker_init */
	uint16_t index;
	struct settings *settings;
};

struct worker {
	struct loop *loop;
	struct links links;
	struct desk *desk;
	struct common *common; /* from worker_start on */
	uint16_t index;
	bool draining, drained;
	bool logged;               /* lines of this turn wait in the ring */
	struct settings *settings; /* a reference, as is: */
	struct catalog *catalog;   /* NULL until the first mail */
	struct listing *listing;   /* NULL until the first mail */
	struct list_node by_phase[PHASE_COUNT];
	struct idmap by_conn;
	struct list_node listeners;
	struct timer drain;
	struct order *goodbye; /* DRAIN; goes back as DRAINED, so that ending needs no memory */
	struct slice limbo[VERSION_COUNT]; /* the world of HOLD behind its Join Game */
	uint8_t *limbo_bytes;
};

/* False: no memory; worker_fini cleans up. */
must_check bool worker_init(struct worker *w, const struct worker_setup *setup);
void worker_start(struct worker *w, struct common *common);
void worker_fini(struct worker *w);

/* One turn of its loop; true while the worker has work (false: drained and every link gone). */
bool worker_turn(struct worker *w, int64_t max_wait_us);

/* Says goodbye to everybody at once; the last session is gone in 5 s at most. ORDER_DRAIN does
 * this, and then lets the hub know. */
void worker_drain(struct worker *w);

/* Mails to the worker are orders; this is the whole switch. */
void worker_on_order(struct worker *w, struct order *o);

/* Causes of log lines beside the ends table's; they follow it in numbers. */
enum log_causes { CAUSE_DESCRIPTORS = END_COUNT, CAUSE_CANDIDATE, CAUSE_COUNT };
extern const char *const worker_cause_names[CAUSE_COUNT];

/* One line of the worker's own into its ring. */
void worker_log(struct worker *w, enum log_level level, unsigned cause, const char *fmt, ...)
	printf_like(4, 5);

/* A mail back to the main thread. */
void worker_tell_hub(struct worker *w, struct order *o);

#endif
