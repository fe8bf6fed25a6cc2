/* Addresses as the config writes them -> struct place. Nothing is resolved here. */
#ifndef CONFIG_ENDPOINT_H
#define CONFIG_ENDPOINT_H

#include "base/arena.h"
#include "base/attr.h"
#include "base/slice.h"
#include "config/settings.h"

enum endpoint_result { ENDPOINT_OK, ENDPOINT_WRONG, ENDPOINT_MEMORY };

/* Where to listen: "127.0.0.1:25577", "[::1]:25577", "*:25577" or ":25577" (all addresses, IPv4 and
 * IPv6), "unix:/path", "inherited:NAME". *ret_why: what is wrong; the remedy. */
must_check enum endpoint_result endpoint_parse_listen(struct place *ret, struct slice text,
						      struct arena *memory, const char **ret_why);

/* Where a backend is: "host:port", "[ip6]:port", "unix:/path"; "tcp://" in front is tolerated. */
must_check enum endpoint_result endpoint_parse_backend(struct place *ret, struct slice text,
						       struct arena *memory, const char **ret_why);

#endif
