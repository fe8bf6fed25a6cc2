/* Numbers to pointers: open addressing, linear probing, 16 bytes an entry. For connection ids,
 * which are never 0. */
#ifndef BASE_IDMAP_H
#define BASE_IDMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

struct idmap_entry {
	uint64_t id; /* 0: free */
	void *value;
};

/* All zero is a valid empty map. */
struct idmap {
	struct idmap_entry *v;
	uint32_t n, cap; /* cap: 0 or a power of two */
};

void idmap_fini(struct idmap *m);

/* id is not 0 and not in there yet. False: no memory, nothing changed. */
must_check bool idmap_put(struct idmap *m, uint64_t id, void *value);
void *idmap_get(const struct idmap *m, uint64_t id); /* NULL: not there */
void idmap_remove(struct idmap *m, uint64_t id);     /* harmless when not there */

#endif
