#include "session/server_list.h"

#include "minecraft/status.h"
#include "minecraft/version.h"
#include "session/session.h"
#include "session/worker.h"

static void push_answer(struct session *s, enum listing_kind kind)
{
	const struct listing *l = s->worker->listing;

	/* Memory was out when it was to be made: the next one comes within a second. */
	if (l == NULL) {
		session_end(s, END_OUT_OF_MEMORY);
		return;
	}
	/* Copied: the worker may drop this listing before a slow reader has taken all. */
	link_push_copy(s->player, l->answers[kind]);
}

static void answer_request(struct session *s)
{
	counter_add(&s->worker->desk->counters.status_requests, 1);
	push_answer(s, s->kept.version == VERSION_1_7_2 ? LISTING_1_7_2 : LISTING_1_7_6);
}

static void answer_ping(struct session *s, int64_t payload)
{
	uint8_t memory[16];
	struct writer w = writer_of(memory, sizeof(memory));

	status_pong_write(&w, payload);
	link_push_copy(s->player, writer_slice(&w));
	session_end(s, END_STATUS_DONE);
}

enum verdict server_list_on_frame(struct session *s, const struct frame *f)
{
	int64_t payload;

	if (f->id == STATUS_C_REQUEST && !s->status_asked) {
		s->status_asked = true;
		answer_request(s);
	} else if (f->id == STATUS_C_PING && status_ping_parse(&payload, f->body)) {
		answer_ping(s, payload);
	} else {
		session_end(s, END_STATUS_DONE);
	}
	return VERDICT_DROP;
}

void server_list_legacy(struct session *s, bool modern)
{
	counter_add(&s->worker->desk->counters.legacy_pings, 1);
	push_answer(s, modern ? LISTING_LEGACY_MODERN : LISTING_LEGACY);
	session_end(s, END_STATUS_DONE);
}
