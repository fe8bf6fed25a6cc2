/*
 * First bytes: what was decided stays decided, whatever follows; three bytes always decide; and
 * what comes in pieces is the same as what comes at once.
 */
#include <stdlib.h>

#include "session/first_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool what)
{
	if (!what)
		abort();
}

static bool is_open(enum first_bytes is)
{
	return is == FIRST_MORE || is == FIRST_MORE_OR_LEGACY;
}

/* A frame of one byte's length whose id is 0, as every handshake's is. */
static bool is_handshake(const uint8_t *p, size_t n)
{
	return n >= 2 && p[0] < 0x80 && p[1] == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum first_bytes known = FIRST_MORE;

	for (size_t have = 0; have <= size && have < 16; have++) {
		uint8_t *copy = malloc(have + 1); /* a read too far is seen */
		enum first_bytes now;

		require(copy != NULL);
		if (have > 0)
			memcpy(copy + 1, data, have);
		now = first_bytes_of(slice_of(copy + 1, have));
		free(copy);
		require(is_open(known) || now == known);
		require(!is_open(now) || have < FIRST_BYTES_MAX);
		require(now != FIRST_MORE_OR_LEGACY || data[0] == 0xFE);
		require(!is_handshake(data, have) || now == FIRST_MINECRAFT);
		known = now;
	}
	return 0;
}
