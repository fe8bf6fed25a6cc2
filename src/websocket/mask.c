/* The masking of RFC 6455 section 5.3, apart from the frames because it is the only thing here that
 * touches every byte: no alignment is asked for, and the compiler makes vectors of the loop. */
#include "websocket/frames.h"

/* One step of the loop: wide enough for two vectors of any common machine. */
enum { LANES = 4, STEP = LANES * sizeof(uint64_t) };

static uint64_t pattern_of(const uint8_t mask[4], unsigned at)
{
	uint8_t bytes[sizeof(uint64_t)];
	uint64_t pattern;

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = mask[(at + i) & 3];
	memcpy(&pattern, bytes, sizeof(pattern));
	return pattern;
}

static void xor_step(uint8_t *p, uint64_t pattern)
{
	uint64_t words[LANES];

	memcpy(words, p, STEP);
	for (unsigned i = 0; i < LANES; i++)
		words[i] ^= pattern;
	memcpy(p, words, STEP);
}

/* STEP and 8 are multiples of 4, so the pattern holds until the last bytes. */
void ws_mask_apply(uint8_t *p, size_t len, const uint8_t mask[4], unsigned at)
{
	uint64_t pattern = pattern_of(mask, at), word;
	size_t i = 0;

	for (; len - i >= STEP; i += STEP)
		xor_step(p + i, pattern);
	for (; len - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		word ^= pattern;
		memcpy(p + i, &word, sizeof(word));
	}
	for (; i < len; i++)
		p[i] ^= mask[(at + i) & 3];
}
