#include <errno.h>
#include <stdlib.h>

#include "sim_actor.h"
#include "minecraft/varint.h"

static const char upgraded[] = "HTTP/1.1 101";

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void write_out(struct sim_actor *a)
{
	while (a->peer != NULL && a->out.len > 0) {
		ssize_t n = sim_peer_send(a->peer, a->out.p, a->out.len);

		if (n <= 0) {
			if (n != -EAGAIN && n != 0)
				a->out.len = 0;
			return;
		}
		buf_drop_front(&a->out, (size_t)n);
	}
	if (a->shut && a->peer != NULL) {
		a->shut = false;
		sim_peer_shutdown(a->peer);
	}
}

void sim_actor_send_raw(struct sim_actor *a, struct slice bytes)
{
	if (a->peer == NULL)
		return;
	must(buf_append(&a->out, bytes));
	write_out(a);
}

void sim_actor_send(struct sim_actor *a, struct slice bytes)
{
	static const uint8_t mask[4] = {0x37, 0xFA, 0x21, 0x3D};
	uint8_t head[WS_HEADER_MAX];
	size_t at, n;

	if (!a->websocket || a->peer == NULL) {
		sim_actor_send_raw(a, bytes);
		return;
	}
	n = ws_header_write(head, bytes.len, mask);
	must(buf_append(&a->out, slice_of(head, n)));
	at = a->out.len;
	must(buf_append(&a->out, bytes));
	ws_mask_apply(a->out.p + at, bytes.len, mask, 0);
	write_out(a);
}

static void control(struct sim_actor *a, enum ws_control op, struct slice payload)
{
	static const uint8_t mask[4] = {1, 2, 3, 4};
	uint8_t frame[WS_CONTROL_FRAME_MAX];

	sim_actor_send_raw(a, slice_of(frame, ws_control_write(frame, op, payload, mask)));
}

static void take_ws(struct sim_actor *a, struct slice in)
{
	struct slice data;

	while (in.len > 0) {
		switch (ws_in_next(&a->ws, &in, &data)) {
		case WS_IN_DATA:
			must(buf_append(&a->in, data));
			break;
		case WS_IN_PING:
			control(a, WS_CONTROL_PONG, data);
			break;
		case WS_IN_CLOSE:
			a->ws_close_code = a->ws.close_code;
			break;
		case WS_IN_PONG:
		case WS_IN_MORE:
			break;
		case WS_IN_BAD:
			abort(); /* ours must speak well */
		}
	}
}

/* The answer's head; what follows is WebSocket. A refusal is no Minecraft: it stays in ws_head. */
static void take_answer(struct sim_actor *a, struct slice in)
{
	const uint8_t *end;
	struct slice rest;

	must(buf_append(&a->ws_head, in));
	end = memmem(a->ws_head.p, a->ws_head.len, "\r\n\r\n", 4);
	if (end == NULL || !slice_starts(buf_slice(&a->ws_head), slice_str(upgraded)))
		return;
	a->upgraded = true;
	ws_in_init(&a->ws, WS_CLIENT);
	rest = slice_of(end + 4, a->ws_head.len - (size_t)(end + 4 - a->ws_head.p));
	take_ws(a, rest);
}

static void take(struct sim_actor *a, struct slice in)
{
	a->read_total += in.len;
	if (!a->websocket)
		must(buf_append(&a->in, in));
	else if (a->upgraded)
		take_ws(a, in);
	else
		take_answer(a, in);
}

void sim_actor_read(struct sim_actor *a, size_t n)
{
	uint8_t memory[16384];

	while (a->peer != NULL && n > 0) {
		size_t want = n < sizeof(memory) ? n : sizeof(memory);
		ssize_t got = sim_peer_recv(a->peer, memory, want);

		if (got == -EAGAIN)
			return;
		if (got <= 0) {
			a->eof = true;
			a->broken = a->broken || got < 0;
			return;
		}
		n -= (size_t)got;
		take(a, slice_of(memory, (size_t)got));
	}
}

void sim_actor_on_event(struct sim_actor *a, unsigned events)
{
	if (events & SYS_OUT)
		write_out(a);
	if ((events & (SYS_IN | SYS_HUP)) && !a->no_reading)
		sim_actor_read(a, SIZE_MAX);
}

bool sim_frame_cut(struct slice *io, struct sim_frame *ret)
{
	uint32_t length, id;
	int head = varint_at(io->p, io->len, &length), id_bytes;

	if (head == VARINT_CUT)
		return false;
	must(head > 0 && length > 0 && length <= 2097151);
	if (io->len - (size_t)head < length)
		return false;
	ret->wire = slice_cut(io, (size_t)head + length);
	ret->body = slice_of(ret->wire.p + head, length);
	id_bytes = varint_at(ret->body.p, ret->body.len, &id);
	must(id_bytes > 0);
	slice_cut(&ret->body, (size_t)id_bytes);
	ret->id = (int32_t)id;
	return true;
}

bool sim_actor_next(struct sim_actor *a, struct sim_frame *ret)
{
	struct slice rest = buf_slice(&a->in);

	slice_cut(&rest, a->in_at);
	if (rest.len == 0 || !sim_frame_cut(&rest, ret)) {
		buf_drop_front(&a->in, a->in_at);
		a->in_at = 0;
		return false;
	}
	a->in_at += ret->wire.len;
	return true;
}

void sim_actor_close(struct sim_actor *a)
{
	if (a->peer != NULL)
		sim_peer_close(a->peer);
	a->peer = NULL;
}

void sim_actor_finish(struct sim_actor *a)
{
	a->shut = true;
	write_out(a);
}

void sim_actor_reset(struct sim_actor *a)
{
	if (a->peer != NULL)
		sim_peer_reset(a->peer);
	a->peer = NULL;
}

void sim_actor_fini(struct sim_actor *a)
{
	buf_fini(&a->out);
	buf_fini(&a->in);
	buf_fini(&a->ws_head);
}
