/* What the files of sim_player know of each other. */
#ifndef SIM_PLAYER_INNER_H
#define SIM_PLAYER_INNER_H

#include "sim_player.h"

void sim_player_must(bool ok);
void sim_player_at(struct sim_player *p, uint64_t in_us, void (*fn)(void *arg));
void sim_player_send(struct sim_player *p, struct slice bytes);
void sim_player_on_input(struct sim_player *p);

#endif
