#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char digit(uint32_t bits, unsigned shift)
{
	return digits[(bits >> shift) & 63];
}

void base64_encode(char *ret, struct slice s)
{
	size_t i = 0;

	for (; s.len - i >= 3; i += 3) {
		uint32_t bits = (uint32_t)s.p[i] << 16 | (uint32_t)s.p[i + 1] << 8 | s.p[i + 2];

		for (unsigned k = 0; k < 4; k++)
			*ret++ = digit(bits, 18 - 6 * k);
	}
	if (i < s.len) {
		bool two = s.len - i == 2;
		uint32_t bits = (uint32_t)s.p[i] << 16 | (two ? (uint32_t)s.p[i + 1] << 8 : 0);

		*ret++ = digit(bits, 18);
		*ret++ = digit(bits, 12);
		*ret++ = two ? digit(bits, 6) : '=';
		*ret++ = '=';
	}
	*ret = '\0';
}
