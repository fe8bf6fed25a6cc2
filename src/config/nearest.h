/* "Did you mean ...": the known name that is closest to a mistyped one. */
#ifndef CONFIG_NEAREST_H
#define CONFIG_NEAREST_H

#include "base/attr.h"
#include "base/slice.h"

struct nearest {
	struct slice want;
	const char *best; /* NULL while nothing is close enough */
	unsigned distance;
};

/* `want` is borrowed. */
void nearest_init(struct nearest *n, struct slice want);
void nearest_try(struct nearest *n, const char *candidate);

/* Equal but for case, '-' and '_': "kick-old" and "kickOld" are one name. */
bool nearest_is_same(struct slice a, struct slice b);

#endif
