/* What the server list shows: every answer prebuilt as whole frames, so that a request costs one
 * write. */
#ifndef NETWORK_LISTING_H
#define NETWORK_LISTING_H

#include <stdatomic.h>

#include "base/attr.h"
#include "base/slice.h"
#include "config/settings.h"
#include "network/roster.h"

enum listing_kind {
	LISTING_1_7_2, /* status response naming protocol 4 */
	LISTING_1_7_6, /* and 5: for everybody else too, who then read that their version does not
			  fit */
	LISTING_LEGACY,
	LISTING_LEGACY_MODERN,
	LISTING_KINDS,
};

struct listing {
	_Atomic unsigned refs;
	struct slice answers[LISTING_KINDS]; /* into bytes */
	uint8_t bytes[];
};

/* NULL: no memory. */
must_check struct listing *listing_new(const struct settings *s, const struct roster *r);
struct listing *listing_ref(struct listing *l);
void listing_unref(struct listing *l); /* NULL is fine */

#endif
