/*
 * Every packet parser over any body, chosen by the first byte. What was parsed must lie within the
 * body, and where we can write the packet, writing and parsing it again must give the same.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "minecraft/handshake.h"
#include "minecraft/login.h"
#include "minecraft/play.h"
#include "minecraft/profile.h"
#include "minecraft/reader.h"
#include "minecraft/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

enum { MEMORY = 1 << 16 };

static uint8_t memory[MEMORY];

static bool lies_in(struct slice part, struct slice body)
{
	return part.len == 0 || (part.p >= body.p && part.p + part.len <= body.p + body.len);
}

/* The body of the one frame in w; empty when it did not fit. */
static struct slice written(const struct writer *w)
{
	struct reader r = reader_of(writer_slice(w));

	if (w->full)
		return (struct slice){0};
	CHECK(read_varint(&r) == (int32_t)r.rest.len);
	(void)read_varint(&r);
	return read_rest(&r);
}

static void fuzz_host(struct slice host)
{
	char clean[HOST_NAME_MAX_BYTES + 1], again[HOST_NAME_MAX_BYTES + 1];
	struct slice tail = host_tail(host);

	CHECK(lies_in(tail, host));
	if (!host_clean(host, clean))
		return;
	CHECK(strlen(clean) <= HOST_NAME_MAX_BYTES && utf8_utf16_units(slice_str(clean)) >= 0);
	CHECK(host_tail(slice_str(clean)).len == 0);
	CHECK(!host_clean(slice_str(clean), again) || strlen(again) <= strlen(clean));
}

static void fuzz_handshake(struct slice body)
{
	struct writer w = writer_of(memory, MEMORY);
	struct handshake h, again;

	fuzz_host(body);
	if (!handshake_parse(&h, body))
		return;
	CHECK(lies_in(h.host, body));
	fuzz_host(h.host);
	handshake_write(&w, &h);
	CHECK(handshake_parse(&again, written(&w)));
	CHECK(again.protocol == h.protocol && slice_eq(again.host, h.host));
	CHECK(again.port == h.port && again.next == h.next);
}

static void fuzz_login(struct slice body)
{
	struct writer w = writer_of(memory, MEMORY);
	struct slice name, json, again;
	uint8_t uuid[UUID_BYTES];

	if (login_start_parse(&name, body)) {
		CHECK(lies_in(name, body));
		CHECK(!player_name_is_valid(name) || name.len <= PLAYER_NAME_MAX);
		CHECK(uuid_offline(uuid, name));
		login_start_write(&w, name);
		CHECK(login_start_parse(&again, written(&w)) && slice_eq(again, name));
	}
	if (login_disconnect_parse(&json, body))
		CHECK(lies_in(json, body));
	if (kick_parse(&json, body))
		CHECK(lies_in(json, body));
}

static void fuzz_join_game(struct slice body)
{
	struct writer w = writer_of(memory, MEMORY);
	struct join_game j, again;

	if (!join_game_parse(&j, body))
		return;
	join_game_write(&w, &j);
	CHECK(join_game_parse(&again, written(&w)));
	CHECK(again.entity == j.entity && again.dimension == j.dimension);
	CHECK(slice_eq(again.level_type, j.level_type));
	CHECK(respawn_after_join(&j, 7).gamemode < 8);
}

static void fuzz_respawn(struct slice body)
{
	struct writer w = writer_of(memory, MEMORY);
	struct respawn r, again;

	if (!respawn_parse(&r, body))
		return;
	respawn_write(&w, &r);
	CHECK(respawn_parse(&again, written(&w)) && again.dimension == r.dimension);
}

static void fuzz_small(struct slice body)
{
	struct writer w = writer_of(memory, MEMORY);
	struct transaction t, t_again;
	int64_t payload;
	int32_t id;

	if (transaction_parse(&t, body)) {
		transaction_write(&w, &t);
		CHECK(transaction_parse(&t_again, written(&w)) && t_again.action == t.action);
	}
	if (keep_alive_parse(&id, body))
		CHECK(body.len >= sizeof(id));
	if (status_ping_parse(&payload, body))
		CHECK(body.len == sizeof(payload));
}

static void fuzz_plugin(struct slice body)
{
	struct plugin_message m, again;
	struct writer w = writer_of(memory, MEMORY);

	if (plugin_c_parse(&m, body)) {
		CHECK(lies_in(m.channel, body) && lies_in(m.data, body));
		plugin_c_write(&w, &m);
		CHECK(plugin_c_parse(&again, written(&w)) && slice_eq(again.data, m.data));
	}
	w = writer_of(memory, MEMORY);
	if (plugin_s_parse(&m, body)) {
		CHECK(lies_in(m.channel, body) && lies_in(m.data, body));
		plugin_s_write(&w, &m);
		CHECK(w.full ||
		      (plugin_s_parse(&again, written(&w)) && slice_eq(again.data, m.data)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const targets[])(struct slice body) = {
		fuzz_handshake, fuzz_login, fuzz_join_game, fuzz_respawn, fuzz_small, fuzz_plugin,
	};
	struct slice in = slice_of(data, size);

	if (size == 0)
		return 0;
	targets[slice_cut(&in, 1).p[0] % COUNT_OF(targets)](in);
	return 0;
}
