/* Base64 (RFC 4648, section 4, with padding) for floors that do not link a crypto library. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/attr.h"
#include "base/slice.h"

/* Characters that s bytes become, without a NUL. */
static inline size_t base64_len(size_t bytes)
{
	return (bytes + 2) / 3 * 4;
}

/* Writes base64_len(s.len) characters and a NUL. */
void base64_encode(char *ret, struct slice s);

#endif
