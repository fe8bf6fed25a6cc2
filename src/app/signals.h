/* Signals as events of the main loop. */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include "base/attr.h"
#include "io/loop.h"

enum signal_meaning { SIGNAL_STOP, SIGNAL_COUNTERS, SIGNAL_RELOAD };

struct signals;

/* Before any thread is there: they all inherit it. */
void signals_block(void);

/* NULL: refused by the system or no memory. A second stop signal ends the process at once, with
 * exit code 1. */
must_check struct signals *signals_open(struct loop *l,
					void (*on_signal)(void *arg, enum signal_meaning what),
					void *arg);
void signals_close(struct signals *s); /* NULL is fine */

#endif
