/* The VarInt of Minecraft: 7 bits a byte, low ones first, bit 7 set while more follow; 32 bits,
 * two's complement. */
#ifndef MINECRAFT_VARINT_H
#define MINECRAFT_VARINT_H

#include <stddef.h>
#include <stdint.h>

enum { VARINT_MAX_BYTES = 5 };

/* What varint_at found besides a number of bytes. */
enum { VARINT_CUT = 0, VARINT_TOO_LONG = -1 };

/*
 * Reads the VarInt that starts at p, of which n bytes are there. Returns how many bytes it has,
 * VARINT_CUT when it goes on behind the n, VARINT_TOO_LONG when its fifth byte does not end it.
 * Longer forms than necessary count, and what the fifth byte has above 32 bits is dropped, as
 * clients and servers do it.
 */
static inline int varint_at(const uint8_t *p, size_t n, uint32_t *ret)
{
	uint32_t value = 0;

	if (n > 0 && p[0] < 0x80) {
		*ret = p[0];
		return 1;
	}
	for (unsigned i = 0; i < VARINT_MAX_BYTES && i < n; i++) {
		value |= (uint32_t)(p[i] & 0x7F) << (7 * i);
		if (p[i] < 0x80) {
			*ret = value;
			return (int)i + 1;
		}
	}
	return n < VARINT_MAX_BYTES ? VARINT_CUT : VARINT_TOO_LONG;
}

#endif
