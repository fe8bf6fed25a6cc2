/* The protocol versions that sessions speak; what differs between them is a table by this enum. */
#ifndef MINECRAFT_VERSION_H
#define MINECRAFT_VERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

/*        name         protocol  what people call it */
#define VERSIONS(X)                        \
	X(VERSION_1_7_2, 4, "1.7.2-1.7.5") \
	X(VERSION_1_7_6, 5, "1.7.6-1.7.10")

enum version {
#define X(name, protocol, text) name,
	VERSIONS(X)
#undef X
};

#define X(name, protocol, text) +1
enum { VERSION_COUNT = VERSIONS(X) };
#undef X

must_check bool version_of_protocol(int32_t protocol, enum version *ret);
int32_t version_protocol(enum version v);
const char *version_text(enum version v);

/* "1.7.2-1.7.10": the whole span that is spoken, for texts. */
const char *version_span_text(void);

#endif
