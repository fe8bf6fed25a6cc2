/* File descriptors: the soft limit becomes the hard one, and is checked against maxConnections. */
#ifndef APP_LIMITS_OF_PROCESS_H
#define APP_LIMITS_OF_PROCESS_H

#include "config/settings.h"

/* Says so on stderr when they may not be enough. */
void process_raise_limits(const struct settings *s);

/* Where stdin, stdout or stderr is closed, /dev/null takes its number: a socket with that number
 * would get the log. Before anything else is opened. */
void process_fill_standard_descriptors(void);

#endif
