#include "load_ws.h"

#include <stdio.h>
#include <string.h>

enum opcode { OP_CONT = 0, OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10 };

#define HEAD_MAX 8192
/* Fixed: nobody attacks a load tool, and equal runs send equal bytes. */
static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};

void ws_add_request(struct bytes *out, const char *host, const char *path)
{
	char head[1024];
	int n = snprintf(head, sizeof(head),
			 "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\n"
			 "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
			 "Sec-WebSocket-Version: 13\r\n\r\n",
			 path, host);

	if (n > 0 && (size_t)n < sizeof(head))
		bytes_add(out, head, (size_t)n);
}

int ws_read_answer(struct bytes *wire)
{
	static const char want[] = "HTTP/1.1 101";
	size_t left = bytes_left(wire);
	const uint8_t *end = left ? memmem(bytes_head(wire), left, "\r\n\r\n", 4) : NULL;

	if (!end)
		return left > HEAD_MAX ? -1 : 0;
	if (memcmp(bytes_head(wire), want, sizeof(want) - 1) != 0)
		return -1;
	bytes_skip(wire, (size_t)(end - bytes_head(wire)) + 4);
	return 1;
}

static void add_frame(struct bytes *out, enum opcode op, const uint8_t *v, size_t n)
{
	bytes_add_u8(out, (uint8_t)(0x80 | op));
	if (n < 126) {
		bytes_add_u8(out, (uint8_t)(0x80 | n));
	} else if (n < 65536) {
		bytes_add_u8(out, 0x80 | 126);
		bytes_add_be(out, n, 2);
	} else {
		bytes_add_u8(out, 0x80 | 127);
		bytes_add_be(out, n, 8);
	}
	bytes_add(out, mask, sizeof(mask));
	size_t start = out->end;
	bytes_add(out, v, n);
	for (size_t i = 0; i < n; i++)
		out->v[start + i] ^= mask[i & 3];
}

void ws_add_binary(struct bytes *out, const struct bytes *payload)
{
	add_frame(out, OP_BINARY, bytes_head(payload), bytes_left(payload));
}

/* Size of the header and, in *ret, of the payload; 0 while it is not whole. */
static size_t read_head(uint64_t *ret, const uint8_t *v, size_t n)
{
	if (n < 2)
		return 0;
	unsigned form = v[1] & 0x7f;
	unsigned extra = form == 126 ? 2 : form == 127 ? 8 : 0;
	if (n < 2 + extra)
		return 0;
	uint64_t size = extra ? 0 : form;
	for (unsigned i = 0; i < extra; i++)
		size = size << 8 | v[2 + i];
	*ret = size;
	return 2 + extra;
}

const char *ws_read_frames(struct bytes *in, struct bytes *pong, struct bytes *wire)
{
	for (;;) {
		uint64_t n = 0;
		const uint8_t *v = bytes_head(wire);
		size_t head = read_head(&n, v, bytes_left(wire));
		if (!head || bytes_left(wire) - head < n)
			return NULL;
		if (v[1] & 0x80)
			return "a masked frame of the server";
		switch (v[0] & 15) {
		case OP_BINARY:
		case OP_CONT:
			bytes_add(in, v + head, n);
			break;
		case OP_PING:
			add_frame(pong, OP_PONG, v + head, n);
			break;
		case OP_PONG:
			break;
		case OP_CLOSE:
			return "closed by WebSocket";
		default:
			return "an unexpected WebSocket frame";
		}
		bytes_skip(wire, head + n);
	}
}
