/* WebSocket frames: byte 0 picks the role and the sizes of the pieces, the rest is the stream. Read
 * whole and in pieces it must give the same bytes and events; a control frame that was understood
 * is understood again when we write it. */
#include "websocket/frames.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool what)
{
	if (!what)
		abort();
}

struct reading {
	uint64_t hash, bytes;
	unsigned events;
};

static void note(struct reading *r, unsigned symbol)
{
	r->hash = (r->hash ^ symbol) * 0x100000001B3u;
}

static void note_slice(struct reading *r, unsigned mark, struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		note(r, mark + s.p[i]);
}

static const uint8_t a_mask[4] = {1, 2, 4, 0x80};

static void expect_again(const struct ws_in *in, enum ws_in_event e, struct slice payload)
{
	enum ws_role other = in->role == WS_SERVER ? WS_CLIENT : WS_SERVER;
	const uint8_t *mask = other == WS_SERVER ? a_mask : NULL;
	uint8_t frame[WS_CONTROL_FRAME_MAX];
	struct slice wire = {.p = frame}, got;
	struct ws_in reader;

	if (e == WS_IN_CLOSE)
		wire.len = ws_close_write(frame, (enum ws_close_code)in->close_code, payload, mask);
	else
		wire.len = ws_control_write(
			frame, e == WS_IN_PING ? WS_CONTROL_PING : WS_CONTROL_PONG, payload, mask);
	ws_in_init(&reader, other);
	require(ws_in_next(&reader, &wire, &got) == e);
	require(slice_eq(got, payload) && wire.len == 0);
	require(e != WS_IN_CLOSE || reader.close_code == in->close_code);
}

static void on_event(struct reading *r, const struct ws_in *in, enum ws_in_event e,
		     struct slice payload)
{
	if (e == WS_IN_DATA) {
		require(payload.len > 0);
		note_slice(r, 0x100, payload);
		r->bytes += payload.len;
		return;
	}
	note(r, 0x1000 + e);
	r->events++;
	if (e == WS_IN_CLOSE || e == WS_IN_BAD)
		note(r, 0x10000u + in->close_code);
	if (e == WS_IN_BAD) {
		require(in->bad != NULL);
		return;
	}
	require(payload.len <= WS_CONTROL_MAX);
	note_slice(r, 0x200, payload);
	expect_again(in, e, payload);
}

static void read_piece(struct reading *r, struct ws_in *in, struct slice piece)
{
	uint8_t *copy = malloc(piece.len + 1);
	struct slice left = {copy, piece.len}, payload = {0};
	enum ws_in_event e;

	require(copy != NULL);
	if (piece.len > 0)
		memcpy(copy, piece.p, piece.len);
	while ((e = ws_in_next(in, &left, &payload)) != WS_IN_MORE)
		on_event(r, in, e, payload);
	require(left.len == 0);
	free(copy);
}

static struct reading read_all(struct slice all, enum ws_role role, size_t piece)
{
	struct reading r = {0};
	struct ws_in in;

	ws_in_init(&in, role);
	while (all.len > 0)
		read_piece(&r, &in, slice_cut(&all, piece < all.len ? piece : all.len));
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice all = slice_of(data, size), setting;
	struct reading whole, pieces;
	enum ws_role role;

	if (size == 0)
		return 0;
	setting = slice_cut(&all, 1);
	role = setting.p[0] & 1 ? WS_CLIENT : WS_SERVER;
	whole = read_all(all, role, SIZE_MAX);
	pieces = read_all(all, role, 1 + setting.p[0] / 2);
	require(whole.hash == pieces.hash && whole.bytes == pieces.bytes);
	require(whole.events == pieces.events && whole.bytes <= all.len);
	return 0;
}
