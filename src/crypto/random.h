/* Random bytes fit for keys and tokens. */
#ifndef CRYPTO_RANDOM_H
#define CRYPTO_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

/* False: the generator could not be seeded; what p holds must not be used then. Any thread. */
must_check bool random_bytes(void *p, size_t n);

#endif
