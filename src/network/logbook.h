/*
 * Where log lines end up: logfmt on one descriptor, written by the main thread only. Lines of one
 * cause are written five times in ten seconds, then counted, and the count is written when the ten
 * seconds are over.
 */
#ifndef NETWORK_LOGBOOK_H
#define NETWORK_LOGBOOK_H

#include "config/settings.h"
#include "network/log_ring.h"

enum { LOG_CAUSES = 256, LOG_SAME_MAX = 5, LOG_SAME_WINDOW_US = 10000000 };

struct log_cause {
	uint64_t since_us;
	uint32_t n;
};

struct logbook {
	int fd;
	enum log_level level;
	const char *const *cause_names; /* by number; NULL entries have no name */
	unsigned cause_n;
	struct log_cause causes[LOG_CAUSES];
	uint32_t lost; /* not told yet */
};

void logbook_init(struct logbook *lb, int fd, enum log_level level);

/* Lines below the level are dropped here too. One that would have to wait for its reader is counted
 * instead: a stuck terminal or pipe must not stop the main thread, and with it every login. */
void logbook_write(struct logbook *lb, const struct log_line *line, struct slice text);

/* Takes lines while the descriptor can be written without waiting. */
void logbook_drain(struct logbook *lb, struct log_ring *from);

/* Writes counts whose window is over; once a second is right. */
void logbook_tick(struct logbook *lb, uint64_t wall_us);
/* Writes all counts: the last words. */
void logbook_finish(struct logbook *lb, uint64_t wall_us);

uint64_t wall_clock_us(void);

#endif
