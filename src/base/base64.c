#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* n bytes, 1 to 3, become 4 characters. */
static void encode_group(char *ret, const uint8_t *p, size_t n)
{
	uint32_t bits = (uint32_t)p[0] << 16;

	if (n > 1)
		bits |= (uint32_t)p[1] << 8;
	if (n > 2)
		bits |= p[2];
	ret[0] = alphabet[bits >> 18];
	ret[1] = alphabet[bits >> 12 & 63];
	ret[2] = n > 1 ? alphabet[bits >> 6 & 63] : '=';
	ret[3] = n > 2 ? alphabet[bits & 63] : '=';
}

void base64_encode(char *ret, struct slice data)
{
	while (data.len > 0) {
		struct slice group = slice_cut(&data, data.len < 3 ? data.len : 3);

		encode_group(ret, group.p, group.len);
		ret += 4;
	}
	*ret = '\0';
}

static int value_of(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static size_t padding_of(struct slice text)
{
	if (text.len == 0 || text.p[text.len - 1] != '=')
		return 0;
	return text.p[text.len - 2] == '=' ? 2 : 1;
}

static bool all_have_values(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (value_of(text.p[i]) < 0)
			return false;
	}
	return true;
}

/* n characters, 2 to 4 (the rest of the group is padding), become n - 1 bytes. */
static void decode_group(uint8_t *ret, const uint8_t *p, size_t n)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < n; i++)
		bits |= (uint32_t)value_of(p[i]) << (18 - 6 * i);
	for (size_t i = 0; i + 1 < n; i++)
		ret[i] = (uint8_t)(bits >> (16 - 8 * i));
}

bool base64_decode(uint8_t *ret, size_t *ret_len, struct slice text)
{
	size_t at = 0;

	if (text.len % 4 != 0)
		return false;
	text.len -= padding_of(text);
	if (!all_have_values(text))
		return false;
	while (text.len > 0) {
		struct slice group = slice_cut(&text, text.len < 4 ? text.len : 4);

		decode_group(ret + at, group.p, group.len);
		at += group.len - 1;
	}
	*ret_len = at;
	return true;
}
