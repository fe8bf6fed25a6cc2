/* The PLAY packets of protocols 4 and 5 that the proxy reads or writes: docs/protocol.md. */
#ifndef MINECRAFT_PLAY_H
#define MINECRAFT_PLAY_H

#include "base/attr.h"
#include "base/slice.h"
#include "minecraft/version.h"
#include "minecraft/writer.h"

enum {
	PLAY_S_KEEP_ALIVE = 0x00,
	PLAY_S_JOIN_GAME = 0x01,
	PLAY_S_CHAT = 0x02,
	PLAY_S_TIME = 0x03,
	PLAY_S_SPAWN_POINT = 0x05,
	PLAY_S_RESPAWN = 0x07,
	PLAY_S_POSITION = 0x08,
	PLAY_S_CHUNK = 0x21,
	PLAY_S_CHUNK_BULK = 0x26,
	PLAY_S_TRANSACTION = 0x32,
	PLAY_S_ABILITIES = 0x39,
	PLAY_S_PLUGIN = 0x3F,
	PLAY_S_KICK = 0x40,

	PLAY_C_KEEP_ALIVE = 0x00,
	PLAY_C_CHAT = 0x01,
	PLAY_C_POSITION_LOOK = 0x06,
	PLAY_C_TRANSACTION = 0x0F,
	PLAY_C_SETTINGS = 0x15,
	PLAY_C_PLUGIN = 0x17,
};

enum { PLUGIN_CHANNEL_MAX_UNITS = 20, PLUGIN_C_DATA_MAX = 32766 };

struct join_game {
	int32_t entity;
	uint8_t gamemode; /* bit 3: hardcore */
	int8_t dimension;
	uint8_t difficulty, max_players;
	struct slice level_type;
};

/* Trailing bytes are tolerated in all the parsers below: mods add them. */
must_check bool join_game_parse(struct join_game *ret, struct slice body);
void join_game_write(struct writer *w, const struct join_game *j);

struct respawn {
	int32_t dimension;
	uint8_t difficulty, gamemode;
	struct slice level_type;
};
must_check bool respawn_parse(struct respawn *ret, struct slice body);
void respawn_write(struct writer *w, const struct respawn *r);

/* The Respawn that brings a client which has just had this Join Game into `dimension`. */
struct respawn respawn_after_join(const struct join_game *j, int32_t dimension);

must_check bool keep_alive_parse(int32_t *ret_id, struct slice body);
void keep_alive_write(struct writer *w, int32_t id);

struct transaction {
	uint8_t window;
	int16_t action;
	bool accepted;
};
/* Both directions read alike; what is written is clientbound. */
must_check bool transaction_parse(struct transaction *ret, struct slice body);
void transaction_write(struct writer *w, const struct transaction *t);

void chat_write(struct writer *w, struct slice json);
void kick_write(struct writer *w, struct slice json);
must_check bool kick_parse(struct slice *ret_json, struct slice body);

struct plugin_message {
	struct slice channel, data;
};
/* Serverbound: i16 length. False: not such a packet (pass it on unread). */
must_check bool plugin_c_parse(struct plugin_message *ret, struct slice body);
void plugin_c_write(struct writer *w, const struct plugin_message *m);
/* Clientbound: plain u16 or Forge's extended form; false: opaque, pass it on. */
must_check bool plugin_s_parse(struct plugin_message *ret, struct slice body);
void plugin_s_write(struct writer *w, const struct plugin_message *m);

/* Input that belongs to the old world and is dropped at a move: C 02-0F, 10-12, 13, 14, 16. */
bool play_c_is_world_input(int32_t id);

#endif
