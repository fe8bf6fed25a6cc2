/*
 * The whole program: settings in, until a signal says stop. Main thread: hub, signals; worker
 * threads: sessions.
 */
#ifndef APP_PROXY_H
#define APP_PROXY_H

#include "config/settings.h"

/* Exit code. */
int proxy_run(struct settings *s);

#endif
