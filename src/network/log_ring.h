/*
 * Log lines on their way from a worker to the main thread: one writer, one reader, no lock. A full
 * ring drops the line and the writer counts it; a worker never waits for a terminal.
 */
#ifndef NETWORK_LOG_RING_H
#define NETWORK_LOG_RING_H

#include <stdatomic.h>

#include "base/attr.h"
#include "base/slice.h"

enum { LOG_RING_BYTES = 256 * 1024, LOG_LINE_MAX = 1024 };

struct log_line {
	uint64_t at_us; /* wall clock, since 1970 */
	uint16_t len;
	uint8_t level; /* enum log_level */
	uint8_t cause; /* lines of one cause are summarised; 0: never */
};

struct log_ring {
	_Atomic uint32_t head, tail; /* bytes written and read, modulo 2^32 */
	uint8_t *p;
};

must_check bool log_ring_init(struct log_ring *r);
void log_ring_fini(struct log_ring *r);

/* text is cut at LOG_LINE_MAX. False: full. Writer's thread. */
must_check bool log_ring_put(struct log_ring *r, struct log_line line, struct slice text);

/* The oldest line; ret_text has LOG_LINE_MAX bytes. False: empty. Reader's thread. */
must_check bool log_ring_take(struct log_ring *r, struct log_line *ret, char *ret_text);

#endif
