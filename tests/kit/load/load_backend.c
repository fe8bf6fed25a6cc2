/* A game server of protocol 5 that lets everybody in and sends frames of id 03 back, a read's worth
 * in one write. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum guest_stage { GUEST_HANDSHAKE, GUEST_STATUS, GUEST_LOGIN, GUEST_PLAY };

struct guest {
	struct conn conn;
	enum guest_stage stage;
	struct guest *next, **link; /* all of them, for keep-alives */
	struct bytes reply;
	char name[64];
};

static struct {
	const struct options *o;
	struct guest *first;
	unsigned online, most;
	uint64_t logins, echoes, bad;
	uint32_t keep_alive;
} backend;

static struct guest *guest_of(struct conn *c)
{
	return (struct guest *)(void *)((char *)c - offsetof(struct guest, conn));
}

static void reply_frame(struct guest *g, const struct bytes *body)
{
	bytes_add_frame(&g->reply, body);
}

static void reply_success(struct guest *g)
{
	struct bytes b = {0};

	bytes_add_u8(&b, 0x02);
	bytes_add_str(&b, "00000000-0000-3000-8000-000000000000");
	bytes_add_str(&b, g->name);
	reply_frame(g, &b);
	bytes_free(&b);
}

static void reply_join_game(struct guest *g)
{
	struct bytes b = {0};

	bytes_add_u8(&b, 0x01);
	bytes_add_be(&b, (uint32_t)backend.logins, 4);
	bytes_add(&b, "\x01\x00\x01\x14", 4);
	bytes_add_str(&b, "flat");
	reply_frame(g, &b);
	bytes_free(&b);
}

static void reply_position(struct guest *g)
{
	static const double xyz[3] = {0.5, 65.62, 0.5};
	struct bytes b = {0};

	bytes_add_u8(&b, 0x08);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t bits;
		memcpy(&bits, &xyz[i], sizeof(bits));
		bytes_add_be(&b, bits, 8);
	}
	bytes_add_be(&b, 0, 8);
	bytes_add_u8(&b, 0);
	reply_frame(g, &b);
	bytes_free(&b);
}

static void reply_tab(struct guest *g)
{
	for (unsigned i = 0; i < backend.o->tab; i++) {
		struct bytes b = {0};
		char name[17];
		snprintf(name, sizeof(name), "entry_%09u", i % 1000000000);
		bytes_add_u8(&b, 0x38);
		bytes_add_str(&b, name);
		bytes_add(&b, "\x01\x00\x32", 3);
		reply_frame(g, &b);
		bytes_free(&b);
	}
}

/* ---- packets ---- */

/* A string at *at; false when it does not fit. */
static bool skip_str(size_t *at, const uint8_t *v, size_t n)
{
	uint32_t len = 0;
	int size = varint_peek(&len, v + *at, n - *at);

	if (size <= 0 || len > n - *at - (size_t)size)
		return false;
	*at += (size_t)size + len;
	return true;
}

static bool on_guest_handshake(struct guest *g, const uint8_t *v, size_t n)
{
	uint32_t protocol = 0;
	int size = varint_peek(&protocol, v + 1, n - 1);
	size_t at = 1 + (size_t)size;

	if (v[0] != 0x00 || size <= 0 || !skip_str(&at, v, n) || n - at != 3)
		return false;
	g->stage = v[n - 1] == 1 ? GUEST_STATUS : GUEST_LOGIN;
	return true;
}

static bool on_guest_status(struct guest *g, const uint8_t *v, size_t n)
{
	struct bytes b = {0};

	if (v[0] == 0x00) {
		bytes_add_u8(&b, 0x00);
		bytes_add_str(&b, "{\"version\":{\"name\":\"1.7.10\",\"protocol\":5},\"players\":"
				  "{\"max\":20,\"online\":0},\"description\":\"mbload\"}");
	} else {
		bytes_add(&b, v, n);
	}
	reply_frame(g, &b);
	bytes_free(&b);
	return true;
}

static bool on_guest_login(struct guest *g, const uint8_t *v, size_t n)
{
	size_t at = 1;

	if (v[0] != 0x00 || !skip_str(&at, v, n) || at != n || n - 2 >= sizeof(g->name))
		return false;
	memcpy(g->name, v + 2, n - 2);
	backend.logins++;
	reply_success(g);
	reply_join_game(g);
	reply_tab(g);
	reply_position(g);
	g->stage = GUEST_PLAY;
	return true;
}

static bool on_guest_frame(struct conn *c, const uint8_t *v, size_t n)
{
	struct guest *g = guest_of(c);

	switch (g->stage) {
	case GUEST_HANDSHAKE:
		return on_guest_handshake(g, v, n);
	case GUEST_STATUS:
		return on_guest_status(g, v, n);
	case GUEST_LOGIN:
		return on_guest_login(g, v, n);
	case GUEST_PLAY:
		break;
	}
	if (v[0] == 0x03) {
		backend.echoes++;
		bytes_add_varint(&g->reply, (uint32_t)n);
		bytes_add(&g->reply, v, n);
	}
	return true;
}

static void on_guest_batch(struct conn *c)
{
	struct guest *g = guest_of(c);

	if (bytes_left(&g->reply)) {
		conn_send(c, &g->reply);
		bytes_skip(&g->reply, bytes_left(&g->reply));
	}
}

/* ---- life ---- */

static void on_guest_open(struct conn *c)
{
	(void)c;
}

static void on_guest_close(struct conn *c, const char *why)
{
	struct guest *g = guest_of(c);

	if (strcmp(why, "an unexpected packet") == 0 || strcmp(why, "a bad frame length") == 0)
		backend.bad++;
	*g->link = g->next;
	if (g->next)
		g->next->link = g->link;
	backend.online--;
	bytes_free(&g->reply);
	free(g);
}

static const struct conn_ops guest_ops = {.on_open = on_guest_open,
					  .on_frame = on_guest_frame,
					  .on_batch = on_guest_batch,
					  .on_close = on_guest_close};

static void on_accept(int fd)
{
	struct guest *g = calloc(1, sizeof(*g));

	if (!g) {
		close(fd);
		return;
	}
	conn_take(&g->conn, &guest_ops, fd);
	g->next = backend.first;
	g->link = &backend.first;
	if (g->next)
		g->next->link = &g->next;
	backend.first = g;
	if (++backend.online > backend.most)
		backend.most = backend.online;
}

static void keep_all_alive(void)
{
	struct bytes body = {0};
	struct bytes out = {0};

	bytes_add_u8(&body, 0x00);
	bytes_add_be(&body, ++backend.keep_alive, 4);
	bytes_add_frame(&out, &body);
	for (struct guest *g = backend.first, *next; g; g = next) {
		next = g->next;
		if (g->stage == GUEST_PLAY)
			conn_send(&g->conn, &out);
	}
	bytes_free(&body);
	bytes_free(&out);
}

static void serve(const struct options *o)
{
	uint64_t keep_us = o->keep_alive_s * 1000000ull;
	uint64_t due = now_us() + keep_us;
	uint64_t end = o->seconds ? now_us() + o->seconds * 1000000ull : UINT64_MAX;

	while (!load_is_stopped && now_us() < end) {
		conn_poll(100);
		if (keep_us && now_us() >= due) {
			keep_all_alive();
			due += keep_us;
		}
	}
}

int run_backend(const struct options *o)
{
	uint16_t port = 0;
	int err = conn_listen(&o->to, &port, on_accept);

	if (err < 0) {
		fprintf(stderr, "mbload: cannot listen: %s\n", strerror(-err));
		return 1;
	}
	backend.o = o;
	backend.keep_alive = 1000;
	fprintf(stderr, "listening %u\n", port);
	serve(o);
	printf("{\"mode\":\"backend\",\"ok\":true,\"logins\":%llu,"
	       "\"most\":%u,\"echoes\":%llu,\"bad\":%llu}\n",
	       (unsigned long long)backend.logins, backend.most, (unsigned long long)backend.echoes,
	       (unsigned long long)backend.bad);
	while (backend.first)
		conn_close(&backend.first->conn, "done");
	return 0;
}
