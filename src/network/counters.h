/* What a worker counts. One table; written by its worker only, read by anyone (relaxed). */
#ifndef NETWORK_COUNTERS_H
#define NETWORK_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#define COUNTERS(X)                                                                           \
	X(accepted)                                                                           \
	X(refused_full)         /* maxConnections */                                          \
	X(refused_address)      /* too many from one address or prefix */                     \
	X(refused_rate)         /* too fast from one address or prefix */                     \
	X(refused_proxy_header) /* PROXY from an untrusted peer, or missing where required */ \
	X(out_of_descriptors)                                                                 \
	X(scanners) /* closed without a word: nothing or garbage came */                      \
	X(status_requests)                                                                    \
	X(legacy_pings)                                                                       \
	X(http_refused)                                                                       \
	X(websockets)                                                                         \
	X(logins)                                                                             \
	X(joins) /* reached a backend's world */                                              \
	X(dials)                                                                              \
	X(dials_failed)                                                                       \
	X(tunnels)                                                                            \
	X(ends)                                                                               \
	X(log_lines_dropped)

struct counters {
#define X(name) _Atomic uint64_t name;
	COUNTERS(X)
#undef X
};

/* Only one thread adds: no locked instruction is needed. */
#define counter_add(c, by)                                                                 \
	atomic_store_explicit((c), atomic_load_explicit((c), memory_order_relaxed) + (by), \
			      memory_order_relaxed)

#endif
