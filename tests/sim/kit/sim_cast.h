/* A stage with servers and players on it: what most tests need, from the first act to the last
 * check. */
#ifndef SIM_CAST_H
#define SIM_CAST_H

#include "sim_player.h"

enum { CAST_BACKENDS = 4, CAST_PLAYERS = 64 };

struct sim_cast {
	struct stage *st;
	struct sim_backend backends[CAST_BACKENDS];
	struct sim_player players[CAST_PLAYERS];
	unsigned backend_n, player_n;
};

/* A world in which everything is slow, late and cut into pieces, but nothing breaks. */
struct sim_options sim_rough(uint64_t seed);

void sim_cast_open(struct sim_cast *c, const struct sim_options *o, const char *yaml);

/* A copy of the description (without st), opened; and a player that will come. */
struct sim_backend *sim_cast_backend(struct sim_cast *c, struct sim_backend what);
struct sim_player *sim_cast_player(struct sim_cast *c, struct sim_player what);

/* All leave; then everything is checked and freed. Returns the trace. */
uint64_t sim_cast_close(struct sim_cast *c);

#endif
