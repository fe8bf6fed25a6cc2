#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim_player.h"
#include "base/clock.h"
#include "minecraft/chat.h"
#include "minecraft/forge/fml.h"
#include "minecraft/handshake.h"
#include "minecraft/limbo.h"
#include "minecraft/login.h"
#include "sim_player_inner.h"
#include "sim_traffic.h"

enum {
	READ_TIMEOUT_US = 20 * US_PER_S, /* a client's own */
	QUIET_FIRST_US = US_PER_S,       /* no S 00, no S 40 for so long after Login Success */
	SLOW_TICK_US = 100 * US_PER_MS,
	SLOW_BYTES = 2000,
	MAIN_THREAD_US = 50 * US_PER_MS,
	OURS_FIRST = 0x4D420000,
	OURS_LAST = 0x4D42FFFF,
};

void sim_player_must(bool ok)
{
	if (!ok)
		abort();
}

static struct sim_world *world(const struct sim_player *p)
{
	return p->st->world;
}

void sim_player_at(struct sim_player *p, uint64_t in_us, void (*fn)(void *arg))
{
	sim_at(world(p), sim_now_us(world(p)) + in_us, fn, p);
}

void sim_player_send(struct sim_player *p, struct slice bytes)
{
	if (p->serial != 0)
		sim_player_must(buf_append(&p->sent, bytes));
	sim_actor_send(&p->actor, bytes);
}

static void send_plugin(struct sim_player *p, const char *channel, struct slice data)
{
	struct plugin_message m = {slice_str(channel), data};
	uint8_t memory[256];
	struct writer w = writer_of(memory, sizeof(memory));

	plugin_c_write(&w, &m);
	sim_player_must(!w.full);
	sim_player_send(p, writer_slice(&w));
}

/* What a client does at once at every Join Game. */
static void greet_world(struct sim_player *p)
{
	struct buf b = {0};

	sim_traffic_frame(world(p), &b, PLAY_C_SETTINGS, 1, 9);
	sim_player_send(p, buf_slice(&b));
	buf_fini(&b);
	send_plugin(p, "MC|Brand", p->forge ? SLICE_LIT("fml,forge") : SLICE_LIT("vanilla"));
}

static void say(struct sim_player *p, const char *text)
{
	uint8_t memory[128];
	struct writer w = writer_of(memory, sizeof(memory));
	size_t mark = frame_begin(&w, PLAY_C_CHAT);

	write_str(&w, slice_str(text));
	frame_end(&w, mark);
	sim_player_send(p, writer_slice(&w));
}

static void beat(void *arg)
{
	struct sim_player *p = arg;
	struct buf b = {0};

	if (p->actor.peer == NULL || p->left)
		return;
	if (p->opening) {
		/* Between Respawn and Join Game a client may still chat. */
	} else if (p->serial != 0 && p->vice == VICE_BAD_FRAME && sim_dice(world(p), 10) == 0) {
		sim_actor_send(&p->actor, slice_of("", 1));
	} else if (p->serial != 0) {
		sim_traffic_client(world(p), &b, 1 + sim_dice(world(p), 3), p->big_bytes);
		sim_player_send(p, buf_slice(&b));
	} else if (p->in_world) {
		say(p, "hold: hello");
		sim_traffic_frame(world(p), &b, 0x03, 1, 33);
		sim_traffic_frame(world(p), &b, SIM_HOLD_ID, 1, sim_dice(world(p), p->big_bytes));
		sim_player_send(p, buf_slice(&b));
	}
	buf_fini(&b);
	sim_player_at(p, p->beat_us + sim_dice(world(p), 1000), beat);
}

static void slow_read(void *arg)
{
	struct sim_player *p = arg;

	sim_actor_read(&p->actor, SLOW_BYTES);
	sim_player_on_input(p);
	if (p->actor.peer != NULL)
		sim_player_at(p, SLOW_TICK_US, slow_read);
}

static void first_world(struct sim_player *p)
{
	if (p->vice == VICE_NEVER_READS)
		p->actor.no_reading = true;
	if (p->vice == VICE_SLOW && !p->actor.no_reading) {
		p->actor.no_reading = true;
		sim_player_at(p, SLOW_TICK_US, slow_read);
	}
	if (p->vice != VICE_MUTE)
		sim_player_at(p, p->beat_us, beat);
}

static void on_join(struct sim_player *p, const struct sim_frame *f)
{
	struct join_game j;
	bool first = !p->in_world;

	sim_player_must(join_game_parse(&j, f->body));
	p->from_hold = !first;
	p->in_world = true;
	p->opening = false;
	p->respawns = 0;
	p->dimension = j.dimension;
	if (j.entity == LIMBO_ENTITY) {
		stage_check(p->st, first, "%s: HOLD's world again", p->name);
		p->held++;
		if (p->forge && p->fml == FML_CLIENT_START)
			send_plugin(p, "REGISTER", SLICE_LIT("FML|HS\0FML\0FORGE"));
		p->fml = FML_CLIENT_DONE;
	} else {
		stage_check(p->st, p->serial == 0, "%s: two Join Games", p->name);
		p->serial = j.entity;
		if (p->fml != FML_CLIENT_RUNNING)
			p->fml = FML_CLIENT_DONE;
	}
	if (p->vice != VICE_MUTE)
		greet_world(p);
	if (first)
		first_world(p);
}

static bool is_ours(int32_t id)
{
	return id >= OURS_FIRST && id <= OURS_LAST;
}

static void on_alive(struct sim_player *p, const struct sim_frame *f)
{
	uint8_t memory[16];
	struct writer w = writer_of(memory, sizeof(memory));
	int32_t id;

	if (!keep_alive_parse(&id, f->body))
		return;
	if (is_ours(id)) {
		p->ours++;
		p->ours_us = sim_now_us(world(p));
	}
	if (p->vice == VICE_MUTE)
		return;
	stage_check(p->st, !is_ours(id) || p->serial == 0, "%s: our keep-alive in PLAY", p->name);
	keep_alive_write(&w, id);
	if (is_ours(id))
		sim_actor_send(&p->actor, writer_slice(&w));
	else
		sim_player_send(p, writer_slice(&w));
}

static void answer_late(void *arg)
{
	struct sim_player *p = arg;

	p->respawn_undone = false;
	if (p->late.len > 0)
		sim_actor_send(&p->actor, buf_slice(&p->late));
	p->late.len = 0;
}

/* Drawing worlds and answering transactions is the main thread's: later. */
static void on_transaction(struct sim_player *p, const struct sim_frame *f)
{
	struct transaction t;
	uint8_t memory[16];
	struct writer w = writer_of(memory, sizeof(memory));
	size_t mark;

	if (p->serial != 0 || !transaction_parse(&t, f->body) || t.accepted)
		return;
	mark = frame_begin(&w, PLAY_C_TRANSACTION);
	write_u8(&w, t.window);
	write_u16(&w, (uint16_t)t.action);
	write_bool(&w, true);
	frame_end(&w, mark);
	sim_player_must(buf_append(&p->late, writer_slice(&w)));
	sim_player_at(p, MAIN_THREAD_US, answer_late);
}

static void on_respawn(struct sim_player *p, const struct sim_frame *f)
{
	struct respawn r;

	sim_player_must(respawn_parse(&r, f->body));
	stage_check(p->st, p->in_world, "%s: Respawn in no world", p->name);
	/* A Forge client gets its Join Game as it is, and the Respawn into the target behind it. */
	stage_check(p->st, r.dimension != p->dimension || (p->forge && p->serial != 0),
		    "%s: Respawn into the same dimension %d", p->name, r.dimension);
	p->dimension = r.dimension;
	p->respawns++;
	p->opening = p->serial == 0;
	p->respawn_undone = p->opening;
}

static void send_mods(struct sim_player *p)
{
	static const uint8_t hello[] = {FML_CLIENT_HELLO, 2};
	static const uint8_t mods[] = {FML_MOD_LIST, 1,   3,   'F', 'M', 'L', 9,   '7', '.',
				       '1',          '0', '.', '9', '9', '.', '9', '9'};

	send_plugin(p, "REGISTER", SLICE_LIT("FML|HS\0FML\0FORGE"));
	send_plugin(p, FML_CHANNEL, slice_of(hello, sizeof(hello)));
	send_plugin(p, FML_CHANNEL, slice_of(mods, sizeof(mods)));
}

static void send_ack(struct sim_player *p, uint8_t phase)
{
	uint8_t ack[] = {FML_ACK, phase};

	send_plugin(p, FML_CHANNEL, slice_of(ack, sizeof(ack)));
}

/* The network thread's: at once. */
static void on_fml(struct sim_player *p, struct slice data)
{
	enum fml_kind kind = fml_kind_of(data);

	if (kind == FML_RESET) {
		stage_check(p->st, p->fml == FML_CLIENT_DONE, "%s: reset in state %d", p->name,
			    p->fml);
		stage_check(p->st, !p->respawn_undone, "%s: reset under an old world", p->name);
		p->fml = FML_CLIENT_WAITING_HELLO;
		p->was_reset = true;
	} else if (kind == FML_SERVER_HELLO) {
		stage_check(p->st, p->fml != FML_CLIENT_DONE && p->fml != FML_CLIENT_RUNNING,
			    "%s: ServerHello in state %d", p->name, p->fml);
		p->fml = FML_CLIENT_RUNNING;
		send_mods(p);
	} else if (kind == FML_MOD_LIST) {
		send_ack(p, 2);
	} else if (fml_ack_phase(data) == 2) {
		send_ack(p, 3);
		send_ack(p, 4);
	} else if (fml_ack_phase(data) == 3) {
		send_ack(p, 5);
		p->fml = FML_CLIENT_DONE;
	}
}

static void on_plugin(struct sim_player *p, const struct sim_frame *f)
{
	struct plugin_message m;

	if (p->forge && p->serial == 0 && p->vice != VICE_MUTE && plugin_s_parse(&m, f->body) &&
	    slice_eq(m.channel, SLICE_LIT(FML_CHANNEL)))
		on_fml(p, m.data);
}

static void note_text(struct sim_player *p, struct slice json)
{
	struct buf plain = {0};
	size_t n;

	sim_player_must(chat_plain(&plain, json));
	stage_check(p->st, plain.len > 0, "%s: an empty reason", p->name);
	n = plain.len < sizeof(p->text) ? plain.len : sizeof(p->text) - 1;
	memcpy(p->text, plain.p, n);
	p->text[n] = '\0';
	p->told = true;
	buf_fini(&plain);
}

static void check_first_second(const struct sim_player *p, const struct sim_frame *f)
{
	bool early = sim_now_us(world(p)) < p->success_us + QUIET_FIRST_US;
	int32_t id = 0;

	if (!early || p->actor.no_reading)
		return;
	if (f->id == PLAY_S_KEEP_ALIVE)
		stage_check(p->st, !keep_alive_parse(&id, f->body) || !is_ours(id),
			    "%s: keep-alive in the first second", p->name);
	else
		stage_check(p->st, f->id != PLAY_S_KICK || p->serial != 0,
			    "%s: kick in the first second", p->name);
}

static void on_play(struct sim_player *p, const struct sim_frame *f)
{
	struct slice json;

	check_first_second(p, f);
	if (p->serial != 0 && !(f->id == PLAY_S_RESPAWN && p->from_hold && p->got.len == 0))
		sim_player_must(buf_append(&p->got, f->wire));
	switch (f->id) {
	case PLAY_S_KEEP_ALIVE:
		on_alive(p, f);
		break;
	case PLAY_S_JOIN_GAME:
		on_join(p, f);
		break;
	case PLAY_S_RESPAWN:
		on_respawn(p, f);
		break;
	case PLAY_S_TRANSACTION:
		on_transaction(p, f);
		break;
	case PLAY_S_PLUGIN:
		on_plugin(p, f);
		break;
	case PLAY_S_KICK:
		sim_player_must(kick_parse(&json, f->body));
		note_text(p, json);
		break;
	default:
		break;
	}
}

static void on_login(struct sim_player *p, const struct sim_frame *f)
{
	struct slice json;

	if (f->id == LOGIN_S_DISCONNECT) {
		sim_player_must(login_disconnect_parse(&json, f->body));
		note_text(p, json);
		return;
	}
	stage_check(p->st, f->id == LOGIN_S_SUCCESS, "%s: id %d in its login", p->name, f->id);
	p->success = true;
	p->success_us = sim_now_us(world(p));
}

static bool speaks_minecraft(const struct sim_player *p)
{
	return p->vice != VICE_STATUS && p->vice != VICE_LEGACY_PING && p->vice != VICE_HTTP;
}

void sim_player_on_input(struct sim_player *p)
{
	uint64_t now_us = sim_now_us(world(p));
	struct sim_frame f;

	stage_check(p->st,
		    p->actor.no_reading || p->excused || !p->success ||
			    now_us < p->heard_us + READ_TIMEOUT_US,
		    "%s: read nothing for 20 s", p->name);
	if (p->success && now_us - p->heard_us > p->silence_us)
		p->silence_us = now_us - p->heard_us;
	p->heard_us = now_us;
	p->answered = p->answered || p->actor.in.len > 0 || p->actor.ws_head.len > 0;
	while (speaks_minecraft(p) && p->actor.peer != NULL && sim_actor_next(&p->actor, &f)) {
		stage_check(p->st, !p->told, "%s: frame %d after the last words", p->name, f.id);
		if (p->success)
			on_play(p, &f);
		else
			on_login(p, &f);
	}
	if (p->actor.eof && !p->gone) {
		p->gone = true;
		p->gone_us = now_us;
		sim_actor_close(&p->actor);
	}
}
