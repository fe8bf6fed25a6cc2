/* What the subcommands of mbload share: options, the clock of a run, samples, result line. */
#ifndef LOAD_H
#define LOAD_H

#include "load_conn.h"

struct options {
	struct target to;
	unsigned players;  /* join, echo: how many; status, churn: connections at once */
	unsigned parallel; /* joins in flight */
	const char *prefix;
	const char *server_host; /* in the handshake */
	unsigned seconds;   /* join: hold; status: how long; backend: at most, 0 = until told */
	unsigned timeout_s; /* to join, and for the echoes */
	unsigned messages, warmup, payload, window, burst;
	unsigned count;             /* churn: connections in all */
	unsigned junk;              /* churn: bytes sent before closing */
	bool reset;                 /* churn: close with RST */
	unsigned keep_alive_s, tab; /* backend */
};

/* SIGTERM or SIGINT came: finish and report. */
extern volatile int load_is_stopped;

/* Each runs to its end, prints one line of JSON and returns the exit status. */
int run_players(const struct options *o, bool echo);
int run_status(const struct options *o);
int run_churn(const struct options *o);
int run_backend(const struct options *o);

void add_handshake(struct bytes *out, const struct options *o, unsigned next);

/* Times in microseconds; memory grows with them. */
struct samples {
	uint32_t *us;
	size_t n, room;
};

void samples_add(struct samples *s, uint64_t us);
/* The value that `share` (0..1) of them do not exceed, in milliseconds; 0 when there are none.
 * Sorts. */
double samples_ms(struct samples *s, double share);
void samples_free(struct samples *s);

/* Prints text as a JSON string. */
void print_json_text(const char *text);

#endif
