/* Secrets: compared in a time that does not tell where they differ, wiped so that it lasts. */
#ifndef CRYPTO_SECRET_H
#define CRYPTO_SECRET_H

#include "base/slice.h"

/* Only the lengths may be learnt from the time this takes. */
bool secret_eq(struct slice a, struct slice b);

/* Overwrites n bytes; no compiler leaves it out. */
void secret_wipe(void *p, size_t n);

#endif
