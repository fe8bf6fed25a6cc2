#include "session/worker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "minecraft/limbo.h"
#include "session/admit.h"

const char *const worker_cause_names[CAUSE_COUNT] = {
#define X(name, level, label, text) [END_##name] = (label),
	ENDS(X)
#undef X
		[CAUSE_DESCRIPTORS] = "descriptors",
	[CAUSE_CANDIDATE] = "candidate",
};

void worker_log(struct worker *w, enum log_level level, unsigned cause, const char *fmt, ...)
{
	char memory[LOG_LINE_MAX];
	struct log_line line = {
		.at_us = wall_clock_us(), .level = (uint8_t)level, .cause = (uint8_t)cause};
	va_list ap;

	if (level < w->settings->log_level)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(memory, sizeof(memory), fmt, ap);
	va_end(ap);
	if (!log_ring_put(&w->desk->log, line, slice_str(memory)))
		counter_add(&w->desk->counters.log_lines_dropped, 1);
	w->logged = true;
}

void worker_tell_hub(struct worker *w, struct order *o)
{
	order_send(&w->common->hub, o);
}

/* The claim of a session that is gone goes straight back: its name is free again. */
static void on_claimed(struct worker *w, struct order *o)
{
	struct session *s = idmap_get(&w->by_conn, o->conn);

	if (s != NULL && s->kept.phase == PHASE_LOGIN) {
		admit_on_claimed(s, o);
		return;
	}
	if (!o->granted) {
		order_free(o);
		return;
	}
	o->mail.kind = ORDER_LEAVE;
	worker_tell_hub(w, o);
}

static void on_kick(struct worker *w, const struct order *o)
{
	struct session *s = idmap_get(&w->by_conn, o->conn);

	if (s != NULL)
		session_end(s, END_NAME_REPLACED);
}

static void take_catalog(struct worker *w, struct order *o)
{
	catalog_unref(w->catalog);
	w->catalog = o->catalog;
	o->catalog = NULL;
}

static void take_listing(struct worker *w, struct order *o)
{
	listing_unref(w->listing);
	w->listing = o->listing;
	o->listing = NULL;
}

void worker_on_order(struct worker *w, struct order *o)
{
	switch ((enum order_kind)o->mail.kind) {
	case ORDER_CLAIMED:
		on_claimed(w, o);
		return;
	case ORDER_KICK:
		on_kick(w, o);
		break;
	case ORDER_CATALOG:
		take_catalog(w, o);
		break;
	case ORDER_LISTING:
		take_listing(w, o);
		break;
	case ORDER_DRAIN:
		w->goodbye = o;
		worker_drain(w);
		return;
	case ORDER_CLAIM:
	case ORDER_LEAVE:
	case ORDER_HERE:
	case ORDER_DRAINED:
		break; /* never sent this way */
	}
	order_free(o);
}

static void on_mail(void *arg)
{
	struct worker *w = arg;
	struct mail *m = mailbox_drain(&w->desk->box);

	while (m != NULL) {
		struct mail *next = m->next;

		worker_on_order(w, order_of(m));
		m = next;
	}
}

static void on_flush(void *arg)
{
	struct worker *w = arg;

	links_flush(&w->links);
}

static void free_gone(struct worker *w)
{
	struct list_node *n;

	while ((n = list_take_first(&w->by_phase[PHASE_GONE])) != NULL) {
		struct session *s = LIST_ENTRY(n, struct session, node);

		idmap_remove(&w->by_conn, s->kept.conn);
		session_free(s);
	}
}

static void tell_drained(struct worker *w)
{
	struct order *o = w->goodbye;

	if (o == NULL || w->by_conn.n > 0)
		return;
	w->goodbye = NULL;
	w->drained = true;
	o->mail.kind = ORDER_DRAINED;
	worker_tell_hub(w, o);
}

static void on_turn_end(void *arg)
{
	struct worker *w = arg;

	free_gone(w);
	links_turn_end(&w->links);
	tell_drained(w);
	if (w->logged)
		loop_wake(w->common->hub.loop);
	w->logged = false;
}

static void end_all(struct worker *w, enum end why)
{
	for (unsigned p = 0; p < PHASE_GONE; p++) {
		LIST_EACH(n, &w->by_phase[p])
		session_end(LIST_ENTRY(n, struct session, node), why);
	}
}

static void free_listeners(struct worker *w)
{
	LIST_EACH(n, &w->listeners)
	listener_free(LIST_ENTRY(n, struct listener, node));
}

/* The drain's time is over: whoever still has last words waiting goes without them. */
static void on_drain_over(struct timer *t)
{
	struct worker *w = CONTAINER_OF(t, struct worker, drain);

	LIST_EACH(n, &w->by_phase[PHASE_DRAIN])
	session_say_last_words(LIST_ENTRY(n, struct session, node));
	links_close_all(&w->links);
}

void worker_drain(struct worker *w)
{
	if (w->draining)
		return;
	w->draining = true;
	free_listeners(w);
	end_all(w, END_SHUTDOWN);
	timer_arm(w->loop, &w->drain, loop_now_us(w->loop) + w->settings->timeouts.drain_us);
}

static bool build_limbo(struct worker *w)
{
	w->limbo_bytes = malloc((size_t)LIMBO_MAX_BYTES * VERSION_COUNT);
	if (w->limbo_bytes == NULL)
		return false;
	for (unsigned v = 0; v < VERSION_COUNT; v++) {
		struct writer wr =
			writer_of(w->limbo_bytes + (size_t)v * LIMBO_MAX_BYTES, LIMBO_MAX_BYTES);

		if (!limbo_world_write(&wr, (enum version)v))
			return false;
		w->limbo[v] = writer_slice(&wr);
	}
	return true;
}

bool worker_init(struct worker *w, const struct worker_setup *setup)
{
	*w = (struct worker){.desk = setup->desk, .index = setup->index};
	for (unsigned p = 0; p < PHASE_COUNT; p++)
		list_init(&w->by_phase[p]);
	list_init(&w->listeners);
	timer_init(&w->drain, on_drain_over);
	w->settings = settings_ref(setup->settings);
	w->loop = loop_new(setup->sys);
	if (w->loop == NULL)
		return false;
	links_init(&w->links, w->loop, w->settings->limits.pool_bytes);
	w->links.high_bytes = (uint32_t)w->settings->limits.unsent_high_bytes;
	w->links.low_bytes = (uint32_t)w->settings->limits.unsent_low_bytes;
	w->links.stall_us = w->settings->timeouts.stall_us;
	mailbox_init(&w->desk->box, w->loop);
	return log_ring_init(&w->desk->log) && build_limbo(w);
}

void worker_start(struct worker *w, struct common *common)
{
	w->common = common;
	loop_set_hooks(w->loop, (struct loop_hooks){.on_mail = on_mail,
						    .on_flush = on_flush,
						    .on_turn_end = on_turn_end,
						    .arg = w});
}

void worker_fini(struct worker *w)
{
	timer_disarm(&w->drain);
	order_free(w->goodbye);
	if (w->loop != NULL) {
		free_listeners(w); /* still there when it never ran */
		mailbox_fini(&w->desk->box);
		links_fini(&w->links);
		loop_free(w->loop);
	}
	log_ring_fini(&w->desk->log);
	idmap_fini(&w->by_conn);
	catalog_unref(w->catalog);
	listing_unref(w->listing);
	settings_unref(w->settings);
	free(w->limbo_bytes);
}

bool worker_turn(struct worker *w, int64_t max_wait_us)
{
	return loop_turn(w->loop, max_wait_us) == 0 && !(w->drained && w->links.n == 0);
}
