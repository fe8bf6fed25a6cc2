#include "session/first_bytes.h"

enum { LEGACY_PING = 0xFE, LEGACY_PAYLOAD = 0x01, LEGACY_PLUGIN = 0xFA };

/* Beginnings of two bytes that no Minecraft handshake has: its second byte is the id, 00 (or its
 * length's second). */
static const struct {
	char start[3];
	uint8_t is; /* enum first_bytes */
} starts[] = {
	{"PR", FIRST_PROXY}, {"\r\n", FIRST_PROXY}, {"\x16\x03", FIRST_TLS},
	{"GE", FIRST_HTTP},  {"PO", FIRST_HTTP},    {"PU", FIRST_HTTP},
	{"HE", FIRST_HTTP},  {"OP", FIRST_HTTP},    {"DE", FIRST_HTTP},
};

static enum first_bytes legacy(struct slice head)
{
	if (head.len == 1 || (head.len == 2 && head.p[1] == LEGACY_PAYLOAD))
		return FIRST_MORE_OR_LEGACY;
	if (head.p[1] == LEGACY_PAYLOAD && head.p[2] == LEGACY_PLUGIN)
		return FIRST_LEGACY;
	return FIRST_MINECRAFT;
}

enum first_bytes first_bytes_of(struct slice head)
{
	bool begins = false;

	if (head.len == 0)
		return FIRST_MORE;
	if (head.p[0] == LEGACY_PING)
		return legacy(head);
	for (size_t i = 0; i < COUNT_OF(starts); i++) {
		if (head.p[0] != (uint8_t)starts[i].start[0])
			continue;
		begins = true;
		if (head.len > 1 && head.p[1] == (uint8_t)starts[i].start[1])
			return (enum first_bytes)starts[i].is;
	}
	return begins && head.len == 1 ? FIRST_MORE : FIRST_MINECRAFT;
}
