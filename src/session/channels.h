/* The plugin channels that a client has registered: names with a NUL between them, each once, as in
 * a REGISTER message. Work is linear in what comes, whatever names a stranger thinks up. */
#ifndef SESSION_CHANNELS_H
#define SESSION_CHANNELS_H

#include "base/buf.h"

enum { CHANNELS_MAX = 1024, CHANNELS_MAX_BYTES = 32000 };

/* names: the data of a REGISTER. What is over either limit, or without memory, is left out. */
void channels_add(struct buf *io_channels, struct slice names);

/* names: the data of an UNREGISTER, of which the first CHANNELS_MAX count. */
void channels_remove(struct buf *io_channels, struct slice names);

#endif
