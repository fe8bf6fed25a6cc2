/*
 * Sessions are frozen at any moment and thawed on another worker, at once or later, while their
 * players and servers go on: neither notices. All that kit/ checks holds as ever: byte-exact
 * streams, one holder of a name, limits, one row each. And a dump that is not one of ours is
 * refused, and nothing has happened.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "kit/sim_cast.h"
#include "session/freeze.h"

static struct sim_cast c;

enum { PLAYERS = 24, ON_ICE = 64 };

struct ice {
	struct frozen frozen;
	uint64_t until_us;
	unsigned from;
	bool used;
};

static struct ice ice[ON_ICE];
static unsigned moved;
static uint32_t ice_us; /* longest time in bytes */
static uint64_t next_us;

static struct session *any_session(struct worker *w)
{
	static const enum phase phases[] = {PHASE_PLAY, PHASE_HOLD};
	struct session *found = NULL;
	uint32_t n = 0;

	for (unsigned i = 0; i < COUNT_OF(phases); i++) {
		LIST_EACH(node, &w->by_phase[phases[i]])
		{
			struct session *s = LIST_ENTRY(node, struct session, node);

			if (session_may_freeze(s) && sim_dice(c.st->world, ++n) == 0)
				found = s;
		}
	}
	return found;
}

static struct ice *free_ice(void)
{
	for (unsigned i = 0; i < ON_ICE; i++) {
		if (!ice[i].used)
			return &ice[i];
	}
	return NULL;
}

static void freeze_one(struct stage *st)
{
	unsigned from = sim_dice(st->world, STAGE_WORKERS);
	struct session *s = any_session(&st->workers[from]);
	struct ice *to = free_ice();
	int err;

	if (s == NULL || to == NULL)
		return;
	err = session_freeze(s, &to->frozen);
	stage_check(st, err == 0 || err == -EPIPE, "freeze: %d", err);
	if (err < 0)
		return;
	to->used = true;
	to->from = from;
	to->until_us = sim_now_us(st->world) + (ice_us == 0 ? 0 : sim_dice(st->world, ice_us));
	st->frozen++;
}

static void thaw_one(struct stage *st, struct ice *i)
{
	struct worker *w = &st->workers[(i->from + sim_dice(st->world, 3)) % STAGE_WORKERS];
	struct session *s = NULL;
	int err = session_thaw(w, &i->frozen, &s);

	stage_check(st, err == 0 && s->worker == w, "thaw: %d", err);
	stage_check(st, i->frozen.player_fd == -1 && i->frozen.bytes.p == NULL, "not emptied");
	loop_wake(w->loop);
	i->used = false;
	st->frozen--;
	moved++;
}

/* Between any two turns. */
static void on_step(struct stage *st)
{
	uint64_t now_us = sim_now_us(st->world);

	for (unsigned i = 0; i < ON_ICE; i++) {
		if (ice[i].used && now_us >= ice[i].until_us)
			thaw_one(st, &ice[i]);
	}
	if (now_us < next_us || st->draining)
		return;
	next_us = now_us + sim_dice(st->world, 20 * US_PER_MS);
	freeze_one(st);
}

static const char config[] = "duplicateNames: kickOld\n"
			     "backends:\n"
			     "  - {name: one, address: \"10.0.0.1:25565\"}\n"
			     "  - {name: two, address: \"10.0.0.2:25565\"}\n";

static void add_player(bool vices, bool excused, unsigned number)
{
	struct sim_world *w = c.st->world;
	struct sim_player p = {
		.websocket = sim_dice(w, 2),
		.forge = sim_dice(w, 4) == 0,
		.old_protocol = sim_dice(w, 3) == 0,
		.arrive_us = sim_dice(w, 3 * US_PER_S),
		.stays_us = 8 * US_PER_S + sim_dice(w, 4 * US_PER_S),
		.big_bytes = 5000,
		.beat_us = 30 * US_PER_MS,
		.excused = excused,
	};

	/* A few share a name, so that KICK meets players on their way. */
	if (number % 6 == 0)
		(void)snprintf(p.name, sizeof(p.name), "Rival_%u", number % 4);
	if (vices && sim_dice(w, 2))
		p.vice = (enum sim_vice)(VICE_LEAVES + sim_dice(w, VICE_MUTE - VICE_LEAVES + 1));
	(void)sim_cast_player(&c, p);
}

static uint64_t storm(const struct sim_options *o, bool bad, uint32_t longest_us)
{
	uint64_t trace;

	ice_us = longest_us;
	next_us = 0;
	moved = 0;
	sim_cast_open(&c, o, config);
	c.st->on_step = on_step;
	for (unsigned i = 0; i < 2; i++)
		(void)sim_cast_backend(&c, (struct sim_backend){.at = i == 0 ? "10.0.0.1:25565"
									     : "10.0.0.2:25565",
								.trick_per_mille = bad ? 300 : 0,
								.beat_us = 30 * US_PER_MS,
								.big_bytes = 20000,
								.flood_bytes = bad ? 300000 : 0});
	/* Some wait in HOLD first. */
	sim_backend_close(&c.backends[0]);
	sim_backend_close(&c.backends[1]);
	for (unsigned i = 0; i < PLAYERS; i++)
		add_player(bad, o->reset_per_mille > 0, i);
	stage_run_for(c.st, 1500 * US_PER_MS);
	sim_backend_open(&c.backends[0]);
	sim_backend_open(&c.backends[1]);
	stage_run_for(c.st, 14 * US_PER_S);
	trace = sim_cast_close(&c);
	assert_in_range(moved, 200, 5000);
	return trace;
}

static void test_nobody_notices(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(4); seed++) {
		struct sim_options o = sim_rough(seed);

		(void)storm(&o, false, 0);
	}
}

static void test_nobody_notices_a_while_on_ice(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(4); seed++) {
		struct sim_options o = sim_rough(seed);

		(void)storm(&o, false, 300 * US_PER_MS);
	}
}

static void test_bad_players_and_servers(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(4); seed++) {
		struct sim_options o = sim_rough(seed);

		o.reset_per_mille = seed & 1;
		(void)storm(&o, true, 100 * US_PER_MS);
	}
}

static void test_same_seed_same_trace(void **state)
{
	struct sim_options o = sim_rough(5);

	(void)state;
	assert_true(storm(&o, true, 100 * US_PER_MS) == storm(&o, true, 100 * US_PER_MS));
}

/* One player in PLAY over WebSocket, frozen in the middle of frames of both sides. */
static struct frozen one_frozen(void)
{
	struct sim_options o = sim_rough(3);
	struct frozen f = {0};
	struct session *s;

	sim_cast_open(&c, &o, config);
	(void)sim_cast_backend(&c,
			       (struct sim_backend){.at = "10.0.0.1:25565", .flood_bytes = 400000});
	(void)sim_cast_player(&c, (struct sim_player){.websocket = true,
						      .vice = VICE_SLOW,
						      .beat_us = 10 * US_PER_MS,
						      .big_bytes = 20000});
	do {
		stage_run_for(c.st, 1 + sim_dice(c.st->world, 100 * US_PER_MS));
		s = NULL;
		for (unsigned i = 0; i < STAGE_WORKERS && s == NULL; i++)
			s = any_session(&c.st->workers[i]);
	} while (s == NULL || s->player->unsent_bytes == 0 ||
		 split_at_boundary(&s->cold->from_server) || s->from_player.torn_left == 0);
	assert_int_equal(session_freeze(s, &f), 0);
	return f;
}

static void must_refuse(struct frozen *f, struct slice bytes)
{
	struct frozen bad = *f;
	struct session *s = NULL;
	struct worker *w = &c.st->workers[0];
	size_t held = w->links.pool.held_bytes;

	bad.bytes = (struct buf){0};
	assert_true(buf_append(&bad.bytes, bytes));
	assert_int_equal(session_thaw(w, &bad, &s), -EBADMSG);
	assert_null(s);
	assert_int_equal(w->links.pool.held_bytes, held);
	assert_int_equal(w->by_conn.n, 0);
	assert_int_equal(bad.player_fd, f->player_fd);
	buf_fini(&bad.bytes);
}

static void finish_with(struct frozen *f)
{
	struct session *s = NULL;

	assert_int_equal(session_thaw(&c.st->workers[0], f, &s), 0);
	loop_wake(c.st->workers[0].loop);
	stage_run_for(c.st, US_PER_S);
	assert_true(!c.players[0].gone);
	(void)sim_cast_close(&c);
}

static void test_cut_dumps_are_refused(void **state)
{
	struct frozen f = one_frozen();

	(void)state;
	for (size_t n = 0; n < f.bytes.len; n += n < 1500 ? 1 : 997)
		must_refuse(&f, slice_of(f.bytes.p, n));
	assert_true(buf_append(&f.bytes, SLICE_LIT("x")));
	must_refuse(&f, buf_slice(&f.bytes));
	f.bytes.len--;
	finish_with(&f);
}

/* Each byte of the fixed part, and of the lengths: refused, or a session that ends like any other.
 */
static void test_garbled_dumps(void **state)
{
	unsigned refused = 0, taken = 0;

	(void)state;
	for (unsigned seed = 0; seed < stage_seeds(40); seed++) {
		struct frozen f = one_frozen();
		struct session *s = NULL;
		size_t fixed = FROZEN_HEAD_BYTES + sizeof(struct frozen_fixed) + 64;
		int err;

		for (unsigned i = 0; i < 1 + seed % 4; i++)
			f.bytes.p[(seed * 7919u + i * 104729u) % fixed] ^= (uint8_t)(1 + seed);
		err = session_thaw(&c.st->workers[0], &f, &s);
		refused += err == -EBADMSG;
		taken += err == 0;
		if (err < 0) {
			struct sys *sys = sim_world_sys(c.st->world, 0);

			sys->ops->close(sys, f.player_fd);
			sys->ops->close(sys, f.server_fd);
			buf_fini(&f.bytes);
		} else {
			loop_wake(c.st->workers[0].loop);
		}
		sim_player_leave(&c.players[0]);
		stage_run_for(c.st, 12 * US_PER_S);
		for (unsigned i = 0; i < STAGE_WORKERS; i++)
			assert_int_equal(c.st->workers[i].links.n + c.st->workers[i].by_conn.n, 0);
		stage_drain(c.st);
		stage_run_for(c.st, US_PER_S);
		sim_player_fini(&c.players[0]);
		sim_backend_fini(&c.backends[0]);
		stage_free(c.st);
	}
	assert_true(refused > 0 && taken > 0);
}

static struct session *the_session(void)
{
	struct session *s = NULL;

	for (unsigned i = 0; i < STAGE_WORKERS && s == NULL; i++)
		s = any_session(&c.st->workers[i]);
	assert_non_null(s);
	return s;
}

static unsigned freeze_the_session(struct frozen *ret)
{
	struct session *s = the_session();
	unsigned from = s->worker->index;

	assert_int_equal(session_freeze(s, ret), 0);
	c.st->frozen++;
	return from;
}

static void thaw_on(unsigned worker, struct frozen *f)
{
	struct session *s;

	assert_int_equal(session_thaw(&c.st->workers[worker % STAGE_WORKERS], f, &s), 0);
	loop_wake(s->worker->loop);
	c.st->frozen--;
}

/* Somebody takes the name while its holder is on the way: the KICK has found nobody, and is sent
 * again. */
static void test_a_kick_finds_who_has_moved(void **state)
{
	struct sim_options o = sim_rough(1);
	struct sim_player *old, *new;
	struct frozen f;
	unsigned from;

	(void)state;
	sim_cast_open(&c, &o, config);
	(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565"});
	old = sim_cast_player(&c, (struct sim_player){.name = "Rival"});
	stage_run_for(c.st, US_PER_S);
	from = freeze_the_session(&f);
	new = sim_cast_player(&c, (struct sim_player){.name = "Rival"});
	stage_run_for(c.st, US_PER_S);
	assert_false(new->success);
	thaw_on(from + 1, &f);
	stage_run_for(c.st, US_PER_S);
	assert_true(old->gone && strstr(old->text, "another place") != NULL);
	assert_true(new->serial != 0 && !new->gone);
	(void)sim_cast_close(&c);
}

/* In HOLD, in the middle of a frame that goes nowhere: the next server gets nothing of it, and the
 * route is tried on. */
static void test_hold_goes_on(void **state)
{
	static const uint8_t half[] = {20, 0xAC, 2, 0, 0}, rest[16] = {0};
	struct sim_options o = sim_rough(1);
	struct sim_player *p;
	struct frozen f;
	unsigned from;

	(void)state;
	sim_cast_open(&c, &o, config);
	p = sim_cast_player(&c, (struct sim_player){.vice = VICE_MUTE});
	stage_run_for(c.st, 5 * US_PER_S);
	assert_int_equal(p->held, 1);
	sim_actor_send(&p->actor, slice_of(half, sizeof(half)));
	stage_run_for(c.st, 100 * US_PER_MS);
	from = freeze_the_session(&f);
	thaw_on(from + 1, &f);
	(void)sim_cast_backend(&c, (struct sim_backend){.at = "10.0.0.1:25565"});
	stage_run_for(c.st, 10 * US_PER_S);
	assert_true(p->serial != 0);
	sim_actor_send(&p->actor, slice_of(rest, sizeof(rest)));
	stage_run_for(c.st, 7 * US_PER_S);
	assert_false(p->gone);
	(void)sim_cast_close(&c);
}

static void test_a_draining_worker_takes_nobody(void **state)
{
	struct frozen f = one_frozen();
	struct session *s = NULL;

	(void)state;
	worker_drain(&c.st->workers[1]);
	assert_int_equal(session_thaw(&c.st->workers[1], &f, &s), -ESHUTDOWN);
	finish_with(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_notices),
		cmocka_unit_test(test_nobody_notices_a_while_on_ice),
		cmocka_unit_test(test_bad_players_and_servers),
		cmocka_unit_test(test_same_seed_same_trace),
		cmocka_unit_test(test_cut_dumps_are_refused),
		cmocka_unit_test(test_garbled_dumps),
		cmocka_unit_test(test_a_kick_finds_who_has_moved),
		cmocka_unit_test(test_hold_goes_on),
		cmocka_unit_test(test_a_draining_worker_takes_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
