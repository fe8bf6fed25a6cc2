/* File descriptors: the soft limit becomes the hard one, and is checked against maxConnections. */
#ifndef APP_LIMITS_OF_PROCESS_H
#define APP_LIMITS_OF_PROCESS_H

#include "config/settings.h"

/* Says so on stderr when they may not be enough. */
void process_raise_limits(const struct settings *s);

#endif
