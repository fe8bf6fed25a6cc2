/* Which worlds a client is sent through when it changes servers: pure arithmetic on dimensions. */
#ifndef SESSION_OPENING_H
#define SESSION_OPENING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

/* One of -1, 0, 1 (which every client knows) that is neither a nor b. */
int32_t opening_elsewhere(int32_t a, int32_t b);

/* Where a Join Game with this byte really goes: the override counts only when its low 8 bits are
 * the byte. */
int32_t opening_target(int8_t byte, bool has_override, int32_t override);

#endif
