#include "session/admit.h"

#include "base/format.h"
#include "minecraft/login.h"
#include "minecraft/profile.h"
#include "session/alive.h"
#include "session/place.h"
#include "session/session.h"
#include "session/worker.h"

static void claim_name(struct session *s)
{
	struct order *o = order_new(ORDER_CLAIM, s->kept.conn);

	if (o == NULL) {
		session_end(s, END_OUT_OF_MEMORY);
		return;
	}
	o->worker = s->worker->index;
	o->addr = s->kept.addr;
	memcpy(o->uuid, s->kept.uuid, sizeof(o->uuid));
	memcpy(o->name, s->kept.name, sizeof(o->name));
	s->claiming = true;
	worker_tell_hub(s->worker, o);
}

static void refuse_name(struct session *s, struct slice name)
{
	char shown[96], raw[96];
	struct text t = text_of(shown, sizeof(shown)), r = text_of(raw, sizeof(raw));

	/* The player reads it escaped; the log escapes by itself. */
	text_put_value(&t, name);
	text_put(&r, name);
	session_end_with(s, END_NAME_BAD, &(struct end_detail){.name = shown, .reason = raw});
}

enum verdict admit_on_frame(struct session *s, const struct frame *f)
{
	struct slice name;

	if (f->id != LOGIN_C_START || s->claiming || !login_start_parse(&name, f->body)) {
		session_end(s, END_PACKET_BAD);
		return VERDICT_DROP;
	}
	if (!player_name_is_valid(name)) {
		refuse_name(s, name);
		return VERDICT_DROP;
	}
	memcpy(s->kept.name, name.p, name.len);
	if (uuid_offline(s->kept.uuid, name))
		claim_name(s);
	else
		session_end(s, END_OUT_OF_MEMORY);
	return VERDICT_DROP;
}

static void send_success(struct session *s)
{
	uint8_t memory[128];
	struct writer w = writer_of(memory, sizeof(memory));

	login_success_write(&w, s->kept.version, s->kept.uuid, slice_str(s->kept.name));
	link_push_copy(s->player, writer_slice(&w));
	s->kept.success_us = session_now_us(s);
	s->from_player.cap = FRAME_MAX_BYTES;
}

void admit_on_claimed(struct session *s, struct order *o)
{
	if (!o->granted) {
		order_free(o);
		session_end(s, END_NAME_TAKEN);
		return;
	}
	s->cold->claim = o;
	counter_add(&s->worker->desk->counters.logins, 1);
	send_success(s);
	session_enter(s, PHASE_PLACE);
	alive_start(s);
	place_start(s);
}
