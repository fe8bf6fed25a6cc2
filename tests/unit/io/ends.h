/* Ends of connections that count what they are told. Include "lab.h" before. */
#ifndef TEST_IO_ENDS_H
#define TEST_IO_ENDS_H

/* A program's end that counts what it is told. */
struct end {
	struct io io;
	struct lab *lab;
	unsigned turn, data_turn, reads, eofs, writables, closes;
	size_t bytes;
	int eof_err;
	bool closed, ended, writable;
	bool close_on_data, close_on_eof, close_on_writable, detach_on_writable;
	struct end *victim; /* closed along with this one */
	struct chunk last;
};

static unsigned turn_now;
static bool turn_ended; /* on_turn_end was called in this turn */

static struct end *end_of(struct io *io)
{
	return CONTAINER_OF(io, struct end, io);
}

static void end_close(struct end *e)
{
	io_close(e->lab->loop, &e->io);
	if (e->victim != NULL)
		io_close(e->lab->loop, &e->victim->io);
}

static void end_on_data(struct io *io, struct chunk in)
{
	struct end *e = end_of(io);

	assert_false(io_is_paused(io));
	assert_int_equal(e->closes, 0);
	assert_int_equal(e->io.fd < 0, 0);
	assert_int_not_equal(e->data_turn, turn_now);
	assert_in_range(in.len, 1, READ_MAX);
	memset(in.p - HEADROOM, 0xEE, HEADROOM);
	e->data_turn = turn_now;
	e->reads++;
	e->bytes += in.len;
	e->last = in;
	if (e->close_on_data)
		end_close(e);
}

static void end_on_eof(struct io *io, int err)
{
	struct end *e = end_of(io);

	assert_false(io_is_paused(io));
	e->eofs++;
	e->eof_err = err;
	e->ended = true;
	if (e->close_on_eof)
		end_close(e);
}

static void end_on_writable(struct io *io)
{
	struct end *e = end_of(io);

	e->writables++;
	e->writable = true;
	if (e->close_on_writable)
		end_close(e);
	if (e->detach_on_writable) {
		int fd = io_detach(e->lab->loop, io);

		assert_true(fd >= 0);
		e->lab->sys->ops->close(e->lab->sys, fd);
		memset(io, 0xDD, sizeof(*io));
	}
}

static void end_on_closed(struct io *io)
{
	struct end *e = end_of(io);

	assert_true(turn_ended);
	e->closes++;
	e->closed = true;
}

static const struct io_ops end_ops = {end_on_data, end_on_eof, end_on_writable, end_on_closed};

static void next_turn(void *arg)
{
	(void)arg;
	turn_now++;
	turn_ended = false;
}

static void end_turn(void *arg)
{
	(void)arg;
	turn_ended = true;
}

static inline void begin(struct lab *lab, enum lab_kind kind)
{
	lab_open(lab, kind);
	turn_now = 1;
	turn_ended = false;
	loop_set_hooks(lab->loop, (struct loop_hooks){.on_turn_end = end_turn});
}

/* One turn with its number, in all worlds. */
static inline void turn(struct lab *lab)
{
	next_turn(NULL);
	assert_int_equal(loop_turn(lab->loop, 0), 0);
}

/* Lets what is under way arrive without a turn. */
static inline void arrive(struct lab *lab)
{
	if (lab->kind == LAB_SIM)
		sim_settle(lab->world, 10000);
}

static inline void end_open(struct end *e, struct lab *lab, struct far *far)
{
	*e = (struct end){.lab = lab};
	assert_int_equal(io_open(lab->loop, &e->io, lab_pair(lab, far), &end_ops), 0);
}

static inline void until(struct lab *lab, const bool *flag)
{
	for (int i = 0; i < 3000 && !*flag; i++) {
		arrive(lab);
		turn(lab);
	}
	assert_true(*flag);
}

static inline void fini(struct lab *lab, struct end *e, struct far *far)
{
	io_close(lab->loop, &e->io);
	if (far != NULL)
		far_close(far);
	arrive(lab);
	turn(lab);
	assert_int_equal(e->closes, 1);
}

static inline void fill(struct end *e, size_t *ret_sent)
{
	static uint8_t bytes[100000];
	struct iovec v = {bytes, sizeof(bytes)};
	ssize_t n;

	*ret_sent = 0;
	do {
		n = io_send(e->lab->loop, &e->io, &v, 1);
		assert_true(n >= 0);
		*ret_sent += (size_t)n;
	} while (n > 0);
}

/* Reads all that is there; false: the end. */
static inline bool drain(struct far *far, size_t *bytes)
{
	static uint8_t sink[65536];
	ssize_t n;

	while ((n = far_recv(far, sink, sizeof(sink))) > 0)
		*bytes += (size_t)n;
	return n == -EAGAIN;
}

#endif
