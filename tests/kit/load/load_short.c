/* Short connections: status requests as fast as they go, and connect-and-close. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_AFTER_ERRORS 1000

static struct {
	const struct options *o;
	uint64_t end_us;
	unsigned started, done, failed, open;
	bool is_over; /* what is still open counts neither way */
	uint64_t answers;
	struct samples times;
	const char *reason;
} all;

struct slot {
	struct conn conn;
	uint64_t dialled_us;
	bool answered;
};

static struct slot *slot_of(struct conn *c)
{
	return (struct slot *)(void *)((char *)c - offsetof(struct slot, conn));
}

static void fail(const char *why)
{
	if (all.is_over)
		return;
	all.failed++;
	if (!all.reason)
		all.reason = why;
}

static bool may_dial(void)
{
	if (all.is_over || load_is_stopped || now_us() >= all.end_us ||
	    all.failed > PAUSE_AFTER_ERRORS)
		return false;
	return !all.o->count || all.started < all.o->count;
}

static void dial(struct slot *s, const struct conn_ops *ops)
{
	while (may_dial()) {
		*s = (struct slot){.dialled_us = now_us()};
		int err = conn_dial(&s->conn, ops, &all.o->to, all.started++);
		if (err == 0) {
			all.open++;
			return;
		}
		fail(strerror(-err));
	}
}

static void run_slots(const struct conn_ops *ops, struct slot *slots)
{
	for (unsigned i = 0; i < all.o->players; i++)
		dial(&slots[i], ops);
	while (all.open && now_us() < all.end_us && !load_is_stopped)
		conn_poll(20);
	all.is_over = true;
	for (unsigned i = 0; i < all.o->players; i++)
		conn_abort(&slots[i].conn, "over");
}

/* ---- status ---- */

static void status_open(struct conn *c)
{
	struct bytes out = {0};

	add_handshake(&out, all.o, 1);
	bytes_add(&out, "\x01\x00", 2);
	conn_send(c, &out);
	bytes_free(&out);
}

static bool status_frame(struct conn *c, const uint8_t *body, size_t n)
{
	struct slot *s = slot_of(c);

	if (n < 4 || body[0] != 0x00 || body[n - 1] != '}')
		return false;
	s->answered = true;
	all.answers++;
	samples_add(&all.times, now_us() - s->dialled_us);
	conn_abort(c, "answered");
	return true;
}

static const struct conn_ops status_ops;

static void status_close(struct conn *c, const char *why)
{
	struct slot *s = slot_of(c);

	all.open--;
	all.done++;
	if (!s->answered)
		fail(why);
	dial(s, &status_ops);
}

static const struct conn_ops status_ops = {
	.on_open = status_open, .on_frame = status_frame, .on_close = status_close};

int run_status(const struct options *o)
{
	struct slot *slots = calloc(o->players, sizeof(*slots));
	uint64_t start = now_us();

	if (!slots)
		return 1;
	all.o = o;
	all.end_us = start + o->seconds * 1000000ull;
	run_slots(&status_ops, slots);
	double seconds = (double)(now_us() - start) / 1e6;
	printf("{\"mode\":\"status\",\"ok\":%s,\"answers\":%llu,\"failed\":%u,\"seconds\":%.2f,"
	       "\"perSecond\":%.0f,\"p50Ms\":%.3f,\"p99Ms\":%.3f,\"reason\":",
	       all.failed ? "false" : "true", (unsigned long long)all.answers, all.failed, seconds,
	       (double)all.answers / seconds, samples_ms(&all.times, 0.5),
	       samples_ms(&all.times, 0.99));
	print_json_text(all.reason ? all.reason : "");
	printf("}\n");
	samples_free(&all.times);
	free(slots);
	return all.failed || !all.answers;
}

/* ---- churn ---- */

static void churn_open(struct conn *c)
{
	struct bytes out = {0};

	slot_of(c)->answered = true;
	for (unsigned i = 0; i < all.o->junk; i++)
		bytes_add_u8(&out, (uint8_t)(i * 151 + 0x7b));
	conn_send(c, &out);
	bytes_free(&out);
	if (all.o->reset)
		conn_abort(c, "done");
	else
		conn_close(c, "done");
}

static bool churn_frame(struct conn *c, const uint8_t *body, size_t n)
{
	(void)c;
	(void)body;
	(void)n;
	return true;
}

static const struct conn_ops churn_ops;

static void churn_close(struct conn *c, const char *why)
{
	struct slot *s = slot_of(c);

	all.open--;
	if (s->answered)
		all.done++;
	else
		fail(why);
	dial(s, &churn_ops);
}

static const struct conn_ops churn_ops = {
	.on_open = churn_open, .on_frame = churn_frame, .on_close = churn_close};

int run_churn(const struct options *o)
{
	struct slot *slots = calloc(o->players, sizeof(*slots));
	uint64_t start = now_us();

	if (!slots)
		return 1;
	all.o = o;
	all.end_us = start + o->timeout_s * 1000000ull;
	run_slots(&churn_ops, slots);
	bool ok = all.done == o->count;
	printf("{\"mode\":\"churn\",\"ok\":%s,\"connections\":%u,\"failed\":%u,"
	       "\"seconds\":%.2f,\"reason\":",
	       ok ? "true" : "false", all.done, all.failed, (double)(now_us() - start) / 1e6);
	print_json_text(all.reason ? all.reason : "");
	printf("}\n");
	free(slots);
	return ok ? 0 : 1;
}
