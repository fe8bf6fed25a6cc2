/* The system calls of the simulated world. */
#include "sim_inner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct sim_sys *of(struct sys *sys)
{
	return CONTAINER_OF(sys, struct sim_sys, sys);
}

struct sim_socket *sim_socket_new(struct sim_world *w, struct sim_side *side)
{
	struct sim_socket *s = sim_alloc(sizeof(*s));

	if (w->sockets_n == w->sockets_cap) {
		w->sockets_cap = w->sockets_cap == 0 ? 64 : w->sockets_cap * 2;
		w->sockets = realloc(w->sockets, w->sockets_cap * sizeof(struct sim_socket *));
		if (w->sockets == NULL)
			abort();
	}
	s->fd = SIM_FD_BASE + (int)w->sockets_n;
	w->sockets[w->sockets_n++] = s;
	w->open_fds++;
	s->side = side;
	if (side != NULL)
		side->socket = s;
	list_init(&s->queue);
	list_init(&s->served);
	for (unsigned i = 0; i < SIM_SYS_MAX; i++) {
		list_init(&s->watches[i].node);
		s->watches[i].socket = s;
	}
	return s;
}

static struct sim_socket *find(const struct sim_world *w, int fd)
{
	size_t i = (size_t)(fd - SIM_FD_BASE);

	return fd < SIM_FD_BASE || i >= w->sockets_n ? NULL : w->sockets[i];
}

static struct sim_socket *must_find(struct sys *sys, int fd, const char *call)
{
	struct sim_socket *s = find(of(sys)->w, fd);

	if (s == NULL) {
		(void)fprintf(stderr, "simulation: %s on descriptor %d, which is not open\n", call,
			      fd);
		abort();
	}
	return s;
}

static struct sim_side *must_find_side(struct sys *sys, int fd, const char *call)
{
	struct sim_side *side = must_find(sys, fd, call)->side;

	if (side == NULL) {
		(void)fprintf(stderr, "simulation: %s on listening descriptor %d\n", call, fd);
		abort();
	}
	return side;
}

unsigned sim_socket_state(const struct sim_socket *s)
{
	if (s->side != NULL)
		return sim_side_state(s->side);
	return list_is_empty(&s->queue) ? 0 : SYS_IN;
}

static void watch_edge(struct sim_sys *sys, struct sim_watch *watch)
{
	watch->edge = true;
	list_move(&watch->node, &sys->pending);
}

/* Of exclusive watchers one is told. */
void sim_socket_edge(struct sim_world *w, struct sim_socket *s)
{
	unsigned exclusive = 0, chosen = 0;

	for (unsigned i = 0; i < w->o.loops; i++) {
		struct sim_watch *watch = &s->watches[i];

		if (watch->on && watch->exclusive) {
			if (sim_dice(w, ++exclusive) == 0)
				chosen = i;
		} else if (watch->on) {
			watch_edge(&w->syses[i], watch);
		}
	}
	if (exclusive > 0)
		watch_edge(&w->syses[chosen], &s->watches[chosen]);
}

static uint64_t sim_sys_now_us(struct sys *sys)
{
	return of(sys)->w->now_us;
}

static int sim_watch_fd(struct sys *sys, int fd, void *tag, unsigned events, bool level,
			bool exclusive)
{
	struct sim_socket *s = find(of(sys)->w, fd);
	struct sim_watch *watch;

	/* A real descriptor: the simulation cannot watch it. */
	if (s == NULL)
		return -EBADF;
	watch = &s->watches[of(sys)->index];
	if (watch->on)
		return -EEXIST;
	watch->on = true;
	watch->tag = tag;
	watch->events = events;
	watch->level = level;
	watch->exclusive = exclusive;
	if (sim_socket_state(s) != 0)
		watch_edge(of(sys), watch);
	return 0;
}

static int sim_rewatch(struct sys *sys, int fd, void *tag, unsigned events)
{
	struct sim_socket *s = must_find(sys, fd, "rewatch");
	struct sim_watch *watch = &s->watches[of(sys)->index];

	if (!watch->on)
		return -ENOENT;
	if (watch->exclusive)
		return -EINVAL;
	watch->tag = tag;
	watch->events = events;
	watch_edge(of(sys), watch);
	return 0;
}

static int sim_detach(struct sys *sys, int fd)
{
	struct sim_watch *watch = &must_find(sys, fd, "detach")->watches[of(sys)->index];

	if (!watch->on)
		return -ENOENT;
	watch->on = false;
	list_remove(&watch->node);
	return 0;
}

static void sim_unwatch(struct sys *sys, int fd)
{
	if (find(of(sys)->w, fd) != NULL)
		(void)sim_detach(sys, fd);
}

/* True: *ret is an event, and a level-triggered watch was put back to be asked again. */
static bool watch_take(struct sim_sys *sys, struct sim_watch *watch, struct sys_event *ret)
{
	unsigned events = sim_socket_state(watch->socket) & (watch->events | SYS_HUP);
	bool edge = watch->edge;

	watch->edge = false;
	if (events == 0 || !(edge || watch->level))
		return false;
	if (watch->level)
		list_append(&sys->pending, &watch->node);
	*ret = (struct sys_event){watch->tag, events};
	sim_note(sys->w, (uint64_t)watch->socket->fd, events);
	return true;
}

/* Never blocks: sim_run comes back when there is something. */
static int sim_wait(struct sys *sys, struct sys_event *ret, int max, int64_t timeout_us)
{
	struct sim_sys *s = of(sys);
	struct list_node asked;
	struct list_node *n;
	int got = 0;

	(void)timeout_us;
	s->woken = false;
	list_init(&asked);
	list_splice(&asked, &s->pending);
	while (got < max && (n = list_take_first(&asked)) != NULL)
		got += watch_take(s, LIST_ENTRY(n, struct sim_watch, node), &ret[got]);
	list_splice(&asked, &s->pending);
	list_splice(&s->pending, &asked);
	return got;
}

static void sim_wake(struct sys *sys)
{
	struct sim_world *w = of(sys)->w;
	uint64_t at_us = w->now_us + sim_dice(w, w->o.wake_delay_us + 1);

	sim_push(w, (struct sim_event){.at_us = at_us, .kind = EV_WAKE, .n = of(sys)->index});
}

static bool breaks(struct sim_side *s)
{
	struct sim_world *w = s->conn->w;

	if (!sim_chance(w, w->o.reset_per_mille))
		return false;
	sim_conn_break(s->conn);
	return true;
}

static ssize_t sim_recv(struct sys *sys, int fd, void *p, size_t n)
{
	struct sim_side *s = must_find_side(sys, fd, "recv");
	struct sim_world *w = of(sys)->w;
	ssize_t got;

	(void)breaks(s);
	/* As if the rest had arrived a moment later: with an edge of its own. */
	if (s->arrived > 1 && sim_chance(w, w->o.short_per_mille)) {
		size_t most = s->arrived < n ? s->arrived : n;

		n = 1 + sim_dice(w, (uint32_t)most);
	}
	got = sim_side_recv(s, p, n);
	if (s->arrived > 0)
		sim_socket_edge(w, s->socket);
	sim_note(w, (uint64_t)fd, (uint64_t)got);
	return got;
}

static ssize_t sim_send(struct sys *sys, int fd, const struct iovec *v, unsigned n)
{
	struct sim_side *s = must_find_side(sys, fd, "send");
	ssize_t sent;

	(void)breaks(s);
	sent = sim_side_send(s, v, n);
	sim_note(of(sys)->w, (uint64_t)fd, (uint64_t)sent);
	return sent;
}

static int sim_shutdown_write(struct sys *sys, int fd)
{
	return sim_side_shutdown(must_find_side(sys, fd, "shutdown"));
}

static void listener_close(struct sim_socket *s)
{
	struct list_node *n;

	list_remove(&s->served);
	while ((n = list_take_first(&s->queue)) != NULL)
		sim_side_reset(&LIST_ENTRY(n, struct sim_conn, queue_node)->sides[1]);
}

static void sim_close(struct sys *sys, int fd)
{
	struct sim_world *w = of(sys)->w;
	struct sim_socket *s = must_find(sys, fd, "close");

	if (s->side == NULL)
		listener_close(s);
	else
		sim_side_close(s->side);
	for (unsigned i = 0; i < SIM_SYS_MAX; i++)
		list_remove(&s->watches[i].node);
	w->sockets[fd - SIM_FD_BASE] = NULL;
	w->open_fds--;
	sim_note(w, (uint64_t)fd, 'c');
	free(s);
}

static bool is_full(const struct sim_world *w)
{
	return w->o.fd_limit > 0 && w->open_fds >= w->o.fd_limit;
}

static int sim_connect(struct sys *sys, const struct sockaddr *to, socklen_t len, int *ret_fd)
{
	struct sim_world *w = of(sys)->w;
	struct sockaddr_storage from = {.ss_family = to->sa_family};
	char key[SIM_KEY_MAX];
	struct sim_conn *c;

	if (is_full(w))
		return -EMFILE;
	sim_key_of(to, len, key);
	c = sim_conn_new(w, key, &from);
	*ret_fd = sim_socket_new(w, &c->sides[0])->fd;
	sim_push(w, (struct sim_event){.at_us = w->now_us + c->sides[1].latency_us,
				       .kind = EV_SYN,
				       .side = &c->sides[0]});
	return 0;
}

static int sim_connect_result(struct sys *sys, int fd)
{
	struct sim_side *s = must_find_side(sys, fd, "connect_result");
	int err = s->err;

	s->err = 0;
	return -err;
}

static int sim_accept(struct sys *sys, int fd, struct sockaddr_storage *ret_peer)
{
	struct sim_world *w = of(sys)->w;
	struct sim_socket *listener = must_find(sys, fd, "accept");
	struct list_node *n = list_take_first(&listener->queue);
	struct sim_conn *c;

	if (n == NULL)
		return -EAGAIN;
	c = LIST_ENTRY(n, struct sim_conn, queue_node);
	if (is_full(w)) {
		sim_side_close(&c->sides[1]);
		return -EMFILE;
	}
	*ret_peer = c->from;
	sim_note(w, (uint64_t)fd, 'a');
	return sim_socket_new(w, &c->sides[1])->fd;
}

const struct sys_ops sim_sys_ops = {
	.now_us = sim_sys_now_us,
	.watch = sim_watch_fd,
	.rewatch = sim_rewatch,
	.unwatch = sim_unwatch,
	.wait = sim_wait,
	.wake = sim_wake,
	.recv = sim_recv,
	.send = sim_send,
	.shutdown_write = sim_shutdown_write,
	.close = sim_close,
	.connect = sim_connect,
	.connect_result = sim_connect_result,
	.accept = sim_accept,
	.detach = sim_detach,
};
