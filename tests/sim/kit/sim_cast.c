#include <stdlib.h>

#include "sim_cast.h"

struct sim_options sim_rough(uint64_t seed)
{
	return (struct sim_options){
		.seed = seed,
		.latency_us = 300,
		.jitter_us = 3000,
		.buffer_bytes = 8000,
		.segment_bytes = 1400,
		.wake_delay_us = 3000,
		.stall_us = 1000,
		.short_per_mille = 200,
	};
}

void sim_cast_open(struct sim_cast *c, const struct sim_options *o, const char *yaml)
{
	*c = (struct sim_cast){.st = stage_new(o, yaml)};
}

struct sim_backend *sim_cast_backend(struct sim_cast *c, struct sim_backend what)
{
	struct sim_backend *b = &c->backends[c->backend_n++];

	if (c->backend_n > CAST_BACKENDS)
		abort();
	*b = what;
	b->st = c->st;
	sim_backend_open(b);
	return b;
}

struct sim_player *sim_cast_player(struct sim_cast *c, struct sim_player what)
{
	struct sim_player *p = &c->players[c->player_n++];

	if (c->player_n > CAST_PLAYERS)
		abort();
	*p = what;
	p->st = c->st;
	p->number = c->player_n;
	sim_player_start(p);
	return p;
}

uint64_t sim_cast_close(struct sim_cast *c)
{
	uint64_t trace;

	for (unsigned i = 0; i < c->player_n; i++)
		sim_player_leave(&c->players[i]);
	trace = stage_finish(c->st);
	for (unsigned i = 0; i < c->player_n; i++) {
		sim_player_check(&c->players[i], c->backends, c->backend_n);
		sim_player_fini(&c->players[i]);
	}
	for (unsigned i = 0; i < c->backend_n; i++)
		sim_backend_fini(&c->backends[i]);
	stage_free(c->st);
	return trace;
}
