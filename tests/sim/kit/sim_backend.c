/*
 *   accept, handshake + start -> success -> [REGISTER, Hello; C list -> ModList; C Ack 2 -> Ids,
 *   Ack 2; C Ack -> Ack 3] -> Join Game -> traffic
 */
#include <errno.h>
#include <stdlib.h>

#include "sim_backend.h"
#include "base/clock.h"
#include "minecraft/chat.h"
#include "minecraft/forge/fml.h"
#include "minecraft/handshake.h"
#include "minecraft/login.h"
#include "minecraft/profile.h"
#include "minecraft/reader.h"
#include "sim_traffic.h"

enum { SERIAL_FIRST = 100, STEPS = 12, FLOOD_AHEAD = 100000, FLOOD_FRAME = 30000 };

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void beat(void *arg);

static struct sim_world *world(const struct sim_backend_conn *c)
{
	return c->backend->st->world;
}

static void send_frames(struct sim_backend_conn *c, struct slice bytes)
{
	if (c->joined && !c->ended)
		must(buf_append(&c->sent, bytes));
	sim_actor_send(&c->actor, bytes);
}

static void kick(struct sim_backend_conn *c)
{
	uint8_t memory[128];
	struct writer w = writer_of(memory, sizeof(memory));
	struct slice json = SLICE_LIT("{\"text\":\"kicked by the backend\"}");

	if (c->login_done)
		kick_write(&w, json);
	else
		login_disconnect_write(&w, json);
	send_frames(c, writer_slice(&w));
	c->ended = true;
	sim_actor_finish(&c->actor);
}

static void die_torn(struct sim_backend_conn *c)
{
	struct buf b = {0};

	sim_traffic_frame(world(c), &b, 0x26, 1, 3000);
	c->ended = true;
	sim_actor_send(&c->actor, slice_of(b.p, 1 + sim_dice(world(c), 2000)));
	sim_actor_finish(&c->actor);
	buf_fini(&b);
}

static void die(struct sim_backend_conn *c)
{
	static const uint8_t garbage[] = {0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 2, 3};

	switch (c->trick) {
	case TRICK_FIN:
		c->ended = true;
		sim_actor_finish(&c->actor);
		break;
	case TRICK_RST:
		c->ended = true;
		/* What the socket has not taken dies with it. */
		c->sent.len -= c->actor.out.len < c->sent.len ? c->actor.out.len : c->sent.len;
		sim_actor_reset(&c->actor);
		break;
	case TRICK_TORN:
		die_torn(c);
		break;
	case TRICK_KICK:
		kick(c);
		break;
	case TRICK_GARBAGE:
		c->ended = true;
		sim_actor_send(&c->actor, slice_of(garbage, sizeof(garbage)));
		break;
	case TRICK_NONE:
	case TRICK_KICK_LOGIN:
	case TRICK_ENCRYPTION:
	case TRICK_HANG:
	case TRICK_SLOW:
	case TRICK_HUGE:
	case TRICK_DEAF:
	case TRICK_COUNT:
		break;
	}
}

/* True: goes on. */
static bool may_go_on(struct sim_backend_conn *c)
{
	bool deadly = c->trick >= TRICK_FIN && c->trick <= TRICK_GARBAGE;

	if (c->ended || c->actor.peer == NULL)
		return false;
	if (!deadly || c->step++ != c->die_at)
		return true;
	die(c);
	return false;
}

static void send_plugin(struct sim_backend_conn *c, const char *channel, struct slice data)
{
	struct plugin_message m = {slice_str(channel), data};
	uint8_t memory[256];
	struct writer w = writer_of(memory, sizeof(memory));

	plugin_s_write(&w, &m);
	must(!w.full);
	send_frames(c, writer_slice(&w));
}

static void send_hello(struct sim_backend_conn *c)
{
	uint8_t hello[6] = {FML_SERVER_HELLO, 2};
	int32_t override = c->backend->dimension;

	hello[2] = (uint8_t)((uint32_t) override >> 24);
	hello[3] = (uint8_t)((uint32_t) override >> 16);
	hello[4] = (uint8_t)((uint32_t) override >> 8);
	hello[5] = (uint8_t) override;
	send_plugin(c, "REGISTER", SLICE_LIT("FML|HS\0FML\0FORGE"));
	send_plugin(c, FML_CHANNEL, slice_of(hello, 6));
}

static void send_join(void *arg)
{
	struct sim_backend_conn *c = arg;
	struct join_game j = {.entity = c->serial,
			      .gamemode = (uint8_t)sim_dice(world(c), 2),
			      .dimension = c->backend->dimension,
			      .difficulty = 1,
			      .max_players = 20,
			      .level_type = SLICE_LIT("default")};
	uint8_t memory[128];
	struct writer w = writer_of(memory, sizeof(memory));
	struct buf b = {0};

	if (!may_go_on(c))
		return;
	join_game_write(&w, &j);
	send_frames(c, writer_slice(&w));
	c->joined = true;
	sim_traffic_frame(world(c), &b, PLAY_S_SPAWN_POINT, 1, 12);
	sim_traffic_frame(world(c), &b, PLAY_S_POSITION, 1, 33);
	send_frames(c, buf_slice(&b));
	buf_fini(&b);
	if (c->trick == TRICK_DEAF)
		c->actor.no_reading = true;
	if (may_go_on(c))
		beat(c);
}

static void join_soon(struct sim_backend_conn *c)
{
	uint64_t in_us = 1000;

	if (c->join_due)
		return;
	c->join_due = true;
	if (c->trick == TRICK_SLOW)
		in_us = US_PER_S + sim_dice(world(c), 39 * US_PER_S);
	sim_at(world(c), sim_now_us(world(c)) + in_us, send_join, c);
}

static void send_success(struct sim_backend_conn *c)
{
	uint8_t memory[128], uuid[16];
	struct writer w = writer_of(memory, sizeof(memory));

	must(uuid_offline(uuid, slice_str(c->name)));
	login_success_write(&w, VERSION_1_7_6, uuid, slice_str(c->name));
	sim_actor_send(&c->actor, writer_slice(&w));
	c->login_done = true;
	if (!may_go_on(c))
		return;
	if (c->backend->forge)
		send_hello(c);
	else
		join_soon(c);
}

static void ask_encryption(struct sim_backend_conn *c)
{
	static const uint8_t request[] = {9, 1, 0, 0, 2, 1, 2, 0, 1, 7};

	sim_actor_send(&c->actor, slice_of(request, sizeof(request)));
}

static void on_login(struct sim_backend_conn *c, const struct sim_frame *f)
{
	struct handshake h;
	struct slice name;

	if (c->player == 0) {
		must(f->id == HANDSHAKE_ID && handshake_parse(&h, f->body));
		c->player = h.port;
		return;
	}
	must(f->id == LOGIN_C_START && login_start_parse(&name, f->body) &&
	     name.len < sizeof(c->name));
	memcpy(c->name, name.p, name.len);
	if (c->trick == TRICK_HANG || !may_go_on(c))
		return;
	if (c->trick == TRICK_KICK_LOGIN)
		kick(c);
	else if (c->trick == TRICK_ENCRYPTION)
		ask_encryption(c);
	else
		send_success(c);
}

static void on_fml(struct sim_backend_conn *c, struct slice data)
{
	static const uint8_t list[] = {FML_MOD_LIST, 0}, ids[] = {FML_MOD_IDS, 1, 2, 3, 4};
	static const uint8_t ack2[] = {FML_ACK, 2}, ack3[] = {FML_ACK, 3};

	if (!may_go_on(c))
		return;
	if (fml_kind_of(data) == FML_MOD_LIST) {
		send_plugin(c, FML_CHANNEL, slice_of(list, sizeof(list)));
	} else if (fml_ack_phase(data) == 2) {
		send_plugin(c, FML_CHANNEL, slice_of(ids, sizeof(ids)));
		send_plugin(c, FML_CHANNEL, slice_of(ack2, sizeof(ack2)));
	} else if (fml_ack_phase(data) == 4) {
		send_plugin(c, FML_CHANNEL, slice_of(ack3, sizeof(ack3)));
		send_plugin(c, "FORGE", SLICE_LIT("\1dimensions"));
	} else if (fml_ack_phase(data) == 5) {
		join_soon(c);
	}
}

/* Channel names are replayed by the proxy, and chat of before is handed on late. */
static bool is_of_before(const struct sim_frame *f)
{
	struct plugin_message m;
	struct reader r = reader_of(f->body);

	if (f->id == SIM_HOLD_ID)
		return true;
	if (f->id == PLAY_C_CHAT)
		return slice_starts(read_str(&r, 100), SLICE_LIT("hold:"));
	return f->id == PLAY_C_PLUGIN && plugin_c_parse(&m, f->body) &&
	       slice_eq(m.channel, SLICE_LIT("REGISTER"));
}

static void on_play(struct sim_backend_conn *c, const struct sim_frame *f)
{
	struct plugin_message m;

	if (c->joined) {
		if (!is_of_before(f))
			must(buf_append(&c->got, f->wire));
		return;
	}
	if (f->id == PLAY_C_PLUGIN && plugin_c_parse(&m, f->body) &&
	    slice_eq(m.channel, SLICE_LIT(FML_CHANNEL)))
		on_fml(c, m.data);
}

static void on_event(struct sim_peer *p, unsigned events)
{
	struct sim_backend_conn *c = p->arg;
	struct sim_frame f;

	sim_actor_on_event(&c->actor, events);
	while (c->actor.peer != NULL && sim_actor_next(&c->actor, &f)) {
		if (c->login_done)
			on_play(c, &f);
		else
			on_login(c, &f);
	}
	if (c->actor.eof)
		sim_actor_close(&c->actor);
}

static const struct sim_peer_ops ops = {on_event};

/* As much as the connection takes. True: there is more to come. */
static bool flood(struct sim_backend_conn *c)
{
	struct buf b = {0};

	while (c->sent.len < c->backend->flood_bytes && c->actor.out.len < FLOOD_AHEAD) {
		b.len = 0;
		sim_traffic_frame(world(c), &b, 0x26, 1, FLOOD_FRAME);
		send_frames(c, buf_slice(&b));
	}
	buf_fini(&b);
	return c->sent.len < c->backend->flood_bytes;
}

static void beat(void *arg)
{
	struct sim_backend_conn *c = arg;
	struct sim_backend *back = c->backend;
	uint64_t next_us = back->beat_us + sim_dice(world(c), 1000);
	struct buf b = {0};

	if (!may_go_on(c))
		return;
	if (c->trick == TRICK_HUGE)
		sim_traffic_frame(world(c), &b, 0x26, 1, 2097150);
	c->trick = c->trick == TRICK_HUGE ? TRICK_NONE : c->trick;
	if (flood(c))
		next_us = 1000;
	else if (c->actor.out.len < FLOOD_AHEAD)
		sim_traffic_server(world(c), &b, 1 + sim_dice(world(c), back->burst),
				   back->big_bytes);
	send_frames(c, buf_slice(&b));
	buf_fini(&b);
	sim_at(world(c), sim_now_us(world(c)) + next_us, beat, c);
}

static enum sim_trick choose_trick(const struct sim_backend *b)
{
	enum sim_trick trick = TRICK_NONE;

	if (sim_dice(b->st->world, 1000) >= b->trick_per_mille)
		return trick;
	do {
		trick = (enum sim_trick)sim_dice(b->st->world, TRICK_COUNT);
	} while (b->tricks != 0 && !(b->tricks >> trick & 1));
	return trick;
}

static void on_accept(void *arg, struct sim_peer *p)
{
	struct sim_backend *b = arg;
	struct sim_backend_conn *c = calloc(1, sizeof(*c));

	must(c != NULL);
	b->conns = realloc(b->conns, (b->n + 1) * sizeof(*b->conns));
	must(b->conns != NULL);
	b->conns[b->n] = c;
	c->backend = b;
	b->n++;
	c->serial = SERIAL_FIRST + b->st->last_serial++;
	c->trick = choose_trick(b);
	c->die_at = sim_dice(b->st->world, STEPS);
	c->actor.peer = p;
	p->ops = &ops;
	p->arg = c;
	(void)may_go_on(c);
}

void sim_backend_open(struct sim_backend *b)
{
	b->beat_us = b->beat_us == 0 ? 100 * US_PER_MS : b->beat_us;
	b->burst = b->burst == 0 ? 4 : b->burst;
	b->big_bytes = b->big_bytes == 0 ? 3000 : b->big_bytes;
	sim_listen(b->st->world, b->at, on_accept, b);
}

void sim_backend_close(struct sim_backend *b)
{
	sim_unlisten(b->st->world, b->at);
}

struct sim_backend_conn *sim_backend_find(struct sim_backend *b, int32_t serial)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->conns[i]->serial == serial)
			return b->conns[i];
	}
	return NULL;
}

void sim_backend_fini(struct sim_backend *b)
{
	for (size_t i = 0; i < b->n; i++) {
		sim_actor_fini(&b->conns[i]->actor);
		buf_fini(&b->conns[i]->sent);
		buf_fini(&b->conns[i]->got);
		free(b->conns[i]);
	}
	free(b->conns);
	b->conns = NULL;
	b->n = 0;
}
