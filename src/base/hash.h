/* uthash for cold maps; a failed allocation is told (hh.tbl stays NULL) and ends nothing. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#endif
