/*
 * The tiny world of HOLD and the lobby: a platform to stand on. Written for a client that is in
 * "Downloading terrain"; the position packet closes that screen. Vanilla block ids only, so a
 * Forge client takes it too.
 */
#ifndef MINECRAFT_LIMBO_H
#define MINECRAFT_LIMBO_H

#include "base/attr.h"
#include "minecraft/play.h"

enum { LIMBO_MAX_BYTES = 8192, LIMBO_DIMENSION = 0, LIMBO_ENTITY = 1 };

struct join_game limbo_join_game(void);

/* All behind Join Game (or Respawn): spawn point, abilities (flags 07: fly, no harm), time (a
 * still noon), the chunk with the platform and empty ones around it, position. About 1 KiB; built
 * once at start and shared. False: did not fit (LIMBO_MAX_BYTES always do), or no memory. */
must_check bool limbo_world_write(struct writer *w, enum version v);

#endif
