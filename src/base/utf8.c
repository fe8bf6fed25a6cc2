#include "base/utf8.h"

static const struct {
	uint8_t mask, mark;
	uint8_t extra;
	uint32_t min;
} forms[] = {
	{0x80, 0x00, 0, 0},
	{0xE0, 0xC0, 1, 0x80},
	{0xF0, 0xE0, 2, 0x800},
	{0xF8, 0xF0, 3, 0x10000},
};

static bool code_is_valid(uint32_t code, uint32_t min)
{
	return code >= min && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

static int form_of(uint8_t first)
{
	for (int i = 0; i < (int)COUNT_OF(forms); i++) {
		if ((first & forms[i].mask) == forms[i].mark)
			return i;
	}
	return -1;
}

bool utf8_next(struct slice *s, uint32_t *ret_code)
{
	int form = s->len == 0 ? -1 : form_of(s->p[0]);
	uint32_t code;

	if (form < 0 || s->len <= forms[form].extra)
		return false;
	code = s->p[0] & (uint8_t)~forms[form].mask;
	for (unsigned i = 1; i <= forms[form].extra; i++) {
		if ((s->p[i] & 0xC0) != 0x80)
			return false;
		code = code << 6 | (s->p[i] & 0x3F);
	}
	if (!code_is_valid(code, forms[form].min))
		return false;
	slice_cut(s, forms[form].extra + 1u);
	*ret_code = code;
	return true;
}

long utf8_utf16_units(struct slice s)
{
	long units = 0;
	uint32_t code;

	while (s.len > 0) {
		if (!utf8_next(&s, &code))
			return -1;
		units += code >= 0x10000 ? 2 : 1;
	}
	return units;
}
