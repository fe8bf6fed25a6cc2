/* Between our bytes and jansson: text that may not be UTF-8 in, JSON into a buffer out. */
#ifndef MINECRAFT_JSONTEXT_H
#define MINECRAFT_JSONTEXT_H

#include <jansson.h>

#include "base/attr.h"
#include "base/buf.h"

/* A JSON string; each byte that is not UTF-8 becomes '?'. NULL: no memory. */
must_check json_t *jsontext_string(struct slice text);

/* {"text": ...}. NULL: no memory. */
must_check json_t *jsontext_component(struct slice text);

/* Appends the compact form and drops the caller's reference to j, also when it fails: j NULL, no
 * memory. Then b is as it was. */
must_check bool jsontext_take_append(struct buf *b, json_t *j);

#endif
