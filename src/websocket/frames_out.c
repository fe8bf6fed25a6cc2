/* RFC 6455 section 5, outbound: whole frames only, lengths in their shortest form. */
#include "websocket/frames.h"

#include "base/utf8.h"

enum { FIN = 0x80, BINARY = 2, MASKED = 0x80 };
enum { LENGTH_16 = 126, LENGTH_64 = 127 }; /* in the length's place: it follows in 2 or 8 bytes */
enum { CLOSE_CODE_BYTES = 2 };

size_t ws_header_bytes(size_t payload_len, enum ws_role role)
{
	size_t length = payload_len > UINT16_MAX ? 8 : payload_len >= LENGTH_16 ? 2 : 0;

	return 2 + length + (role == WS_CLIENT ? 4 : 0);
}

static size_t head_write(uint8_t *ret, unsigned opcode, size_t payload_len, const uint8_t mask[4])
{
	size_t bytes = ws_header_bytes(payload_len, WS_SERVER);
	uint64_t left = payload_len;

	ret[0] = (uint8_t)(FIN | opcode);
	for (size_t i = bytes; i > 2; i--, left >>= 8)
		ret[i - 1] = (uint8_t)left;
	ret[1] = (uint8_t)(bytes == 10 ? LENGTH_64 : bytes == 4 ? LENGTH_16 : payload_len);
	if (mask == NULL)
		return bytes;
	ret[1] |= MASKED;
	memcpy(ret + bytes, mask, 4);
	return bytes + 4;
}

size_t ws_header_write(uint8_t ret[WS_HEADER_MAX], size_t payload_len, const uint8_t mask[4])
{
	return head_write(ret, BINARY, payload_len, mask);
}

size_t ws_control_write(uint8_t ret[WS_CONTROL_FRAME_MAX], enum ws_control op, struct slice payload,
			const uint8_t mask[4])
{
	size_t n = payload.len < WS_CONTROL_MAX ? payload.len : WS_CONTROL_MAX;
	size_t head = head_write(ret, op, n, mask);

	if (n > 0)
		memcpy(ret + head, payload.p, n);
	if (mask != NULL)
		ws_mask_apply(ret + head, n, mask, 0);
	return head + n;
}

/* Bytes of whole characters that fit into max. */
static size_t utf8_prefix(struct slice s, size_t max)
{
	struct slice rest = s;
	size_t fits = 0;
	uint32_t code;

	while (rest.len > 0 && utf8_next(&rest, &code) && s.len - rest.len <= max)
		fits = s.len - rest.len;
	return fits;
}

size_t ws_close_write(uint8_t ret[WS_CONTROL_FRAME_MAX], enum ws_close_code code,
		      struct slice reason, const uint8_t mask[4])
{
	uint8_t payload[WS_CONTROL_MAX] = {(uint8_t)((unsigned)code >> 8), (uint8_t)code};
	size_t n = utf8_prefix(reason, WS_CONTROL_MAX - CLOSE_CODE_BYTES);

	if (code == WS_CLOSE_NONE)
		return ws_control_write(ret, WS_CONTROL_CLOSE, (struct slice){0}, mask);
	if (n > 0)
		memcpy(payload + CLOSE_CODE_BYTES, reason.p, n);
	return ws_control_write(ret, WS_CONTROL_CLOSE, slice_of(payload, CLOSE_CODE_BYTES + n),
				mask);
}
