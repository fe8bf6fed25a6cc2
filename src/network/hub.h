/*
 * The main thread's side of the network: answers claims, keeps addresses fresh, rebuilds the server
 * list answers when the number of players changed, and writes the log.
 *
 *            CLAIM, LEAVE, HERE, DRAINED                CLAIMED, KICK, CATALOG, LISTING, DRAIN
 *   workers ----------------------------> hub (roster) -------------------------------> workers
 *           ----- log rings ------------> logbook
 */
#ifndef NETWORK_HUB_H
#define NETWORK_HUB_H

#include "network/counters.h"
#include "network/limits.h"
#include "network/log_ring.h"
#include "network/logbook.h"
#include "network/orders.h"

/* What every worker is given; outlives them all. */
struct common {
	struct mailbox hub;
	struct limits *limits;
	_Atomic uint64_t last_conn; /* connection ids are never used twice in a process */
};

/* One worker as the hub sees it. The worker owns it; it must outlive the hub. */
struct desk {
	struct mailbox box;
	struct log_ring log;
	struct counters counters;
};

struct hub;
struct hub_setup {
	struct loop *loop;
	struct settings *settings;
	struct desk *const *desks;
	unsigned desk_n;
	int log_fd;
	const char *const *cause_names; /* of log lines */
	unsigned cause_n;
};

/* NULL: no memory. Mails each worker a first CATALOG and LISTING. */
must_check struct hub *hub_new(const struct hub_setup *setup);
void hub_free(struct hub *h);

struct common *hub_common(struct hub *h);

/* The loop's on_mail hook. */
void hub_on_mail(struct hub *h);

/* Tells every worker to say goodbye to its players; hub_is_drained once all have answered. */
void hub_drain(struct hub *h);
bool hub_is_drained(const struct hub *h);

size_t hub_players(const struct hub *h);

/* A line of the main thread's own. */
void hub_log(struct hub *h, enum log_level level, const char *fmt, ...) printf_like(3, 4);

/* All counters, summed over workers, in one line. */
void hub_log_counters(struct hub *h);

#endif
