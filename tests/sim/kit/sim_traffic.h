/* Random PLAY frames, as mods make them too: odd ids, long forms, empty payloads, large ones. By
 * the world's dice. */
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "base/buf.h"
#include "world/sim_world.h"

/* Keep-alive ids of servers are below this; the proxy's own are above. */
enum { SIM_ALIVE_MAX = 1000000 };

/* An id that no table has, of a frame that players send from the world of HOLD. */
enum { SIM_HOLD_ID = 300 };

/* Appends frames that a server may send after its spawn point; no kick. */
void sim_traffic_server(struct sim_world *w, struct buf *b, unsigned n, uint32_t big_bytes);
/* And a client; no channel names, and no chat that begins with "hold:". */
void sim_traffic_client(struct sim_world *w, struct buf *b, unsigned n, uint32_t big_bytes);

/* One frame of n random bytes with this id; `id_bytes` > 1: a longer form than needed. */
void sim_traffic_frame(struct sim_world *w, struct buf *b, int32_t id, unsigned id_bytes, size_t n);

#endif
