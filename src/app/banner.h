/* A few lines for whoever started the program at a terminal: how to join. */
#ifndef APP_BANNER_H
#define APP_BANNER_H

#include "app/sockets.h"

void banner_print(const struct settings *s, const struct sockets *sockets);

#endif
