/* Texts copied into memory that lives as long as their owner. */
#ifndef CONFIG_KEEP_H
#define CONFIG_KEEP_H

#include "base/arena.h"
#include "base/attr.h"
#include "base/slice.h"

/* With a NUL behind it. NULL: out of memory. */
must_check const char *keep_text(struct arena *memory, struct slice s);

/* n * bytes, all zero; n may be 0. NULL: out of memory. */
must_check void *keep_zeroed(struct arena *memory, size_t n, size_t bytes);

#endif
