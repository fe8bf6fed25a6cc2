/* The inside of the simulated world. */
#ifndef SIM_INNER_H
#define SIM_INNER_H

#include "base/list.h"
#include "sim_world.h"

enum { SIM_FD_BASE = 1000000, SIM_KEY_MAX = 128 };

struct sim_conn;
struct sim_socket;

/* One end of a connection, and what is under way to it. `ring` holds `arrived` bytes and behind
 * them `flying`. */
struct sim_side {
	struct sim_conn *conn;
	struct sim_side *other;
	struct sim_socket *socket; /* the program's descriptor; NULL: none (yet) */
	struct sim_peer *peer;     /* or test code */
	bool connected, closed, dead;
	bool fin_sent, fin_got, no_space;
	int err; /* > 0: for the next call */
	uint8_t *ring;
	size_t start, arrived, flying;
	size_t unacked;   /* sent by this side, and the other side's room for it is not known to be
			     back */
	uint64_t last_us; /* arrival of the last thing that is under way to here */
	uint32_t latency_us;
};

struct sim_conn {
	struct list_node node; /* of all, or of a listener's queue too (queue_node) */
	struct list_node queue_node;
	struct sim_world *w;
	unsigned refs;            /* sides that are not closed, events */
	struct sim_side sides[2]; /* who dialled, who was dialled */
	struct sockaddr_storage from;
	char to[SIM_KEY_MAX];
};

struct sim_watch {
	struct list_node node; /* may have events */
	struct sim_socket *socket;
	void *tag;
	unsigned events;
	bool on, level, exclusive, edge;
};

struct sim_socket {
	int fd;
	struct sim_side *side; /* NULL: listens */
	struct list_node queue;
	struct list_node served; /* in world's listeners */
	char at[SIM_KEY_MAX];
	struct sim_watch watches[SIM_SYS_MAX];
};

/* An address that test code serves, or whose fate was set. */
struct sim_place {
	struct list_node node;
	char at[SIM_KEY_MAX];
	enum sim_fate fate;
	void (*on_accept)(void *arg, struct sim_peer *p);
	void *arg;
};

enum sim_kind { EV_SYN, EV_CONNECTED, EV_SEGMENT, EV_FIN, EV_RESET, EV_ROOM, EV_WAKE, EV_CALL };

struct sim_event {
	uint64_t at_us, order;
	enum sim_kind kind;
	struct sim_side *side; /* holds a reference to its connection */
	size_t n;              /* bytes; EV_WAKE: loop; EV_RESET: the error */
	void (*fn)(void *arg);
	void *arg;
};

struct sim_sys {
	struct sys sys;
	struct sim_world *w;
	unsigned index;
	struct list_node pending; /* watches */
	bool woken;
	uint64_t stalled_until_us;
};

struct sim_world {
	struct sim_options o;
	uint64_t now_us, rng, trace, order;
	struct sim_sys syses[SIM_SYS_MAX];
	struct sim_socket **sockets; /* by fd - SIM_FD_BASE; NULL: closed */
	size_t sockets_n, sockets_cap, open_fds;
	struct list_node conns, listeners, places;
	struct sim_event *heap;
	size_t heap_n, heap_cap;
};

void *sim_alloc(size_t bytes);
void sim_note(struct sim_world *w, uint64_t what, uint64_t value);
bool sim_chance(struct sim_world *w, uint32_t per_mille);

/* sim_events.c */
void sim_push(struct sim_world *w, struct sim_event e);
bool sim_pop_due(struct sim_world *w, struct sim_event *ret);

/* sim_conn.c */
struct sim_conn *sim_conn_new(struct sim_world *w, const char *to,
			      const struct sockaddr_storage *from);
void sim_conn_free(struct sim_conn *c);
void sim_side_event(const struct sim_event *e); /* and drops its reference */
unsigned sim_side_state(const struct sim_side *s);
ssize_t sim_side_send(struct sim_side *s, const struct iovec *v, unsigned n);
ssize_t sim_side_recv(struct sim_side *s, void *ret, size_t n);
int sim_side_shutdown(struct sim_side *s);
void sim_side_close(struct sim_side *s);
void sim_side_reset(struct sim_side *s); /* closes it */
void sim_conn_break(struct sim_conn *c); /* both sides read an error */

/* sim_sys.c */
extern const struct sys_ops sim_sys_ops;
struct sim_socket *sim_socket_new(struct sim_world *w, struct sim_side *side);
unsigned sim_socket_state(const struct sim_socket *s);
void sim_socket_edge(struct sim_world *w, struct sim_socket *s);

/* sim_peer.c */
void sim_peer_arrive(struct sim_conn *c); /* somebody dials c->to */
struct sim_peer *sim_peer_new(struct sim_side *side);
void sim_key_of(const struct sockaddr *sa, socklen_t len, char ret[SIM_KEY_MAX]);

#endif
