#include "session/view.h"

#include "minecraft/play.h"
#include "session/admit.h"
#include "session/greet.h"
#include "session/hold.h"
#include "session/play_view.h"
#include "session/server_list.h"
#include "session/transfer.h"

#define ID(id) (1ull << ((id)&63))
#define ALL_IDS                                    \
	{                                          \
		{                                  \
			~0ull, ~0ull, ~0ull, ~0ull \
		}                                  \
	}

static enum verdict drop(struct session *s, const struct frame *f)
{
	(void)s;
	(void)f;
	return VERDICT_DROP;
}

static const struct view from_player[PHASE_COUNT] = {
	[PHASE_GREET] = {ALL_IDS, greet_on_frame, false},
	[PHASE_STATUS] = {ALL_IDS, server_list_on_frame, false},
	[PHASE_LOGIN] = {ALL_IDS, admit_on_frame, false},
	[PHASE_PLACE] = {ALL_IDS, hold_on_player_frame, false},
	[PHASE_MOVE] = {ALL_IDS, transfer_on_player_frame, true},
	[PHASE_PLAY] = {{{ID(PLAY_C_KEEP_ALIVE) | ID(PLAY_C_PLUGIN)}}, play_on_player_frame, true},
	[PHASE_HOLD] = {ALL_IDS, hold_on_player_frame, false},
	[PHASE_DRAIN] = {ALL_IDS, drop, false},
};

/* A kick is 40 hex: the first bit of the second word. */
static const struct view from_server[PHASE_COUNT] = {
	[PHASE_MOVE] = {{{ID(PLAY_S_KEEP_ALIVE) | ID(PLAY_S_JOIN_GAME) | ID(PLAY_S_RESPAWN) |
				  ID(PLAY_S_POSITION) | ID(PLAY_S_PLUGIN),
			  ID(PLAY_S_KICK)}},
			transfer_on_server_frame,
			true},
	[PHASE_PLAY] = {{{ID(PLAY_S_KEEP_ALIVE) | ID(PLAY_S_JOIN_GAME) | ID(PLAY_S_RESPAWN) |
				  ID(PLAY_S_POSITION),
			  ID(PLAY_S_KICK)}},
			play_on_server_frame,
			true},
};

const struct view *view_from_player(enum phase p)
{
	return &from_player[p];
}

const struct view *view_from_server(enum phase p)
{
	return &from_server[p];
}
