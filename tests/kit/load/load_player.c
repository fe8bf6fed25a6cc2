/*
 * Players: they join, stay and answer what a client must answer; or, once all are in, send numbered
 *frames and check every byte that comes back.
 *
 *	WAITING -> DIALLING -> LOGIN -> PLAY (Join Game) -> IN (position) -> GONE
 */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum stage { WAITING, DIALLING, LOGIN, PLAY, IN, GONE };

enum { S_KEEP_ALIVE = 0x00, S_JOIN = 0x01, S_POSITION = 0x08, S_TRANSACTION = 0x32, S_KICK = 0x40 };
enum {
	C_KEEP_ALIVE = 0x00,
	C_POSITION = 0x06,
	C_TRANSACTION = 0x0f,
	C_SETTINGS = 0x15,
	C_PLUGIN = 0x17
};
enum { ECHO_ID = 0x03, SEQUENCE_BYTES = 4, EYES_MM = 1620 };

struct player {
	struct conn conn;
	unsigned nth;
	enum stage stage;
	bool was_in;
	uint64_t dialled_us;
	uint32_t sent, echoed; /* frames */
	uint64_t *sent_us;     /* per burst in flight, a ring of `window` */
};

static struct run {
	const struct options *o;
	struct player *players;
	unsigned next, in_flight, in, failed, lost, done, bad_echoes;
	bool is_closing;
	uint64_t keep_alives;
	uint32_t goal; /* frames per player in this phase */
	uint8_t *pattern;
	struct samples joins, bursts;
	char reason[256];
} run;

static struct player *player_of(struct conn *c)
{
	return (struct player *)(void *)((char *)c - offsetof(struct player, conn));
}

static void keep_reason(const char *text, size_t n)
{
	if (!run.reason[0])
		snprintf(run.reason, sizeof(run.reason), "%.*s", (int)(n > 200 ? 200 : n), text);
}

/* ---- echo ---- */

static void send_burst(struct player *p)
{
	const struct options *o = run.o;
	struct bytes out = {0};

	p->sent_us[p->sent / o->burst % o->window] = now_us();
	for (unsigned i = 0; i < o->burst; i++) {
		bytes_add_varint(&out, o->payload);
		bytes_add_u8(&out, ECHO_ID);
		bytes_add_be(&out, p->sent++, SEQUENCE_BYTES);
		bytes_add(&out, run.pattern, o->payload - 1 - SEQUENCE_BYTES);
	}
	conn_send(&p->conn, &out);
	bytes_free(&out);
}

static bool on_echo(struct player *p, const uint8_t *body, size_t n)
{
	const struct options *o = run.o;

	if (p->sent == 0)
		return true;
	bool same = n == o->payload && p->echoed < p->sent && be32(body + 1) == p->echoed &&
		    memcmp(body + 1 + SEQUENCE_BYTES, run.pattern, n - 1 - SEQUENCE_BYTES) == 0;
	if (!same) {
		run.bad_echoes++;
		keep_reason("wrong echo", 10);
		return false;
	}
	p->echoed++;
	if (p->echoed % o->burst)
		return true;
	samples_add(&run.bursts, now_us() - p->sent_us[(p->echoed / o->burst - 1) % o->window]);
	if (p->sent < run.goal)
		send_burst(p);
	else if (p->echoed >= run.goal)
		run.done++;
	return true;
}

/* ---- what a client answers ---- */

static void send_body(struct player *p, struct bytes *body)
{
	struct bytes out = {0};

	bytes_add_frame(&out, body);
	conn_send(&p->conn, &out);
	bytes_free(&out);
	bytes_free(body);
}

static void on_join_game(struct player *p)
{
	struct bytes settings = {0};
	struct bytes brand = {0};

	bytes_add_u8(&settings, C_SETTINGS);
	bytes_add_str(&settings, "en_US");
	bytes_add(&settings, "\x08\x00\x01\x02\x01", 5);
	send_body(p, &settings);
	bytes_add_u8(&brand, C_PLUGIN);
	bytes_add_str(&brand, "MC|Brand");
	bytes_add_be(&brand, 7, 2);
	bytes_add(&brand, "vanilla", 7);
	send_body(p, &brand);
	p->stage = PLAY;
}

static void add_feet(struct bytes *out, const uint8_t *eyes)
{
	uint64_t bits = (uint64_t)be32(eyes) << 32 | be32(eyes + 4);
	double y;

	memcpy(&y, &bits, sizeof(y));
	y -= EYES_MM / 1000.0;
	memcpy(&bits, &y, sizeof(y));
	bytes_add_be(out, bits, 8);
}

static bool on_position(struct player *p, const uint8_t *v, size_t n)
{
	if (n < 33)
		return false;
	struct bytes body = {0};
	bytes_add_u8(&body, C_POSITION);
	bytes_add(&body, v, 8);
	add_feet(&body, v + 8);
	bytes_add(&body, v + 8, 25);
	send_body(p, &body);
	if (p->stage == PLAY && !p->was_in) {
		p->was_in = true;
		run.in++;
		run.in_flight--;
		samples_add(&run.joins, now_us() - p->dialled_us);
	}
	p->stage = IN;
	return true;
}

static void answer(struct player *p, uint8_t id, const uint8_t *v, size_t n)
{
	struct bytes body = {0};

	bytes_add_u8(&body, id);
	bytes_add(&body, v, n);
	send_body(p, &body);
}

static bool on_play(struct player *p, uint32_t id, const uint8_t *v, size_t n)
{
	switch (id) {
	case S_KEEP_ALIVE:
		run.keep_alives++;
		answer(p, C_KEEP_ALIVE, v, n);
		return n == 4;
	case S_JOIN:
		on_join_game(p);
		return true;
	case S_POSITION:
		return on_position(p, v, n);
	case S_TRANSACTION:
		if (n == 4 && !v[3])
			answer(p, C_TRANSACTION, (const uint8_t[]){v[0], v[1], v[2], 1}, 4);
		return n == 4;
	case S_KICK:
		keep_reason((const char *)v, n);
		conn_close(&p->conn, "kicked");
		return true;
	default:
		return true;
	}
}

static bool on_login(struct player *p, uint32_t id, const uint8_t *v, size_t n)
{
	if (id == 0x00)
		keep_reason((const char *)v, n);
	if (id != 0x02)
		return false;
	p->stage = PLAY;
	return true;
}

static bool on_frame(struct conn *c, const uint8_t *body, size_t n)
{
	struct player *p = player_of(c);
	uint32_t id = 0;
	int size = varint_peek(&id, body, n);

	if (size <= 0)
		return false;
	if (p->stage == LOGIN)
		return on_login(p, id, body + size, n - (size_t)size);
	if (id == ECHO_ID)
		return on_echo(p, body, n);
	return on_play(p, id, body + size, n - (size_t)size);
}

/* ---- life ---- */

static void on_open(struct conn *c)
{
	struct player *p = player_of(c);
	struct bytes body = {0};
	struct bytes out = {0};
	char name[32];

	snprintf(name, sizeof(name), "%s%u", run.o->prefix, p->nth);
	add_handshake(&out, run.o, 2);
	bytes_add_u8(&body, 0x00);
	bytes_add_str(&body, name);
	bytes_add_frame(&out, &body);
	p->stage = LOGIN;
	conn_send(c, &out);
	bytes_free(&body);
	bytes_free(&out);
}

static void on_close(struct conn *c, const char *why)
{
	struct player *p = player_of(c);

	if (!p->was_in) {
		run.failed++;
		run.in_flight--;
	} else if (!run.is_closing) {
		run.lost++;
	}
	if (!run.is_closing)
		keep_reason(why, strlen(why));
	p->stage = GONE;
}

static const struct conn_ops player_ops = {
	.on_open = on_open, .on_frame = on_frame, .on_close = on_close};

static void dial_next(void)
{
	struct player *p = &run.players[run.next];

	p->nth = run.next++;
	p->stage = DIALLING;
	p->dialled_us = now_us();
	int err = conn_dial(&p->conn, &player_ops, &run.o->to, p->nth);
	if (err < 0) {
		run.failed++;
		p->stage = GONE;
		keep_reason(strerror(-err), strlen(strerror(-err)));
	} else {
		run.in_flight++;
	}
}

static void join_all(void)
{
	const struct options *o = run.o;
	uint64_t end = now_us() + o->timeout_s * 1000000ull;

	while (run.in + run.failed < o->players && now_us() < end && !load_is_stopped) {
		while (run.next < o->players && run.in_flight < o->parallel)
			dial_next();
		conn_poll(10);
	}
	run.failed = o->players - run.in;
}

static void hold(unsigned seconds)
{
	uint64_t end = now_us() + seconds * 1000000ull;

	while (now_us() < end && !load_is_stopped)
		conn_poll(20);
}

/* One phase of echoes; its time in microseconds. */
static uint64_t echo_phase(uint32_t messages)
{
	const struct options *o = run.o;
	uint64_t start = now_us();
	uint64_t end = start + o->timeout_s * 1000000ull;

	run.goal += messages;
	run.done = 0;
	for (unsigned i = 0; i < o->players; i++)
		for (unsigned w = 0; w < o->window && run.players[i].sent < run.goal; w++)
			send_burst(&run.players[i]);
	while (run.done < run.in && !run.bad_echoes && !run.lost && now_us() < end &&
	       !load_is_stopped)
		conn_poll(100);
	return now_us() - start;
}

static bool echo_all(uint64_t *ret_us)
{
	if (run.o->warmup)
		echo_phase(run.o->warmup);
	samples_free(&run.bursts);
	*ret_us = echo_phase(run.o->messages);
	return run.done == run.in && !run.bad_echoes;
}

static void report(bool echo, bool ok, uint64_t join_us, uint64_t echo_us)
{
	double frames = (double)run.o->messages * run.in;

	printf("{\"mode\":\"%s\",\"ok\":%s,\"players\":%u,\"joined\":%u,\"failed\":%u,\"lost\":%u,"
	       "\"joinMs\":%.1f,\"joinP50Ms\":%.2f,\"joinP99Ms\":%.2f,\"joinMaxMs\":%.2f,"
	       "\"keepAlives\":%llu",
	       echo ? "echo" : "join", ok ? "true" : "false", run.o->players, run.in, run.failed,
	       run.lost, (double)join_us / 1000.0, samples_ms(&run.joins, 0.5),
	       samples_ms(&run.joins, 0.99), samples_ms(&run.joins, 1),
	       (unsigned long long)run.keep_alives);
	if (echo)
		printf(",\"badEchoes\":%u,\"frames\":%.0f,\"framesPerSecond\":%.0f,\"p50Ms\":%.3f,"
		       "\"p95Ms\":%.3f,\"p99Ms\":%.3f",
		       run.bad_echoes, frames, frames * 1e6 / (double)(echo_us ? echo_us : 1),
		       samples_ms(&run.bursts, 0.5), samples_ms(&run.bursts, 0.95),
		       samples_ms(&run.bursts, 0.99));
	printf(",\"reason\":");
	print_json_text(run.reason);
	printf("}\n");
}

static bool allocate(bool echo)
{
	const struct options *o = run.o;

	run.players = calloc(o->players, sizeof(*run.players));
	run.pattern = malloc(o->payload);
	if (!run.players || !run.pattern)
		return false;
	for (unsigned i = 0; i < o->payload; i++)
		run.pattern[i] = (uint8_t)(i * 31 + 7);
	for (unsigned i = 0; echo && i < o->players; i++) {
		run.players[i].sent_us = calloc(o->window, sizeof(uint64_t));
		if (!run.players[i].sent_us)
			return false;
	}
	return true;
}

static void release(void)
{
	for (unsigned i = 0; run.players && i < run.o->players; i++)
		free(run.players[i].sent_us);
	free(run.players);
	free(run.pattern);
	samples_free(&run.joins);
	samples_free(&run.bursts);
}

int run_players(const struct options *o, bool echo)
{
	run.o = o;
	if (!allocate(echo)) {
		fprintf(stderr, "mbload: out of memory\n");
		return 1;
	}
	uint64_t start = now_us();
	join_all();
	uint64_t join_us = now_us() - start;
	fprintf(stderr, "joined %u failed %u\n", run.in, run.failed);

	uint64_t echo_us = 0;
	bool ok = run.failed == 0;
	if (ok && echo)
		ok = echo_all(&echo_us);
	else if (!echo)
		hold(o->seconds);
	ok = ok && run.lost == 0;
	run.is_closing = true;
	for (unsigned i = 0; i < run.next; i++)
		conn_close(&run.players[i].conn, "done");
	report(echo, ok, join_us, echo_us);
	release();
	return ok ? 0 : 1;
}
