/*
 * Plugin messages, both ways. Clientbound, Forge widens the u16 length: with bit 15 set a third
 * byte holds the bits from 15 on. Which form it is shows in the packet's size, so a length must fit
 * exactly there.
 */
#include "minecraft/play.h"

#include "minecraft/reader.h"

enum {
	LONG_BIT = 0x8000,
	LOW_BITS = 0x7FFF,
	LOW_BITS_N = 15,
	PLAIN_S_MAX = 0x7FFF, /* what vanilla and Forge read alike */
	LONG_S_MAX = 0x1FFF9A,
};

bool plugin_c_parse(struct plugin_message *ret, struct slice body)
{
	struct reader r = reader_of(body);
	struct plugin_message m;
	int16_t n;

	m.channel = read_str(&r, PLUGIN_CHANNEL_MAX_UNITS);
	n = read_i16(&r);
	if (n < 0 || n > PLUGIN_C_DATA_MAX)
		return false;
	m.data = read_bytes(&r, (size_t)n);
	if (r.bad)
		return false;
	*ret = m;
	return true;
}

void plugin_c_write(struct writer *w, const struct plugin_message *m)
{
	size_t mark = frame_begin(w, PLAY_C_PLUGIN);

	write_str(w, m->channel);
	write_u16(w, (uint16_t)m->data.len);
	write_bytes(w, m->data);
	if (m->data.len > PLUGIN_C_DATA_MAX)
		w->full = true;
	frame_end(w, mark);
}

bool plugin_s_parse(struct plugin_message *ret, struct slice body)
{
	struct reader r = reader_of(body);
	struct slice channel = read_str(&r, PLUGIN_CHANNEL_MAX_UNITS);
	uint16_t n = read_u16(&r);
	uint8_t high;

	if (!r.bad && n != r.rest.len) {
		high = read_u8(&r);
		if ((n & LONG_BIT) == 0 ||
		    ((uint32_t)high << LOW_BITS_N | (n & LOW_BITS)) != r.rest.len)
			return false;
	}
	if (r.bad)
		return false;
	ret->channel = channel;
	ret->data = read_rest(&r);
	return true;
}

void plugin_s_write(struct writer *w, const struct plugin_message *m)
{
	size_t mark = frame_begin(w, PLAY_S_PLUGIN);
	size_t n = m->data.len;

	write_str(w, m->channel);
	if (n <= PLAIN_S_MAX) {
		write_u16(w, (uint16_t)n);
	} else {
		write_u16(w, (uint16_t)((n & LOW_BITS) | LONG_BIT));
		write_u8(w, (uint8_t)(n >> LOW_BITS_N));
	}
	write_bytes(w, m->data);
	if (n > LONG_S_MAX)
		w->full = true;
	frame_end(w, mark);
}
