/* Time inside is monotonic microseconds. Only the loop reads the clock: everyone else takes the
 * turn's time. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

enum { US_PER_MS = 1000, US_PER_S = 1000000 };

static inline uint64_t clock_monotonic_us(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * US_PER_S + (uint64_t)ts.tv_nsec / 1000;
}

#endif
