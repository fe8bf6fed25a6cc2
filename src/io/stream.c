/*
 * Connected sockets in the loop. Edge-triggered: what the world said once is kept in the flags
 * until it was used, so pausing loses nothing, and a read that came back short is known to have
 * emptied the socket without asking.
 *
 * Callbacks may close or detach any io, the own one included. So an io's state is settled before
 * its callback runs, and not looked at afterwards unless l->current still names it.
 */
#include "io/loop_inner.h"

#include <errno.h>

enum io_flags {
	IO_PAUSED = 1,
	IO_CLOSING = 2,
	IO_READABLE = 4,
	IO_HUNG_UP = 8,     /* FIN or an error waits behind the data: a short read is not the end */
	IO_ENDED = 16,      /* on_eof was called */
	IO_WANTS_ROOM = 32, /* a send took less than all */
	IO_HAS_ROOM = 64,   /* on_writable is due */
};

static bool io_has_work(const struct io *io)
{
	if (io->flags & IO_HAS_ROOM)
		return true;
	return (io->flags & (IO_READABLE | IO_PAUSED | IO_ENDED)) == IO_READABLE;
}

static void io_queue(struct loop *l, struct io *io)
{
	if (!(io->flags & IO_CLOSING) && list_is_empty(&io->node) && io_has_work(io))
		list_append(&l->ready, &io->node);
}

static void io_on_events(struct watched *w, struct loop *l, unsigned events)
{
	struct io *io = CONTAINER_OF(w, struct io, watched);

	if (events & SYS_HUP)
		io->flags |= IO_HUNG_UP;
	if (events & (SYS_IN | SYS_HUP))
		io->flags |= IO_READABLE;
	if ((events & SYS_OUT) && (io->flags & IO_WANTS_ROOM))
		io->flags ^= IO_WANTS_ROOM | IO_HAS_ROOM;
	io_queue(l, io);
}

int io_open(struct loop *l, struct io *io, int fd, const struct io_ops *ops)
{
	int err;

	*io = (struct io){.watched = {.on_events = io_on_events}, .ops = ops, .fd = fd};
	list_init(&io->node);
	err = l->sys->ops->watch(l->sys, fd, &io->watched, SYS_IN | SYS_OUT, false, false);
	if (err < 0) {
		l->sys->ops->close(l->sys, fd);
		io->fd = -1;
		io->flags = IO_CLOSING;
	}
	return err;
}

void io_pause(struct loop *l, struct io *io)
{
	(void)l; /* io_uring has a receive to cancel here */
	io->flags |= IO_PAUSED;
}

void io_resume(struct loop *l, struct io *io)
{
	io->flags &= ~(uint32_t)IO_PAUSED;
	io_queue(l, io);
}

bool io_is_paused(const struct io *io)
{
	return (io->flags & IO_PAUSED) != 0;
}

static size_t total_bytes(const struct iovec *v, unsigned n)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += v[i].iov_len;
	return bytes;
}

ssize_t io_send(struct loop *l, struct io *io, const struct iovec *v, unsigned n)
{
	size_t bytes = total_bytes(v, n);
	ssize_t sent;

	if (io->flags & IO_CLOSING)
		return -EPIPE;
	if (bytes == 0)
		return 0;
	sent = l->sys->ops->send(l->sys, io->fd, v, n);
	if (sent == -EAGAIN)
		sent = 0;
	/* Full at this moment: whatever room was reported before is gone, and a new report will
	 * come. */
	if (sent >= 0 && (size_t)sent < bytes)
		io->flags = (io->flags & ~(uint32_t)IO_HAS_ROOM) | IO_WANTS_ROOM;
	return sent;
}

int io_shutdown_write(struct loop *l, struct io *io)
{
	if (io->flags & IO_CLOSING)
		return -EPIPE;
	return l->sys->ops->shutdown_write(l->sys, io->fd);
}

void io_close(struct loop *l, struct io *io)
{
	if (io->flags & IO_CLOSING)
		return;
	/* A copy of the descriptor elsewhere would keep the registration, and so our tag, alive:
	 * unwatch. */
	l->sys->ops->unwatch(l->sys, io->fd);
	l->sys->ops->close(l->sys, io->fd);
	io->fd = -1;
	io->flags |= IO_CLOSING;
	list_move(&io->node, &l->closing);
}

int io_detach(struct loop *l, struct io *io)
{
	int fd = io->fd;
	int err;

	if (io->flags & IO_CLOSING)
		return -EBADF;
	err = l->sys->ops->detach(l->sys, fd);
	if (err < 0)
		return err;
	loop_forget(l, &io->watched);
	list_remove(&io->node);
	if (l->current == io)
		l->current = NULL;
	io->fd = -1;
	io->flags = IO_CLOSING;
	return fd;
}

static void io_read(struct loop *l, struct io *io)
{
	struct chunk in = {.p = l->memory + l->used + HEADROOM};
	ssize_t n = l->sys->ops->recv(l->sys, io->fd, in.p, READ_MAX);

	if (n > 0) {
		in.len = (uint32_t)n;
		l->used += (HEADROOM + (size_t)n + 15) & ~(size_t)15;
		if (n < READ_MAX && !(io->flags & IO_HUNG_UP))
			io->flags &= ~(uint32_t)IO_READABLE;
		io_queue(l, io);
		io->ops->on_data(io, in);
		return;
	}
	io->flags &= ~(uint32_t)(IO_READABLE | IO_HUNG_UP);
	if (n == -EAGAIN)
		return;
	io->flags |= IO_ENDED;
	io->ops->on_eof(io, (int)n);
}

static void io_run(struct loop *l, struct io *io)
{
	l->current = io;
	if (io->flags & IO_HAS_ROOM) {
		io->flags &= ~(uint32_t)IO_HAS_ROOM;
		io->ops->on_writable(io);
	}
	if (l->current != io || (io->flags & IO_CLOSING))
		return;
	if (io_has_work(io))
		io_read(l, io);
}

void streams_run(struct loop *l)
{
	struct list_node now;
	struct list_node *n;

	/* Whoever becomes ready from here on waits for the next turn, behind those that are left
	 * over. */
	list_init(&now);
	list_splice(&now, &l->ready);
	for (unsigned i = 0; i < TURN_IOS; i++) {
		if (TURN_MEMORY - l->used < HEADROOM + READ_MAX)
			break;
		n = list_take_first(&now);
		if (n == NULL)
			break;
		io_run(l, LIST_ENTRY(n, struct io, node));
	}
	l->current = NULL;
	list_splice(&now, &l->ready);
	list_splice(&l->ready, &now);
}

void streams_finish(struct loop *l)
{
	struct list_node *n;

	while ((n = list_take_first(&l->closing)) != NULL) {
		struct io *io = LIST_ENTRY(n, struct io, node);

		io->ops->on_closed(io);
	}
}
