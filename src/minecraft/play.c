#include "minecraft/play.h"

#include "minecraft/reader.h"

enum { LEVEL_TYPE_MAX_UNITS = 16, TEXT_MAX_UNITS = 32767, GAMEMODE_MASK = 7 };

bool join_game_parse(struct join_game *ret, struct slice body)
{
	struct reader r = reader_of(body);
	struct join_game j;

	j.entity = read_i32(&r);
	j.gamemode = read_u8(&r);
	j.dimension = read_i8(&r);
	j.difficulty = read_u8(&r);
	j.max_players = read_u8(&r);
	j.level_type = read_str(&r, LEVEL_TYPE_MAX_UNITS);
	if (r.bad)
		return false;
	*ret = j;
	return true;
}

void join_game_write(struct writer *w, const struct join_game *j)
{
	size_t mark = frame_begin(w, PLAY_S_JOIN_GAME);

	write_i32(w, j->entity);
	write_u8(w, j->gamemode);
	write_u8(w, (uint8_t)j->dimension);
	write_u8(w, j->difficulty);
	write_u8(w, j->max_players);
	write_str(w, j->level_type);
	frame_end(w, mark);
}

bool respawn_parse(struct respawn *ret, struct slice body)
{
	struct reader r = reader_of(body);
	struct respawn s;

	s.dimension = read_i32(&r);
	s.difficulty = read_u8(&r);
	s.gamemode = read_u8(&r);
	s.level_type = read_str(&r, LEVEL_TYPE_MAX_UNITS);
	if (r.bad)
		return false;
	*ret = s;
	return true;
}

void respawn_write(struct writer *w, const struct respawn *r)
{
	size_t mark = frame_begin(w, PLAY_S_RESPAWN);

	write_i32(w, r->dimension);
	write_u8(w, r->difficulty);
	write_u8(w, r->gamemode);
	write_str(w, r->level_type);
	frame_end(w, mark);
}

struct respawn respawn_after_join(const struct join_game *j, int32_t dimension)
{
	return (struct respawn){
		.dimension = dimension,
		.difficulty = j->difficulty,
		.gamemode = j->gamemode & GAMEMODE_MASK,
		.level_type = j->level_type,
	};
}

bool keep_alive_parse(int32_t *ret_id, struct slice body)
{
	struct reader r = reader_of(body);
	int32_t id = read_i32(&r);

	if (r.bad)
		return false;
	*ret_id = id;
	return true;
}

void keep_alive_write(struct writer *w, int32_t id)
{
	size_t mark = frame_begin(w, PLAY_S_KEEP_ALIVE);

	write_i32(w, id);
	frame_end(w, mark);
}

bool transaction_parse(struct transaction *ret, struct slice body)
{
	struct reader r = reader_of(body);
	struct transaction t;

	t.window = read_u8(&r);
	t.action = read_i16(&r);
	t.accepted = read_bool(&r);
	if (r.bad)
		return false;
	*ret = t;
	return true;
}

void transaction_write(struct writer *w, const struct transaction *t)
{
	size_t mark = frame_begin(w, PLAY_S_TRANSACTION);

	write_u8(w, t->window);
	write_u16(w, (uint16_t)t->action);
	write_bool(w, t->accepted);
	frame_end(w, mark);
}

static void text_write(struct writer *w, int32_t id, struct slice json)
{
	size_t mark = frame_begin(w, id);

	write_str(w, json);
	frame_end(w, mark);
}

void chat_write(struct writer *w, struct slice json)
{
	text_write(w, PLAY_S_CHAT, json);
}

void kick_write(struct writer *w, struct slice json)
{
	text_write(w, PLAY_S_KICK, json);
}

bool kick_parse(struct slice *ret_json, struct slice body)
{
	struct reader r = reader_of(body);
	struct slice json = read_str(&r, TEXT_MAX_UNITS);

	if (r.bad)
		return false;
	*ret_json = json;
	return true;
}

bool play_c_is_world_input(int32_t id)
{
	return (id >= 0x02 && id <= 0x14) || id == 0x16;
}
