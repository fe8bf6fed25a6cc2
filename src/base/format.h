/* Text for people: bounded output, quantities with units, safe quoting of peers' bytes. */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include "base/attr.h"
#include "base/slice.h"

/* Writes into memory of the caller and stops at its end; always NUL-terminated. `cut` tells that it
 * was full. */
struct text {
	char *p;
	size_t len, cap;
	bool cut;
};

/* cap counts the NUL and is at least 1. */
struct text text_of(char *memory, size_t cap);
void text_put(struct text *t, struct slice s);
void text_puts(struct text *t, const char *s);
void text_printf(struct text *t, const char *fmt, ...) printf_like(2, 3);

/* logfmt value: bare when plain, else in quotes; quotes, backslashes, control characters and bytes
 * that are not UTF-8 are escaped (\x0a, \x1b, \xff, \u2028). A value that is cut keeps its closing
 * quote, or the rest of the line would be taken for a part of it. */
void text_put_value(struct text *t, struct slice s);

/* "8mb", "64kb", "512b", "512" (bytes); kb = 1,024. Without regard to case. */
must_check bool size_parse(struct slice s, uint64_t *ret_bytes);

/* "250ms", "5s", "10m", "2h"; "0" alone is allowed. */
must_check bool duration_parse(struct slice s, uint64_t *ret_us);

/* Shortest exact form: "8mb", "1500b"; "5s", "250ms". */
void text_put_size(struct text *t, uint64_t bytes);
void text_put_duration(struct text *t, uint64_t us);

/* Decimal digits only, no sign, no blanks. */
must_check bool u64_parse(struct slice s, uint64_t *ret);

void hex_encode(char *ret, struct slice s); /* 2 * s.len characters and a NUL, lower case */

#endif
