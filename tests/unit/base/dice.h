/* Seeded dice for tests against models: the same seed gives the same run. */
#ifndef TEST_BASE_DICE_H
#define TEST_BASE_DICE_H

#include <stdint.h>

/* xorshift64; *state is not 0. 0 <= result < n. */
static inline uint32_t dice(uint64_t *state, uint32_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 33) % n;
}

#endif
