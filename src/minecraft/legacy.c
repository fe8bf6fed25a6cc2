/*
 * Server list answers for clients before 1.7, which ask with FE. They read one kick packet: FF, a
 * u16 length in UTF-16 units, UTF-16BE. They refuse texts of over 256 units, so every field has its
 * share.
 */
#include <stdio.h>

#include "base/utf8.h"
#include "minecraft/status.h"

enum {
	LEGACY_KICK = 0xFF,
	LEGACY_PROTOCOL = 127, /* no client of that age has it, so each shows the version's name */
	VERSION_MAX_UNITS = 64,
	MOTD_MAX_UNITS = 128,
	SECTION_SIGN = 0xA7,
};

static void put_unit(struct writer *w, uint32_t unit)
{
	write_u16(w, (uint16_t)unit);
}

static unsigned put_code(struct writer *w, uint32_t code)
{
	if (code < 0x10000) {
		put_unit(w, code);
		return 1;
	}
	put_unit(w, 0xD800 + ((code - 0x10000) >> 10));
	put_unit(w, 0xDC00 + ((code - 0x10000) & 0x3FF));
	return 2;
}

/* The next code point, '?' for a byte that belongs to none. */
static uint32_t next_code(struct slice *text)
{
	uint32_t code;

	if (utf8_next(text, &code))
		return code;
	slice_cut(text, 1);
	return '?';
}

/* Up to max_units of text; NUL cannot occur, it ends C strings. */
static void put_text(struct writer *w, struct slice text, unsigned max_units)
{
	unsigned n = 0;

	while (text.len > 0 && n + 2 <= max_units)
		n += put_code(w, next_code(&text));
}

/* The same without colour codes: there the sign parts the fields. */
static void put_uncoloured(struct writer *w, struct slice text, unsigned max_units)
{
	unsigned n = 0;

	while (text.len > 0 && n + 2 <= max_units) {
		uint32_t code = next_code(&text);

		if (code != SECTION_SIGN)
			n += put_code(w, code);
		else if (text.len > 0)
			(void)next_code(&text);
	}
}

static void put_number(struct writer *w, uint32_t n)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%u", n);
	put_text(w, slice_str(text), sizeof(text));
}

static void put_modern(struct writer *w, const struct status *s, struct slice motd)
{
	put_unit(w, SECTION_SIGN);
	put_unit(w, '1');
	put_unit(w, 0);
	put_number(w, LEGACY_PROTOCOL);
	put_unit(w, 0);
	put_text(w, slice_str(s->version_name), VERSION_MAX_UNITS);
	put_unit(w, 0);
	put_text(w, motd, MOTD_MAX_UNITS);
	put_unit(w, 0);
	put_number(w, s->online);
	put_unit(w, 0);
	put_number(w, s->max_players);
}

static void put_oldest(struct writer *w, const struct status *s, struct slice motd)
{
	put_uncoloured(w, motd, MOTD_MAX_UNITS);
	put_unit(w, SECTION_SIGN);
	put_number(w, s->online);
	put_unit(w, SECTION_SIGN);
	put_number(w, s->max_players);
}

void legacy_answer_write(struct writer *w, const struct status *s, bool modern)
{
	struct slice motd = slice_str(s->motd);
	size_t length_at, units;

	motd.len = slice_find(motd, '\n');
	write_u8(w, LEGACY_KICK);
	length_at = w->len;
	write_u16(w, 0);
	if (modern)
		put_modern(w, s, motd);
	else
		put_oldest(w, s, motd);
	if (w->full)
		return;
	units = (w->len - length_at - 2) / 2;
	w->p[length_at] = (uint8_t)(units >> 8);
	w->p[length_at + 1] = (uint8_t)units;
}
