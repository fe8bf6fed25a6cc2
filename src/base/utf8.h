/* UTF-8 as Minecraft counts it: lengths are UTF-16 code units. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/attr.h"
#include "base/slice.h"

/* One code point from the front of s; RFC 3629: no overlong form, no surrogate. False: invalid. */
must_check bool utf8_next(struct slice *s, uint32_t *ret_code);

/* Number of UTF-16 units, or -1 when s is not UTF-8. */
must_check long utf8_utf16_units(struct slice s);

#endif
