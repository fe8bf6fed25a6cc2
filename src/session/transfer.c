#include "session/transfer.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/format.h"
#include "minecraft/forge/fml.h"
#include "minecraft/play.h"
#include "session/alive.h"
#include "session/client_info.h"
#include "session/opening.h"
#include "session/relay.h"
#include "session/session.h"
#include "session/worker.h"

enum {
	BARRIER_ACTION = 0x4D42,
	BARRIER_US = 5 * US_PER_S,
	SETTLE_US = 5 * US_PER_S,
	FORGE_ANSWER_US = 10 * US_PER_S, /* a ServerHello to a vanilla client is never answered */
	OUTBOX_MAX = 256 * 1024,
};

/* Of a handshake in all, whatever progress it makes. */
static const uint64_t OPENING_MAX_US = 600 * US_PER_S;

enum step { LEAVING, OPENING, SETTLING };

struct transfer {
	struct session *session;
	struct timer timer; /* the step's own limit */
	uint64_t begun_us;
	uint64_t progress_us; /* the server's last frame that is no keep-alive */
	enum step step;
	bool first; /* out of nowhere: nothing to leave, nothing to drop */
	bool joined;
	bool greeted;      /* a ServerHello of this server passed */
	bool fml;          /* its handshake began: a reset was sent where one was due */
	bool placed;       /* an S 08 of the new world passed */
	struct buf held;   /* server frames that wait for the barrier */
	struct buf outbox; /* client frames that wait for the new world */
};

void transfer_free(struct transfer *t)
{
	if (t == NULL)
		return;
	timer_disarm(&t->timer);
	buf_fini(&t->held);
	buf_fini(&t->outbox);
	free(t);
}

bool transfer_has_joined(const struct transfer *t)
{
	return t != NULL && t->joined;
}

static struct transfer *of(struct session *s)
{
	return s->cold->transfer;
}

static void push_respawn(struct session *s, const struct respawn *r)
{
	uint8_t memory[96];
	struct writer w = writer_of(memory, sizeof(memory));

	respawn_write(&w, r);
	link_push_copy(s->player, writer_slice(&w));
	s->kept.dimension = r->dimension;
	s->kept.flags &= (uint16_t)~KEPT_POSITIONED;
}

static void arm(struct transfer *t, uint64_t in_us)
{
	timer_arm(t->session->worker->loop, &t->timer, session_now_us(t->session) + in_us);
}

/* The move is over: the relay has it. */
static void settle(struct session *s)
{
	transfer_free(of(s));
	s->cold->transfer = NULL;
	session_enter(s, PHASE_PLAY);
	counter_add(&s->worker->desk->counters.joins, 1);
	session_log(s, LOG_INFO, 0, "player joined", "dimension=%d forge=%d", s->kept.dimension,
		    (s->kept.flags & KEPT_FORGE) != 0);
	alive_wake(s);
}

static void stop_waiting_for_barrier(struct session *s)
{
	struct transfer *t = of(s);
	struct buf held = t->held;
	uint8_t *p = arena_alloc(&s->worker->links.turn, held.len + 1);

	t->step = OPENING;
	t->held = (struct buf){0};
	timer_disarm(&t->timer);
	if (p == NULL) {
		buf_fini(&held);
		session_end(s, END_OUT_OF_MEMORY);
		return;
	}
	if (held.len > 0)
		memcpy(p, held.p, held.len);
	session_resume_server(s, PAUSE_MOVE);
	relay_from_server(s, slice_of(p, held.len));
	buf_fini(&held);
}

static void on_timer(struct timer *timer)
{
	struct transfer *t = CONTAINER_OF(timer, struct transfer, timer);

	switch (t->step) {
	case LEAVING:
		stop_waiting_for_barrier(t->session);
		break;
	case OPENING:
		if (!(t->session->kept.flags & KEPT_FORGE))
			session_end(t->session, END_FORGE_NEEDED);
		break;
	case SETTLING:
		settle(t->session);
		break;
	}
}

static void push_barrier(struct session *s)
{
	struct transaction barrier = {.window = 0, .action = BARRIER_ACTION, .accepted = false};
	uint8_t memory[16];
	struct writer w = writer_of(memory, sizeof(memory));

	transaction_write(&w, &barrier);
	link_push_copy(s->player, writer_slice(&w));
}

/* Where the server will put the player is not known yet; that its ServerHello may name it costs a
 * look. */
static void leave_old_world(struct session *s)
{
	struct transfer *t = of(s);
	struct respawn out = {
		.dimension = opening_elsewhere(s->kept.dimension, 0),
		.difficulty = 0,
		.gamemode = 2,
		.level_type = SLICE_LIT("default"),
	};

	push_respawn(s, &out);
	push_barrier(s);
	t->step = LEAVING;
	arm(t, BARRIER_US);
	session_pause_server(s, PAUSE_MOVE);
}

static bool must_leave_first(const struct session *s)
{
	return s->kept.flags & KEPT_FORGE && s->kept.flags & KEPT_JOINED &&
	       session_settings(s)->forge_order == FORGE_LEAVE_FIRST;
}

void transfer_begin(struct session *s, struct link *l, struct buf *held, struct slice rest)
{
	struct transfer *t = calloc(1, sizeof(*t));

	if (t == NULL || !buf_append(held, rest)) {
		buf_fini(held);
		free(t);
		link_retire(l);
		session_end(s, END_OUT_OF_MEMORY);
		return;
	}
	t->session = s;
	t->begun_us = t->progress_us = session_now_us(s);
	t->first = !(s->kept.flags & KEPT_JOINED);
	t->step = OPENING;
	t->held = *held;
	*held = (struct buf){0};
	timer_init(&t->timer, on_timer);
	s->cold->transfer = t;
	session_enter(s, PHASE_MOVE);
	session_attach_server(s, l);
	if (must_leave_first(s))
		leave_old_world(s);
	else
		stop_waiting_for_barrier(s);
}

/* --- what the server says --- */

static void push_join(struct session *s, const struct join_game *j)
{
	uint8_t memory[96];
	struct writer w = writer_of(memory, sizeof(memory));

	join_game_write(&w, j);
	link_push_copy(s->player, writer_slice(&w));
}

static void note_world(struct session *s, int32_t dimension)
{
	s->kept.dimension = dimension;
	s->kept.flags |= KEPT_JOINED;
	s->kept.flags &= (uint16_t)~KEPT_POSITIONED;
}

/* A vanilla client: a world it is not in, then the right one. */
static void open_vanilla(struct session *s, const struct join_game *j)
{
	struct join_game other = *j;
	struct respawn in = respawn_after_join(j, j->dimension);

	other.dimension = (int8_t)opening_elsewhere(j->dimension, j->dimension);
	push_join(s, &other);
	push_respawn(s, &in);
}

static void open_forge(struct session *s, const struct frame *f, const struct join_game *j,
		       int32_t target)
{
	bool has_override = s->kept.flags & KEPT_HAS_OVERRIDE;
	bool was_positioned = s->kept.flags & KEPT_POSITIONED;
	bool differs = j->dimension == target && has_override && s->kept.override != target;
	struct respawn in = respawn_after_join(j, target);
	struct respawn elsewhere =
		respawn_after_join(j, opening_elsewhere(s->kept.dimension, target));

	link_push_copy(s->player, f->wire);
	if (was_positioned || differs || session_settings(s)->forge_order == FORGE_RESET_FIRST)
		push_respawn(s, &elsewhere);
	push_respawn(s, &in);
}

/* Chat and mod messages that waited; a server without FML also hears the channels again. */
static void serve_new_world(struct session *s)
{
	struct transfer *t = of(s);

	if (!t->fml && !t->first)
		client_info_replay_channels(s);
	/* Now, not when the client has settled: what it says meanwhile would overtake them. */
	link_push_copy(s->server, buf_slice(&t->outbox));
	buf_fini(&t->outbox);
	t->step = SETTLING;
	arm(t, SETTLE_US);
}

static enum verdict on_join(struct session *s, const struct frame *f)
{
	struct transfer *t = of(s);
	struct join_game j;
	int32_t target;

	if (t->joined || !join_game_parse(&j, f->body))
		return VERDICT_PASS;
	target = opening_target(j.dimension, s->kept.flags & KEPT_HAS_OVERRIDE, s->kept.override);
	t->joined = true;
	if (t->first)
		link_push_copy(s->player, f->wire);
	else if (s->kept.flags & KEPT_FORGE)
		open_forge(s, f, &j, target);
	else
		open_vanilla(s, &j);
	note_world(s, target);
	if (!t->greeted)
		s->kept.fml = FML_CLIENT_DONE;
	if (t->first)
		settle(s);
	else
		serve_new_world(s);
	return VERDICT_DROP;
}

/* Directly before the first words of a Forge server's handshake: a client that is done with one is
 * reset. */
static void begin_fml(struct session *s)
{
	struct transfer *t = of(s);
	uint8_t memory[32];
	struct writer w = writer_of(memory, sizeof(memory));

	if (t->fml || t->joined)
		return;
	t->fml = true;
	if (s->kept.fml == FML_CLIENT_DONE && s->kept.flags & KEPT_JOINED) {
		fml_reset_write(&w);
		link_push_copy(s->player, writer_slice(&w));
		s->kept.fml = FML_CLIENT_WAITING_HELLO;
	}
}

static void note_hello(struct session *s, struct slice data)
{
	struct fml_hello hello;

	of(s)->greeted = true;
	s->kept.fml = FML_CLIENT_RUNNING;
	if (fml_server_hello_parse(&hello, data) && hello.has_dimension) {
		s->kept.flags |= KEPT_HAS_OVERRIDE;
		s->kept.override = hello.dimension;
	}
	if (!(s->kept.flags & KEPT_FORGE))
		arm(of(s), FORGE_ANSWER_US);
}

static void on_plugin(struct session *s, const struct frame *f)
{
	struct plugin_message m;
	bool hs;

	if (of(s)->joined || !plugin_s_parse(&m, f->body))
		return;
	hs = slice_eq(m.channel, SLICE_LIT(FML_CHANNEL));
	if (hs || (slice_eq(m.channel, SLICE_LIT("REGISTER")) &&
		   register_has(m.data, SLICE_LIT(FML_CHANNEL))))
		begin_fml(s);
	if (hs && fml_kind_of(m.data) == FML_SERVER_HELLO)
		note_hello(s, m.data);
}

static enum verdict on_kick(struct session *s, const struct frame *f)
{
	struct end_detail d = {0};

	if (!kick_parse(&d.json, f->body))
		d.reason = "a kick without a text";
	session_end_with(s, END_BACKEND_REFUSED, &d);
	return VERDICT_DROP;
}

/* A big pack on a slow line takes its time: the limit counts time in which neither the server sent
 * anything nor the client took any of it. */
static uint64_t due_us(const struct session *s)
{
	const struct transfer *t = s->cold->transfer;
	uint64_t limit_us = session_settings(s)->timeouts.first_play_us, since_us = t->progress_us;
	uint64_t max_us = limit_us > OPENING_MAX_US ? limit_us : OPENING_MAX_US;

	if (s->player->taken_us > since_us && link_unsent(s->player) > 0)
		since_us = s->player->taken_us;
	since_us += limit_us;
	return since_us < t->begun_us + max_us ? since_us : t->begun_us + max_us;
}

void transfer_on_deadline(struct session *s)
{
	uint64_t due = due_us(s);
	char limit[24];
	struct text text = text_of(limit, sizeof(limit));

	if (session_now_us(s) < due) {
		timer_arm(s->worker->loop, &s->deadline, due);
		return;
	}
	text_put_duration(&text, session_settings(s)->timeouts.first_play_us);
	session_end_with(s, END_BACKEND_JOIN_TIMEOUT, &(struct end_detail){.limit = limit});
}

enum verdict transfer_on_server_frame(struct session *s, const struct frame *f)
{
	struct respawn r;

	if (f->id != PLAY_S_KEEP_ALIVE)
		of(s)->progress_us = session_now_us(s);
	switch (f->id) {
	case PLAY_S_KEEP_ALIVE:
		alive_note_server(s, f);
		break;
	case PLAY_S_JOIN_GAME:
		return on_join(s, f);
	case PLAY_S_RESPAWN:
		if (respawn_parse(&r, f->body))
			note_world(s, r.dimension);
		break;
	case PLAY_S_POSITION:
		s->kept.flags |= KEPT_POSITIONED;
		of(s)->placed = true;
		break;
	case PLAY_S_PLUGIN:
		on_plugin(s, f);
		break;
	case PLAY_S_KICK:
		return on_kick(s, f);
	default:
		break;
	}
	return VERDICT_PASS;
}

/* --- what the client says --- */

static enum verdict keep_for_new_world(struct session *s, const struct frame *f)
{
	struct buf *b = &of(s)->outbox;

	if (b->len + f->wire.len <= OUTBOX_MAX && !buf_append(b, f->wire))
		session_end(s, END_OUT_OF_MEMORY);
	return VERDICT_DROP;
}

static enum verdict on_transaction(struct session *s, const struct frame *f)
{
	struct transaction a;

	if (!transaction_parse(&a, f->body) || a.window != 0 || a.action != BARRIER_ACTION)
		return of(s)->first ? VERDICT_PASS : VERDICT_DROP;
	if (of(s)->step == LEAVING)
		stop_waiting_for_barrier(s);
	return VERDICT_DROP;
}

static bool is_brand(const struct plugin_message *m)
{
	return slice_eq(m->channel, SLICE_LIT("MC|Brand"));
}

/* What may reach a server whose handshake is under way: channel names and the handshake itself. */
static bool passes_in_handshake(const struct plugin_message *m)
{
	return slice_eq(m->channel, SLICE_LIT("REGISTER")) ||
	       slice_eq(m->channel, SLICE_LIT("UNREGISTER")) ||
	       slice_eq(m->channel, SLICE_LIT(FML_CHANNEL));
}

static enum verdict on_client_plugin(struct session *s, const struct frame *f)
{
	struct transfer *t = of(s);
	struct plugin_message m;

	if (!client_info_note(s, f, &m) || t->first)
		return VERDICT_PASS;
	switch (t->step) {
	case LEAVING:
		return VERDICT_DROP;
	case OPENING:
		/* Of the old world: the new Join Game brings another. */
		if (is_brand(&m))
			return VERDICT_DROP;
		return passes_in_handshake(&m) ? VERDICT_PASS : keep_for_new_world(s, f);
	case SETTLING:
		if (is_brand(&m)) {
			link_push_copy(s->server, f->wire);
			settle(s);
			return VERDICT_DROP;
		}
		return VERDICT_PASS;
	}
	return VERDICT_PASS;
}

static enum verdict on_world_input(struct session *s, const struct frame *f)
{
	struct transfer *t = of(s);

	if (t->first)
		return VERDICT_PASS;
	if (t->step != SETTLING || !t->placed || f->id != PLAY_C_POSITION_LOOK)
		return VERDICT_DROP;
	link_push_copy(s->server, f->wire);
	settle(s);
	return VERDICT_DROP;
}

enum verdict transfer_on_player_frame(struct session *s, const struct frame *f)
{
	struct transfer *t = of(s);

	switch (f->id) {
	case PLAY_C_KEEP_ALIVE:
		return alive_swallows(s, f) || t->step == LEAVING ? VERDICT_DROP : VERDICT_PASS;
	case PLAY_C_TRANSACTION:
		return on_transaction(s, f);
	case PLAY_C_PLUGIN:
		return on_client_plugin(s, f);
	case PLAY_C_CHAT:
	case PLAY_C_SETTINGS:
		return t->first || t->step == SETTLING ? VERDICT_PASS : keep_for_new_world(s, f);
	default:
		return play_c_is_world_input(f->id) ? on_world_input(s, f) : VERDICT_PASS;
	}
}
