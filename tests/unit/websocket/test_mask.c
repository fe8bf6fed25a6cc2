#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "websocket/frames.h"

enum { LONGEST = 200, GUARD = 8 };

static void naive(uint8_t *p, size_t len, const uint8_t mask[4], unsigned at)
{
	for (size_t i = 0; i < len; i++)
		p[i] ^= mask[(at + i) % 4];
}

static void fill(uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)(i * 31 + 5);
}

/* Every length at every alignment and offset into the mask, and not a byte beside. */
static void test_against_naive(void **state)
{
	static const uint8_t mask[4] = {0x01, 0x80, 0xFF, 0x5A};
	_Alignas(64) uint8_t got[LONGEST + 64 + 2 * GUARD];
	uint8_t want[sizeof(got)];

	(void)state;
	for (size_t len = 0; len <= LONGEST; len++) {
		for (unsigned turn = 0; turn < 64 * 4; turn++) {
			size_t start = GUARD + turn / 4;

			fill(got, sizeof(got));
			memcpy(want, got, sizeof(got));
			ws_mask_apply(got + start, len, mask, turn % 4);
			naive(want + start, len, mask, turn % 4);
			assert_memory_equal(got, want, sizeof(got));
		}
	}
}

/* Pieces with a running offset are the same as the whole. */
static void test_in_pieces(void **state)
{
	static const uint8_t mask[4] = {9, 8, 7, 6};
	uint8_t whole[LONGEST], pieces[LONGEST];

	(void)state;
	for (size_t a = 0; a <= LONGEST; a++) {
		fill(whole, LONGEST);
		fill(pieces, LONGEST);
		ws_mask_apply(whole, LONGEST, mask, 0);
		ws_mask_apply(pieces, a, mask, 0);
		ws_mask_apply(pieces + a, LONGEST - a, mask, (unsigned)a);
		assert_memory_equal(whole, pieces, LONGEST);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_naive),
		cmocka_unit_test(test_in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
