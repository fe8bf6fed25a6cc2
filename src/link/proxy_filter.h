/* Reads one PROXY header from the front of a connection, tells its owner, and is gone. */
#ifndef LINK_PROXY_FILTER_H
#define LINK_PROXY_FILTER_H

#include "link/link.h"
#include "link/proxy_header.h"

typedef void (*proxy_source_fn)(struct link *l,
				const struct addr *source); /* ADDR_NONE: keep the peer's own */

/* on_source is called before the bytes behind the header go up. NULL: no memory. */
must_check struct filter *proxy_filter_new(proxy_source_fn on_source);

#endif
