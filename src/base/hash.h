/* uthash for cold maps, set up so that a failed allocation is told (hh.tbl stays NULL) instead of ending the process. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#endif
