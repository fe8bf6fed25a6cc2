#include "session/opening.h"

int32_t opening_elsewhere(int32_t a, int32_t b)
{
	static const int32_t known[] = {-1, 0, 1};

	for (unsigned i = 0; i < COUNT_OF(known); i++) {
		if (known[i] != a && known[i] != b)
			return known[i];
	}
	return 0;
}

int32_t opening_target(int8_t byte, bool has_override, int32_t override)
{
	return has_override && (int8_t) override == byte ? override : byte;
}
