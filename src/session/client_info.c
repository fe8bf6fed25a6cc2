#include "session/client_info.h"

#include "minecraft/forge/fml.h"
#include "session/channels.h"
#include "session/session.h"
#include "session/worker.h"

enum { FML_LAST_ACK = 5 };

static bool is_channel(struct slice channel, const char *name)
{
	return slice_eq(channel, slice_str(name));
}

static void note_register(struct session *s, struct slice names)
{
	if (register_has(names, SLICE_LIT(FML_CHANNEL)))
		s->kept.flags |= KEPT_FORGE;
	channels_add(&s->cold->channels, names);
}

static void note_fml(struct session *s, struct slice data)
{
	s->kept.flags |= KEPT_FORGE;
	if (fml_kind_of(data) == FML_CLIENT_HELLO)
		s->kept.fml = FML_CLIENT_RUNNING;
	else if (fml_ack_phase(data) == FML_LAST_ACK)
		s->kept.fml = FML_CLIENT_DONE;
}

bool client_info_note(struct session *s, const struct frame *f, struct plugin_message *ret)
{
	if (f->id != PLAY_C_PLUGIN || !plugin_c_parse(ret, f->body))
		return false;
	if (is_channel(ret->channel, "REGISTER"))
		note_register(s, ret->data);
	else if (is_channel(ret->channel, "UNREGISTER"))
		channels_remove(&s->cold->channels, ret->data);
	else if (is_channel(ret->channel, FML_CHANNEL))
		note_fml(s, ret->data);
	return true;
}

static void push_register(struct session *s, struct slice names)
{
	struct plugin_message m = {.channel = SLICE_LIT("REGISTER"), .data = names};
	uint8_t *p = arena_alloc(&s->worker->links.turn, names.len + 32);
	struct writer w;

	if (p == NULL)
		return;
	w = writer_of(p, names.len + 32);
	plugin_c_write(&w, &m);
	link_push_copy(s->server, writer_slice(&w));
}

void client_info_replay_channels(struct session *s)
{
	_Static_assert((int)CHANNELS_MAX_BYTES <= (int)PLUGIN_C_DATA_MAX,
		       "one message holds them all");

	if (s->cold->channels.len > 0)
		push_register(s, buf_slice(&s->cold->channels));
}
