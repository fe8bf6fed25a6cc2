#include "session/reach.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "io/listen.h"
#include "session/worker.h"

/* How often a name without an address is looked at again. */
enum { WAIT_US = 50 * US_PER_MS };

static void try_next(struct reach *r);

static void done(struct reach *r, int fd)
{
	timer_disarm(&r->wait);
	r->on_done(r, fd);
}

static void on_dialled(struct dial *d, int fd)
{
	struct reach *r = CONTAINER_OF(d, struct reach, dial);

	if (fd >= 0) {
		socket_tune(fd, (unsigned)(r->worker->settings->timeouts.stall_us / 1000));
		done(r, fd);
		return;
	}
	counter_add(&r->worker->desk->counters.dials_failed, 1);
	r->last_error = fd;
	r->at++;
	try_next(r);
}

static bool target_of(const struct reach *r, struct dial_target *ret)
{
	const struct backend *b = r->backend;

	if (b->set->at.unix_path != NULL) {
		*ret = (struct dial_target){.addr.kind = ADDR_UNIX,
					    .unix_path = b->set->at.unix_path};
		return r->at == 0;
	}
	if (r->at >= b->addr_n)
		return false;
	*ret = (struct dial_target){.addr = b->addrs[r->at]};
	return true;
}

static void finish_later(struct reach *r, int err, uint64_t due_us)
{
	r->last_error = err;
	timer_arm(r->worker->loop, &r->wait, due_us);
}

static bool waits_for_name(const struct reach *r)
{
	const struct backend *b = r->backend;

	return b->addr_n == 0 && b->error == NULL && b->set->at.unix_path == NULL;
}

static void try_next(struct reach *r)
{
	uint64_t now_us = loop_now_us(r->worker->loop);
	uint64_t dial_us = now_us + r->worker->settings->timeouts.dial_us;
	struct dial_target to;
	int err;

	for (; target_of(r, &to) && now_us < r->due_us; r->at++) {
		counter_add(&r->worker->desk->counters.dials, 1);
		err = dial_start(r->worker->loop, &r->dial, &to,
				 dial_us < r->due_us ? dial_us : r->due_us);
		if (err == 0)
			return;
		counter_add(&r->worker->desk->counters.dials_failed, 1);
		r->last_error = err;
	}
	if (waits_for_name(r))
		finish_later(r, -EHOSTUNREACH, now_us + WAIT_US);
	else
		finish_later(r, r->last_error == 0 ? -EHOSTUNREACH : r->last_error, now_us);
}

/* Either a failure's end, told outside of reach_start, or another look for the name's address. */
static void on_wait(struct timer *t)
{
	struct reach *r = CONTAINER_OF(t, struct reach, wait);
	bool waits = waits_for_name(r) && loop_now_us(r->worker->loop) < r->name_due_us;
	struct backend *newer = NULL;

	if (waits && r->worker->catalog != NULL)
		newer = catalog_find(r->worker->catalog, r->backend->set->name);
	if (!waits) {
		done(r, r->last_error);
		return;
	}
	if (newer != NULL && newer != r->backend) {
		backend_ref(newer);
		backend_unref(r->backend);
		r->backend = newer;
	}
	try_next(r);
}

void reach_start(struct reach *r, struct worker *w, struct backend *b, uint64_t due_us,
		 void (*on_done)(struct reach *r, int fd))
{
	*r = (struct reach){
		.worker = w, .backend = backend_ref(b), .due_us = due_us, .on_done = on_done};
	r->name_due_us = loop_now_us(w->loop) + w->settings->timeouts.dial_us;
	r->dial.on_done = on_dialled;
	timer_init(&r->wait, on_wait);
	try_next(r);
}

void reach_stop(struct reach *r)
{
	if (r->worker == NULL)
		return;
	dial_cancel(&r->dial);
	timer_disarm(&r->wait);
	backend_unref(r->backend);
	*r = (struct reach){0};
}

const char *reach_error_text(const struct reach *r, int err)
{
	if (r->backend->addr_n == 0 && r->backend->error != NULL)
		return r->backend->error;
	if (waits_for_name(r))
		return "its name is not resolved yet";
	return strerrordesc_np(-err);
}
