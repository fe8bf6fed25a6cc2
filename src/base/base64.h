/* Base64 of RFC 4648 section 4: the usual alphabet, with padding, on one line. In base, because
 * floors that link no crypto library need it too. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/attr.h"
#include "base/slice.h"

/* Characters that `bytes` bytes become, without a NUL. */
static inline size_t base64_len(size_t bytes)
{
	return (bytes + 2) / 3 * 4;
}

/* Most bytes that `len` characters can become. */
static inline size_t base64_max_bytes(size_t len)
{
	return len / 4 * 3;
}

/* ret holds base64_len(data.len) + 1 characters: a NUL ends the text. */
void base64_encode(char *ret, struct slice data);

/*
 * ret holds base64_max_bytes(text.len) bytes. False: a length that is no multiple of four, or a
 * character that does not belong there; blanks and line ends do not. Left-over bits of the last
 * character may be anything.
 */
must_check bool base64_decode(uint8_t *ret, size_t *ret_len, struct slice text);

#endif
