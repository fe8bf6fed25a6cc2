/*
 * One loop to test, over real sockets or in the simulated world, and outside ends for its
 * descriptors. Include <cmocka.h> before.
 */
#ifndef TEST_IO_LAB_H
#define TEST_IO_LAB_H

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/loop.h"
#include "sim/world/sim_world.h"

enum lab_kind { LAB_UNIX, LAB_TCP, LAB_SIM };

#define LAB_AT "10.0.0.1:25565"

struct lab {
	enum lab_kind kind;
	struct sim_world *world;
	struct sys *sys;
	struct loop *loop;
};

/* The outside end: test code's. */
struct far {
	struct lab *lab;
	int fd;
	struct sim_peer *peer;
};

static const struct sim_peer_ops far_ops;

static void lab_open_with(struct lab *lab, enum lab_kind kind, const struct sim_options *o)
{
	*lab = (struct lab){.kind = kind};
	if (kind == LAB_SIM) {
		lab->world = sim_world_new(o);
		lab->sys = sim_world_sys(lab->world, 0);
	} else {
		lab->sys = sys_linux_new();
	}
	assert_non_null(lab->sys);
	lab->loop = loop_new(lab->sys);
	assert_non_null(lab->loop);
}

static inline void lab_open(struct lab *lab, enum lab_kind kind)
{
	struct sim_options o = {.seed = 7};

	lab_open_with(lab, kind, &o);
}

static inline void lab_close(struct lab *lab)
{
	loop_free(lab->loop);
	if (lab->kind == LAB_SIM)
		assert_int_equal(sim_world_free(lab->world), 0);
	else
		sys_linux_free(lab->sys);
}

/* Lets a little time pass: at least one turn, and in the simulation 300 us. */
static void lab_step(struct lab *lab)
{
	if (lab->kind == LAB_SIM)
		(void)sim_run(lab->world, &lab->loop, sim_now_us(lab->world) + 300, NULL, NULL);
	assert_int_equal(loop_turn(lab->loop, lab->kind == LAB_SIM ? 0 : 1000), 0);
}

/* Steps until *flag is set; fails when that does not come. */
static inline void lab_until(struct lab *lab, const bool *flag)
{
	for (int i = 0; i < 20000 && !*flag; i++)
		lab_step(lab);
	assert_true(*flag);
}

static inline void lab_steps(struct lab *lab, int n)
{
	while (n-- > 0)
		lab_step(lab);
}

static inline void pair_tcp(int fds[2])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	fds[1] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(fds[1], (struct sockaddr *)&at, len), 0);
	fds[0] = accept(listener, NULL, NULL);
	assert_true(fds[0] >= 0);
	close(listener);
}

static inline int pair_sim(struct lab *lab, struct far *far)
{
	int listener = sim_listener(lab->world, LAB_AT);
	struct sockaddr_storage from;
	int fd;

	far->peer = sim_dial(lab->world, LAB_AT, NULL, &far_ops, far);
	do {
		sim_settle(lab->world, 100);
		fd = lab->sys->ops->accept(lab->sys, listener, &from);
	} while (fd == -EAGAIN);
	lab->sys->ops->close(lab->sys, listener);
	assert_true(fd >= 0);
	sim_settle(lab->world, 1000);
	return fd;
}

/* A connected descriptor for the loop; *far is the other end. */
static inline int lab_pair(struct lab *lab, struct far *far)
{
	int fds[2];

	*far = (struct far){.lab = lab, .fd = -1};
	if (lab->kind == LAB_SIM)
		return pair_sim(lab, far);
	if (lab->kind == LAB_UNIX)
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	else
		pair_tcp(fds);
	far->fd = fds[1];
	return fds[0];
}

/* What was taken; 0: full. */
static inline size_t far_send(struct far *far, const void *p, size_t n)
{
	ssize_t sent;

	if (far->peer != NULL)
		sent = sim_peer_send(far->peer, p, n);
	else
		sent = send(far->fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	return sent < 0 ? 0 : (size_t)sent;
}

/* Like recv; -errno. */
static inline ssize_t far_recv(struct far *far, void *p, size_t n)
{
	ssize_t got;

	if (far->peer != NULL)
		return sim_peer_recv(far->peer, p, n);
	got = recv(far->fd, p, n, MSG_DONTWAIT);
	return got < 0 ? -errno : got;
}

static inline void far_shutdown(struct far *far)
{
	if (far->peer != NULL)
		sim_peer_shutdown(far->peer);
	else
		assert_int_equal(shutdown(far->fd, SHUT_WR), 0);
}

static inline void far_close(struct far *far)
{
	if (far->peer != NULL)
		sim_peer_close(far->peer);
	else
		close(far->fd);
}

static inline void far_reset(struct far *far)
{
	struct linger hard = {1, 0};

	if (far->peer != NULL) {
		sim_peer_reset(far->peer);
		return;
	}
	(void)setsockopt(far->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(far->fd);
}

static void far_on_event(struct sim_peer *p, unsigned events)
{
	(void)p;
	(void)events;
}

static const struct sim_peer_ops far_ops = {.on_event = far_on_event};

/* Runs a test body over each kind of socket. */
#define LAB_EACH(kind) for (enum lab_kind kind = LAB_UNIX; kind <= LAB_SIM; kind++)

#endif
