#include "session/phase.h"

#include <stdint.h>

static const uint16_t allowed[PHASE_COUNT] = {
#define X(name, may) [PHASE_##name] = (may),
	PHASES(X)
#undef X
};

static const char *const names[PHASE_COUNT] = {
#define X(name, may) [PHASE_##name] = #name,
	PHASES(X)
#undef X
};

bool phase_allows(enum phase from, enum phase to)
{
	return (allowed[from] & 1u << to) != 0;
}

const char *phase_name(enum phase p)
{
	return names[p];
}

bool phase_is_in_game(enum phase p)
{
	return (MAY(PLACE) | MAY(MOVE) | MAY(PLAY) | MAY(HOLD)) & 1u << p;
}
