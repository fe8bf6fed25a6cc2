/* The phases of a session's life and which may follow which. Log lines and metrics take their names
 * from here. */
#ifndef SESSION_PHASE_H
#define SESSION_PHASE_H

#include <stdbool.h>

#define MAY(phase) (1u << (PHASE_##phase))

/*
 * GREET   first bytes: which protocol?        PLACE  has a name, looks for a server
 * STATUS  server list                         MOVE   from the cut to the end of the opening
 * PASS    bytes go untouched to a backend     PLAY   relayed
 * LOGIN   who is it?                          HOLD   in our own small world
 * DRAIN   the last words wait to be sent      GONE   only this memory is left, to the turn's end
 */
#define PHASES(X)                                                               \
	X(GREET, MAY(STATUS) | MAY(PASS) | MAY(LOGIN) | MAY(DRAIN) | MAY(GONE)) \
	X(STATUS, MAY(DRAIN) | MAY(GONE))                                       \
	X(PASS, MAY(STATUS) | MAY(DRAIN) | MAY(GONE))                           \
	X(LOGIN, MAY(PLACE) | MAY(DRAIN) | MAY(GONE))                           \
	X(PLACE, MAY(MOVE) | MAY(HOLD) | MAY(DRAIN) | MAY(GONE))                \
	X(MOVE, MAY(PLAY) | MAY(HOLD) | MAY(DRAIN) | MAY(GONE))                 \
	X(PLAY, MAY(MOVE) | MAY(HOLD) | MAY(DRAIN) | MAY(GONE))                 \
	X(HOLD, MAY(MOVE) | MAY(DRAIN) | MAY(GONE))                             \
	X(DRAIN, MAY(GONE))                                                     \
	X(GONE, 0)

enum phase {
#define X(name, may) PHASE_##name,
	PHASES(X)
#undef X
		PHASE_COUNT
};

bool phase_allows(enum phase from, enum phase to);
const char *phase_name(enum phase p);

/* The player has been sent Login Success: what is said to them is said in PLAY packets. */
bool phase_is_in_game(enum phase p);

#endif
