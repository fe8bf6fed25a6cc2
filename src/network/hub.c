#include "network/hub.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/format.h"
#include "network/backend.h"
#include "network/listing.h"
#include "network/resolver.h"
#include "network/roster.h"

/* How often the server list answers are rebuilt at most. */
enum { LISTING_EVERY_US = 500 * US_PER_MS, TICK_US = US_PER_S };

struct hub {
	struct common common;
	struct loop *loop;
	struct settings *settings;
	struct resolver *resolver;
	struct roster *roster;
	struct logbook logbook;
	struct desk *const *desks;
	unsigned desk_n;
	unsigned drained;
	struct timer listing; /* armed: a change waits to be shown */
	struct timer tick;
	bool owes_catalog, owes_listing;
	struct order **drains; /* one for each worker, made at start: ending needs no memory */
};

void hub_log(struct hub *h, enum log_level level, const char *fmt, ...)
{
	char memory[LOG_LINE_MAX];
	struct log_line line = {.at_us = wall_clock_us(), .level = (uint8_t)level};
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(memory, sizeof(memory), fmt, ap);
	va_end(ap);
	if (n > 0)
		logbook_write(&h->logbook, &line, slice_str(memory));
}

/* False: no memory, and some did not get it: it is sent again at the next tick. */
static bool send_to_all(struct hub *h, enum order_kind kind, struct catalog *c, struct listing *l)
{
	for (unsigned i = 0; i < h->desk_n; i++) {
		struct order *o = order_new(kind, 0);

		if (o == NULL) {
			hub_log(h, LOG_ERROR, "msg=\"out of memory\" what=order");
			return false;
		}
		o->catalog = c == NULL ? NULL : catalog_ref(c);
		o->listing = l == NULL ? NULL : listing_ref(l);
		order_send(&h->desks[i]->box, o);
	}
	return true;
}

static void send_catalog(void *arg)
{
	struct hub *h = arg;
	struct catalog *c;

	if (h->resolver == NULL)
		return;
	c = resolver_catalog(h->resolver);
	h->owes_catalog = c == NULL || !send_to_all(h, ORDER_CATALOG, c, NULL);
	catalog_unref(c);
}

static void note_answer(void *arg, const char *backend, const char *error)
{
	if (error == NULL)
		hub_log(arg, LOG_DEBUG, "msg=\"backend resolved\" backend=%s", backend);
	else
		hub_log(arg, LOG_WARN,
			"msg=\"backend name does not resolve\" backend=%s error=\"%s\"", backend,
			error);
}

static void send_listing(struct timer *t)
{
	struct hub *h = CONTAINER_OF(t, struct hub, listing);
	struct listing *l = listing_new(h->settings, h->roster);

	h->owes_listing = l == NULL || !send_to_all(h, ORDER_LISTING, NULL, l);
	listing_unref(l);
}

static void players_changed(struct hub *h)
{
	if (!timer_is_armed(&h->listing))
		timer_arm(h->loop, &h->listing, loop_now_us(h->loop) + LISTING_EVERY_US);
}

static void drain_logs(struct hub *h)
{
	for (unsigned i = 0; i < h->desk_n; i++)
		logbook_drain(&h->logbook, &h->desks[i]->log);
}

/* What memory was missing for. */
static void pay_debts(struct hub *h)
{
	if (h->owes_catalog)
		send_catalog(h);
	if (h->owes_listing)
		send_listing(&h->listing);
}

static void on_tick(struct timer *t)
{
	struct hub *h = CONTAINER_OF(t, struct hub, tick);

	pay_debts(h);
	drain_logs(h);
	logbook_tick(&h->logbook, wall_clock_us());
	timer_arm(h->loop, t, loop_now_us(h->loop) + TICK_US);
}

static void answer(struct hub *h, struct order *claim, bool granted)
{
	claim->mail.kind = ORDER_CLAIMED;
	claim->granted = granted;
	order_send(&h->desks[claim->worker]->box, claim);
}

static void kick(struct hub *h, const struct claim_holder *holder)
{
	struct order *o = order_new(ORDER_KICK, holder->conn);

	/* Without memory the newcomer waits until the holder leaves by itself. */
	if (o != NULL)
		order_send(&h->desks[holder->worker]->box, o);
}

static void on_claim(struct hub *h, struct order *claim)
{
	struct order *displaced = NULL;
	struct claim_holder holder = {0};

	switch (roster_claim(h->roster, claim, h->settings->duplicate_names, &holder, &displaced)) {
	case CLAIM_GRANTED:
		players_changed(h);
		answer(h, claim, true);
		break;
	case CLAIM_REFUSED:
		answer(h, claim, false);
		break;
	case CLAIM_WAITS:
		kick(h, &holder);
		if (displaced != NULL)
			answer(h, displaced, false);
		break;
	}
}

static void on_leave(struct hub *h, struct order *leave)
{
	struct order *next = roster_leave(h->roster, leave);

	if (next != NULL)
		answer(h, next, true);
	players_changed(h);
	order_free(leave);
}

static void on_here(struct hub *h, const struct order *here)
{
	roster_moved(h->roster, here);
	if (roster_is_wanted(h->roster, here))
		kick(h, &(struct claim_holder){.conn = here->conn, .worker = here->worker});
}

static void on_order(struct hub *h, struct order *o)
{
	switch ((enum order_kind)o->mail.kind) {
	case ORDER_CLAIM:
		on_claim(h, o);
		return;
	case ORDER_LEAVE:
		on_leave(h, o);
		return;
	case ORDER_HERE:
		on_here(h, o);
		break;
	case ORDER_DRAINED:
		h->drained++;
		break;
	case ORDER_CLAIMED:
	case ORDER_KICK:
	case ORDER_CATALOG:
	case ORDER_LISTING:
	case ORDER_DRAIN:
		break; /* never sent this way */
	}
	order_free(o);
}

void hub_on_mail(struct hub *h)
{
	struct mail *m = mailbox_drain(&h->common.hub);

	while (m != NULL) {
		struct mail *next = m->next;

		on_order(h, order_of(m));
		m = next;
	}
	drain_logs(h);
}

static bool make_drains(struct hub *h)
{
	bool ok = true;

	h->drains = calloc(h->desk_n, sizeof(struct order *));
	for (unsigned i = 0; i < h->desk_n && h->drains != NULL; i++) {
		h->drains[i] = order_new(ORDER_DRAIN, 0);
		ok = ok && h->drains[i] != NULL;
	}
	return ok && h->drains != NULL;
}

static void free_drains(struct hub *h)
{
	for (unsigned i = 0; i < h->desk_n && h->drains != NULL; i++)
		order_free(h->drains[i]);
	free(h->drains);
}

static bool start(struct hub *h, const struct hub_setup *setup)
{
	const struct resolver_hooks hooks = {
		.on_change = send_catalog, .on_answer = note_answer, .arg = h};

	h->common.limits = limits_new();
	h->roster = roster_new();
	h->resolver = resolver_new(setup->loop, setup->settings, &hooks);
	if (h->common.limits == NULL || h->roster == NULL || h->resolver == NULL || !make_drains(h))
		return false;
	send_catalog(h);
	send_listing(&h->listing);
	timer_arm(h->loop, &h->tick, loop_now_us(h->loop) + TICK_US);
	return !h->owes_catalog && !h->owes_listing;
}

struct hub *hub_new(const struct hub_setup *setup)
{
	struct hub *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->loop = setup->loop;
	h->settings = settings_ref(setup->settings);
	h->desks = setup->desks;
	h->desk_n = setup->desk_n;
	mailbox_init(&h->common.hub, h->loop);
	logbook_init(&h->logbook, setup->log_fd, h->settings->log_level);
	h->logbook.cause_names = setup->cause_names;
	h->logbook.cause_n = setup->cause_n;
	timer_init(&h->listing, send_listing);
	timer_init(&h->tick, on_tick);
	if (start(h, setup))
		return h;
	hub_free(h);
	return NULL;
}

void hub_free(struct hub *h)
{
	if (h == NULL)
		return;
	drain_logs(h);
	logbook_finish(&h->logbook, wall_clock_us());
	timer_disarm(&h->listing);
	timer_disarm(&h->tick);
	resolver_free(h->resolver);
	mailbox_fini(&h->common.hub);
	free_drains(h);
	roster_free(h->roster);
	limits_free(h->common.limits);
	settings_unref(h->settings);
	free(h);
}

struct common *hub_common(struct hub *h)
{
	return &h->common;
}

void hub_drain(struct hub *h)
{
	for (unsigned i = 0; i < h->desk_n; i++) {
		if (h->drains[i] != NULL)
			order_send(&h->desks[i]->box, h->drains[i]);
		h->drains[i] = NULL;
	}
}

bool hub_is_drained(const struct hub *h)
{
	return h->drained >= h->desk_n;
}

size_t hub_players(const struct hub *h)
{
	return roster_count(h->roster);
}

#define COUNTER_NAME(name) #name,
static const char *const counter_names[] = {COUNTERS(COUNTER_NAME)};

/* Somebody asked for them, so they are shown whatever the level of the log is. */
void hub_log_counters(struct hub *h)
{
	enum log_level level = h->settings->log_level;
	uint64_t sums[COUNT_OF(counter_names)] = {0};
	char memory[LOG_LINE_MAX];
	struct text t = text_of(memory, sizeof(memory));

	for (unsigned i = 0; i < h->desk_n; i++) {
		unsigned at = 0;
#define ADD_COUNTER(name) \
	sums[at++] += atomic_load_explicit(&h->desks[i]->counters.name, memory_order_relaxed);
		COUNTERS(ADD_COUNTER)
#undef ADD_COUNTER
	}
	for (unsigned i = 0; i < COUNT_OF(sums); i++)
		text_printf(&t, " %s=%llu", counter_names[i], (unsigned long long)sums[i]);
	hub_log(h, level > LOG_INFO ? level : LOG_INFO, "msg=counters players=%zu connections=%u%s",
		hub_players(h), limits_connections(h->common.limits), memory);
}
