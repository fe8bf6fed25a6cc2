#include "minecraft/handshake.h"

#include "minecraft/reader.h"

/* With a legacy proxy in front the host carries an address, an identity and textures. */
enum { HOST_READ_MAX_UNITS = 4096 };

static bool next_is_known(int32_t next)
{
	return next == NEXT_STATUS || next == NEXT_LOGIN || next == NEXT_TRANSFER;
}

bool handshake_parse(struct handshake *ret, struct slice body)
{
	struct reader r = reader_of(body);
	struct handshake h = {0};
	int32_t next;

	h.protocol = read_varint(&r);
	h.host = read_str(&r, HOST_READ_MAX_UNITS);
	h.port = read_u16(&r);
	next = read_varint(&r);
	if (!reader_done(&r) || !next_is_known(next))
		return false;
	h.next = (enum handshake_next)next;
	*ret = h;
	return true;
}

void handshake_write(struct writer *w, const struct handshake *h)
{
	size_t mark = frame_begin(w, HANDSHAKE_ID);

	write_varint(w, h->protocol);
	write_str(w, h->host);
	write_u16(w, h->port);
	write_varint(w, (int32_t)h->next);
	frame_end(w, mark);
}
