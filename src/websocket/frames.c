/*
 * RFC 6455 section 5, inbound. A frame is read in three steps: its first two bytes (checked at
 * once, so that nonsense is refused before we wait for more of it), the rest of its head, its
 * payload.
 *
 *   head[0..1] --first_two_bad--> whole head --length--> IN_FRAME: payload_left counts down to 0
 *
 * Invariant: what events come, and in what order, depends on the bytes only, never on how they were
 * cut; only the pieces of WS_IN_DATA differ.
 */
#include "websocket/frames.h"

#include "base/utf8.h"

enum { FIN = 0x80, RESERVED = 0x70, OPCODE = 0x0F, MASKED = 0x80, LENGTH = 0x7F };
enum { LENGTH_16 = 126, LENGTH_64 = 127 }; /* values of LENGTH: the length follows */
enum opcode { CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

enum flags {
	IN_FRAME = 1,   /* its head was taken */
	IN_MESSAGE = 2, /* a continuation has to follow the data frame under way, or the last one */
	CLOSED = 4,     /* CLOSE or BAD was reported */
};

enum { CLOSE_CODE_BYTES = 2 };

void ws_in_init(struct ws_in *in, enum ws_role role)
{
	*in = (struct ws_in){.role = (uint8_t)role};
}

static enum ws_in_event bad(struct ws_in *in, enum ws_close_code code, const char *what)
{
	in->flags |= CLOSED;
	in->close_code = (uint16_t)code;
	in->bad = what;
	return WS_IN_BAD;
}

static bool is_control(unsigned opcode)
{
	return opcode >= CLOSE;
}

static const char *control_bad(const uint8_t *head)
{
	if (!(head[0] & FIN))
		return "fragmented control frame";
	return (head[1] & LENGTH) > WS_CONTROL_MAX ? "control frame over 125 bytes" : NULL;
}

static const char *data_bad(const struct ws_in *in, unsigned opcode)
{
	bool in_message = in->flags & IN_MESSAGE;

	if (opcode == CONTINUATION)
		return in_message ? NULL : "continuation of nothing";
	return in_message ? "new message inside a message" : NULL;
}

/* What is wrong with the first two bytes, or NULL. */
static const char *first_two_bad(const struct ws_in *in)
{
	unsigned opcode = in->head[0] & OPCODE;
	bool masked = in->head[1] & MASKED;

	if (in->head[0] & RESERVED)
		return "reserved bits";
	if (opcode > PONG || (opcode > BINARY && opcode < CLOSE))
		return "unknown opcode";
	if (masked != (in->role == WS_SERVER))
		return masked ? "masked frame from a server" : "unmasked frame from a client";
	return is_control(opcode) ? control_bad(in->head) : data_bad(in, opcode);
}

/* Bytes of length behind the first two. */
static unsigned length_bytes(const uint8_t *head)
{
	unsigned length = head[1] & LENGTH;

	return length == LENGTH_64 ? 8 : length == LENGTH_16 ? 2 : 0;
}

static unsigned head_bytes(const uint8_t *head)
{
	return 2 + length_bytes(head) + (head[1] & MASKED ? 4 : 0);
}

static uint64_t big_endian(const uint8_t *p, unsigned n)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < n; i++)
		value = value << 8 | p[i];
	return value;
}

static bool length_is_minimal(uint64_t length, unsigned in_bytes)
{
	return in_bytes == 0 || (in_bytes == 2 ? length >= LENGTH_16 : length > UINT16_MAX);
}

/* Moves bytes from *io_in into head until it has `want`. */
static bool head_fill(struct ws_in *in, struct slice *io_in, unsigned want)
{
	size_t n;

	if (in->head_len >= want)
		return true;
	n = want - in->head_len;
	if (n > io_in->len)
		n = io_in->len;
	if (n > 0)
		memcpy(in->head + in->head_len, slice_cut(io_in, n).p, n);
	in->head_len = (uint8_t)(in->head_len + n);
	return in->head_len == want;
}

/* The head is whole: what it announces begins. */
static void frame_begin(struct ws_in *in, uint64_t length)
{
	in->opcode = in->head[0] & OPCODE;
	in->payload_left = length;
	in->control_len = 0;
	in->mask_at = 0;
	if (in->head[1] & MASKED)
		memcpy(in->mask, in->head + in->head_len - 4, 4);
	in->head_len = 0;
	in->flags |= IN_FRAME;
}

/* Length of the message with this frame; the caller has checked that length does not wrap. */
static uint64_t message_length(const struct ws_in *in, uint64_t length)
{
	return (in->head[0] & OPCODE) == BINARY ? length : in->message_bytes + length;
}

static enum ws_in_event data_begin(struct ws_in *in, uint64_t length)
{
	if (length > WS_MESSAGE_MAX_IN || message_length(in, length) > WS_MESSAGE_MAX_IN)
		return bad(in, WS_CLOSE_TOO_BIG, "message over 16 MiB");
	in->message_bytes = message_length(in, length);
	if (in->head[0] & FIN)
		in->flags &= (uint8_t)~IN_MESSAGE;
	else
		in->flags |= IN_MESSAGE;
	frame_begin(in, length);
	return WS_IN_DATA;
}

/* Takes the head of the next frame. WS_IN_DATA: it is whole, IN_FRAME is set. */
static enum ws_in_event head_take(struct ws_in *in, struct slice *io_in)
{
	const char *what;
	uint64_t length;
	unsigned extra;

	if (!head_fill(in, io_in, 2))
		return WS_IN_MORE;
	what = first_two_bad(in);
	if (what != NULL)
		return bad(in, WS_CLOSE_PROTOCOL, what);
	if ((in->head[0] & OPCODE) == TEXT)
		return bad(in, WS_CLOSE_UNSUPPORTED, "text message");
	if (!head_fill(in, io_in, head_bytes(in->head)))
		return WS_IN_MORE;
	extra = length_bytes(in->head);
	length = extra == 0 ? in->head[1] & LENGTH : big_endian(in->head + 2, extra);
	if (!length_is_minimal(length, extra) || length >> 63)
		return bad(in, WS_CLOSE_PROTOCOL, "badly formed length");
	if (!is_control(in->head[0] & OPCODE))
		return data_begin(in, length);
	frame_begin(in, length);
	return WS_IN_DATA;
}

/* RFC 6455 section 7.4; 1012 to 1014 were registered later. */
static bool close_code_is_valid(unsigned code)
{
	if (code >= 3000 && code <= 4999)
		return true;
	return code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
}

static enum ws_in_event on_close(struct ws_in *in, struct slice payload, struct slice *ret_reason)
{
	struct slice code = {0};

	if (payload.len == 1)
		return bad(in, WS_CLOSE_PROTOCOL, "close frame of one byte");
	if (payload.len >= CLOSE_CODE_BYTES)
		code = slice_cut(&payload, CLOSE_CODE_BYTES);
	in->close_code = code.len == 0 ? WS_CLOSE_NONE : (uint16_t)big_endian(code.p, 2);
	if (code.len > 0 && !close_code_is_valid(in->close_code))
		return bad(in, WS_CLOSE_PROTOCOL, "close code that must not be sent");
	if (utf8_utf16_units(payload) < 0)
		return bad(in, WS_CLOSE_NOT_UTF8, "close reason is not UTF-8");
	in->flags |= CLOSED;
	*ret_reason = payload;
	return WS_IN_CLOSE;
}

/* Collects the payload of a control frame, which is short, and acts when it is whole. */
static enum ws_in_event control_take(struct ws_in *in, struct slice *io_in, struct slice *ret)
{
	size_t n = io_in->len < in->payload_left ? io_in->len : (size_t)in->payload_left;
	struct slice payload;

	if (n > 0)
		memcpy(in->control + in->control_len, slice_cut(io_in, n).p, n);
	in->control_len = (uint8_t)(in->control_len + n);
	in->payload_left -= n;
	if (in->payload_left > 0)
		return WS_IN_MORE;
	in->flags &= (uint8_t)~IN_FRAME;
	ws_mask_apply(in->control, in->control_len, in->mask, 0);
	payload = slice_of(in->control, in->control_len);
	if (in->opcode == CLOSE)
		return on_close(in, payload, ret);
	*ret = payload;
	return in->opcode == PING ? WS_IN_PING : WS_IN_PONG;
}

/* The piece of payload that is here. MORE: none of it is, or the frame is over. */
static enum ws_in_event data_take(struct ws_in *in, struct slice *io_in, struct slice *ret)
{
	size_t n = io_in->len < in->payload_left ? io_in->len : (size_t)in->payload_left;
	struct slice piece;

	in->payload_left -= n;
	if (in->payload_left == 0)
		in->flags &= (uint8_t)~IN_FRAME;
	if (n == 0)
		return WS_IN_MORE;
	piece = slice_cut(io_in, n);
	if (in->role == WS_SERVER) /* our caller lends the bytes to be changed */
		ws_mask_apply((uint8_t *)(uintptr_t)piece.p, n, in->mask, in->mask_at);
	in->mask_at = (uint8_t)((in->mask_at + n) & 3);
	*ret = piece;
	return WS_IN_DATA;
}

bool ws_in_is_closed(const struct ws_in *in)
{
	return (in->flags & CLOSED) != 0;
}

static bool frame_is_valid(const struct ws_in *in)
{
	if (in->head_len != 0 || in->payload_left == 0)
		return false;
	if (is_control(in->opcode))
		return in->opcode <= PONG && in->payload_left <= WS_CONTROL_MAX &&
		       in->payload_left + in->control_len <= WS_CONTROL_MAX;
	return (in->opcode == CONTINUATION || in->opcode == BINARY) &&
	       in->payload_left <= in->message_bytes;
}

bool ws_in_is_valid(const struct ws_in *in)
{
	if (in->flags & ~(IN_FRAME | IN_MESSAGE) || in->mask_at > 3 ||
	    in->control_len > WS_CONTROL_MAX || in->message_bytes > WS_MESSAGE_MAX_IN)
		return false;
	if (in->flags & IN_FRAME)
		return frame_is_valid(in);
	if (in->head_len < 2)
		return true;
	return first_two_bad(in) == NULL && in->head_len < head_bytes(in->head);
}

enum ws_in_event ws_in_next(struct ws_in *in, struct slice *io_in, struct slice *ret_data)
{
	enum ws_in_event event = WS_IN_MORE;

	while (!(in->flags & CLOSED)) {
		if (!(in->flags & IN_FRAME)) {
			event = head_take(in, io_in);
			if (event != WS_IN_DATA)
				return event;
		}
		event = is_control(in->opcode) ? control_take(in, io_in, ret_data)
					       : data_take(in, io_in, ret_data);
		if (event != WS_IN_MORE || in->flags & IN_FRAME)
			return event;
	}
	if (io_in->len > 0)
		slice_cut(io_in, io_in->len);
	return WS_IN_MORE;
}
