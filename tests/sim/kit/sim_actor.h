/*
 * One end of a connection as test code plays it: bytes out when there is room, bytes in at the
 * speed it likes, Minecraft frames cut by a few lines of its own, over TCP or (as a client) over
 * WebSocket.
 */
#ifndef SIM_ACTOR_H
#define SIM_ACTOR_H

#include "base/buf.h"
#include "websocket/frames.h"
#include "world/sim_world.h"

struct sim_actor {
	struct sim_peer *peer; /* NULL: gone, of its own will or not */
	struct buf out;        /* wire form */
	struct buf in;         /* what came, WebSocket taken off; frames from in_at on */
	size_t in_at;
	uint64_t read_total; /* bytes off the wire */
	bool no_reading;     /* only sim_actor_read reads */
	bool websocket, upgraded;
	bool eof;    /* the other side has closed */
	bool broken; /* with an error */
	bool shut;   /* our FIN follows what waits in out */
	uint16_t ws_close_code;
	struct ws_in ws;
	struct buf ws_head;
};

struct sim_frame {
	int32_t id;
	struct slice wire, body;
};

/* Minecraft bytes; a WebSocket client wraps them in a message. */
void sim_actor_send(struct sim_actor *a, struct slice bytes);
/* Bytes as they are. */
void sim_actor_send_raw(struct sim_actor *a, struct slice bytes);

/* on_event of the peer: writes what waits; unless no_reading, reads all there is. */
void sim_actor_on_event(struct sim_actor *a, unsigned events);
/* Reads up to n bytes off the wire. */
void sim_actor_read(struct sim_actor *a, size_t n);

/* The next whole frame; borrowed until the next read. False: none yet. A bad length aborts: what we
 * are sent must be Minecraft. */
bool sim_actor_next(struct sim_actor *a, struct sim_frame *ret);

/* Parses the frame at the front of bytes. */
bool sim_frame_cut(struct slice *io_bytes, struct sim_frame *ret);

void sim_actor_close(struct sim_actor *a);  /* FIN, or a reset when input is unread */
void sim_actor_finish(struct sim_actor *a); /* FIN after what is queued; goes on reading */
void sim_actor_reset(struct sim_actor *a);
/* Memory only: the world may be gone already, and with it the peer. */
void sim_actor_fini(struct sim_actor *a);

#endif
