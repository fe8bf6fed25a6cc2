/*
 * One link over the simulated world, as a worker runs it, with an owner that notes what it is told,
 * and the far end in the test's hands. Include <cmocka.h> before.
 */
#ifndef TEST_LINK_RIG_H
#define TEST_LINK_RIG_H

#include "base/buf.h"
#include "base/clock.h"
#include "io/lab.h"
#include "link/link.h"

struct rig {
	struct lab lab;
	struct far far;
	struct links links;
	struct link *l;
	struct sys_ops counting;
	unsigned sends;                   /* system calls */
	void (*on_input)(struct rig *r);  /* within on_bytes */
	void (*on_output)(struct rig *r); /* each turn, before the flush step */
	struct buf in;                    /* what on_bytes got */
	struct buf far_got;
	unsigned eofs, brokens, fulls, drains, stalls;
	int eof_err, broken_err;
	bool far_ended; /* FIN was read */
	int far_err;    /* or an error */
	bool over;      /* dropped or retired: no op may come any more */
};

static struct rig *the_rig;

static struct rig *rig_of(struct link *l)
{
	struct rig *r = l->owner;

	assert_ptr_equal(r, the_rig);
	assert_false(r->over);
	return r;
}

static void rig_on_bytes(struct link *l, struct slice in)
{
	struct rig *r = rig_of(l);

	assert_true(in.len > 0);
	assert_false(io_is_paused(&l->io));
	assert_true(buf_append(&r->in, in));
	if (r->on_input != NULL)
		r->on_input(r);
}

static void rig_on_eof(struct link *l, int err)
{
	struct rig *r = rig_of(l);

	r->eofs++;
	r->eof_err = err;
}

static void rig_on_broken(struct link *l, int err)
{
	struct rig *r = rig_of(l);

	r->brokens++;
	r->broken_err = err;
}

static void rig_on_full(struct link *l)
{
	struct rig *r = rig_of(l);

	assert_true(link_unsent(l) > r->links.high_bytes);
	assert_int_equal(r->fulls++, r->drains);
}

static void rig_on_drained(struct link *l)
{
	struct rig *r = rig_of(l);

	assert_true(link_unsent(l) <= r->links.low_bytes);
	assert_int_equal(++r->drains, r->fulls);
}

static void rig_on_stalled(struct link *l)
{
	rig_of(l)->stalls++;
}

static const struct link_ops rig_ops = {
	.on_bytes = rig_on_bytes,
	.on_eof = rig_on_eof,
	.on_broken = rig_on_broken,
	.on_full = rig_on_full,
	.on_drained = rig_on_drained,
	.on_stalled = rig_on_stalled,
};

static ssize_t rig_send(struct sys *sys, int fd, const struct iovec *v, unsigned n)
{
	the_rig->sends++;
	/* The world's own function stands behind it. */
	return the_rig->counting.send(sys, fd, v, n);
}

static void rig_flush(void *arg)
{
	struct rig *r = arg;

	if (r->on_output != NULL)
		r->on_output(r);
	links_flush(&r->links);
}

static void rig_turn_end(void *arg)
{
	links_turn_end(&((struct rig *)arg)->links);
}

static struct sys_ops rig_sys_ops;

static inline void rig_open(struct rig *r, const struct sim_options *o, size_t pool_bytes)
{
	int fd;

	*r = (struct rig){0};
	the_rig = r;
	lab_open_with(&r->lab, LAB_SIM, o);
	r->counting = rig_sys_ops = *r->lab.sys->ops;
	rig_sys_ops.send = rig_send;
	r->lab.sys->ops = &rig_sys_ops;
	links_init(&r->links, r->lab.loop, pool_bytes);
	loop_set_hooks(r->lab.loop, (struct loop_hooks){.on_flush = rig_flush,
							.on_turn_end = rig_turn_end,
							.arg = r});
	fd = lab_pair(&r->lab, &r->far);
	assert_int_equal(loop_turn(r->lab.loop, 0), 0);
	r->l = link_new(&r->links, fd, &rig_ops, r);
	assert_non_null(r->l);
	assert_int_equal(r->links.n, 1);
}

static inline uint64_t rig_now_us(const struct rig *r)
{
	return sim_now_us(r->lab.world);
}

static inline void rig_run(struct rig *r, uint64_t us)
{
	(void)sim_run(r->lab.world, &r->lab.loop, rig_now_us(r) + us, NULL, NULL);
}

static inline void rig_turn(struct rig *r)
{
	assert_int_equal(loop_turn(r->lab.loop, 0), 0);
}

/* The far end reads up to n bytes. */
static inline void rig_far_read(struct rig *r, size_t n)
{
	uint8_t bytes[4096];

	while (n > 0 && !r->far_ended && r->far_err == 0) {
		ssize_t got = far_recv(&r->far, bytes, n < sizeof(bytes) ? n : sizeof(bytes));

		if (got == -EAGAIN)
			return;
		r->far_ended = got == 0;
		r->far_err = got < 0 ? (int)got : 0;
		if (got > 0)
			assert_true(buf_append(&r->far_got, slice_of(bytes, (size_t)got)));
		n -= got > 0 ? (size_t)got : 0;
	}
}

/* Reads and runs until nothing more comes. */
static inline void rig_settle(struct rig *r)
{
	size_t before;

	do {
		before = r->far_got.len;
		for (int i = 0; i < 8; i++) {
			rig_turn(r);
			rig_run(r, 1000);
			rig_far_read(r, SIZE_MAX);
		}
	} while (r->far_got.len != before);
}

static inline void rig_far_send(struct rig *r, struct slice s)
{
	while (s.len > 0) {
		slice_cut(&s, far_send(&r->far, s.p, s.len));
		rig_run(r, 1000);
	}
}

static inline void rig_retire(struct rig *r)
{
	link_retire(r->l);
	r->over = true;
}

/* The link must be gone, or is dropped. Nothing may be held. */
static inline void rig_close(struct rig *r, bool drop)
{
	if (drop) {
		link_drop(r->l);
		r->over = true;
	}
	rig_turn(r);
	assert_int_equal(r->links.n, 0);
	assert_int_equal(r->links.pool.held_bytes, 0);
	assert_true(list_is_empty(&r->links.dirty));
	assert_true(list_is_empty(&r->links.retiring));
	links_fini(&r->links);
	if (!r->far_ended || r->far_err == 0)
		far_close(&r->far);
	buf_fini(&r->in);
	buf_fini(&r->far_got);
	r->lab.sys->ops = &r->counting;
	lab_close(&r->lab);
}

static inline void rig_expect_far(const struct rig *r, const struct buf *want)
{
	assert_int_equal(r->far_got.len, want->len);
	assert_true(slice_eq(buf_slice(&r->far_got), buf_slice(want)));
}

#endif
