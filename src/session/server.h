/* The link to the server a player is on: its events. */
#ifndef SESSION_SERVER_H
#define SESSION_SERVER_H

#include "link/link.h"

extern const struct link_ops server_ops;

#endif
