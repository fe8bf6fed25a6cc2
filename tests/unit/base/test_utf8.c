#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/utf8.h"

static bool is_code(uint32_t code)
{
	return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

/* The shortest form, by the book. */
static size_t encode(uint8_t ret[4], uint32_t code)
{
	if (code < 0x80) {
		ret[0] = (uint8_t)code;
		return 1;
	}
	if (code < 0x800) {
		ret[0] = (uint8_t)(0xC0 | code >> 6);
		ret[1] = (uint8_t)(0x80 | (code & 63));
		return 2;
	}
	if (code < 0x10000) {
		ret[0] = (uint8_t)(0xE0 | code >> 12);
		ret[1] = (uint8_t)(0x80 | (code >> 6 & 63));
		ret[2] = (uint8_t)(0x80 | (code & 63));
		return 3;
	}
	ret[0] = (uint8_t)(0xF0 | code >> 18);
	ret[1] = (uint8_t)(0x80 | (code >> 12 & 63));
	ret[2] = (uint8_t)(0x80 | (code >> 6 & 63));
	ret[3] = (uint8_t)(0x80 | (code & 63));
	return 4;
}

/* Every code point, surrogates and what lies behind the last included. */
static void test_every_code(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 0x111000; code++) {
		uint8_t bytes[4];
		size_t n = encode(bytes, code);
		struct slice s = slice_of(bytes, n);
		uint32_t got = 0x7FFFFFFF;
		bool ok = utf8_next(&s, &got);

		if (ok != is_code(code))
			fail_msg("code %x", code);
		assert_true(ok ? got == code && s.len == 0 : got == 0x7FFFFFFF && s.len == n);
	}
}

/* All strings of up to four bytes over the bytes at which anything changes: valid exactly when they
 * begin with the shortest form of some code. */
static const uint8_t edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
				0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
				0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF};

/* RFC 3629 section 4, the grammar: bytes of the character at the front, 0 when there is none. */
static size_t grammar(struct slice s)
{
	static const struct {
		uint8_t first_min, first_max, second_min, second_max, n;
	} rows[] = {{0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2},
		    {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
		    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
		    {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4},
		    {0xF4, 0xF4, 0x80, 0x8F, 4}};

	for (size_t i = 0; i < COUNT_OF(rows) && s.len > 0; i++) {
		if (s.p[0] < rows[i].first_min || s.p[0] > rows[i].first_max)
			continue;
		if (s.len < rows[i].n)
			return 0;
		if (rows[i].n > 1 && (s.p[1] < rows[i].second_min || s.p[1] > rows[i].second_max))
			return 0;
		for (size_t k = 2; k < rows[i].n; k++) {
			if ((s.p[k] & 0xC0) != 0x80)
				return 0;
		}
		return rows[i].n;
	}
	return 0;
}

static void test_against_the_grammar(void **state)
{
	const size_t n = COUNT_OF(edges);

	(void)state;
	for (size_t len = 1; len <= 4; len++) {
		size_t all = len == 1 ? n : len == 2 ? n * n : len == 3 ? n * n * n : n * n * n * n;
		uint8_t *bytes = malloc(len); /* a read too far is seen */

		for (size_t i = 0; i < all; i++) {
			size_t rest = i, want;
			struct slice s = slice_of(bytes, len);
			uint32_t code;
			bool ok;

			for (size_t k = 0; k < len; k++, rest /= n)
				bytes[k] = edges[rest % n];
			want = grammar(s);
			ok = utf8_next(&s, &code);
			assert_int_equal(ok ? len - s.len : 0, want);
		}
		free(bytes);
	}
}

static void test_units(void **state)
{
	(void)state;
	assert_int_equal(utf8_utf16_units((struct slice){0}), 0);
	assert_int_equal(utf8_utf16_units(SLICE_LIT("abc")), 3);
	assert_int_equal(utf8_utf16_units(SLICE_LIT("\xC3\xA9")), 1);
	assert_int_equal(utf8_utf16_units(SLICE_LIT("\xEF\xBF\xBF")), 1);
	assert_int_equal(utf8_utf16_units(SLICE_LIT("\xF0\x90\x80\x80")), 2);
	assert_int_equal(utf8_utf16_units(SLICE_LIT("a\xF0\x9F\x8E\x89z\0")), 5);
	assert_int_equal(utf8_utf16_units(SLICE_LIT("ok\xFF")), -1);
	assert_int_equal(utf8_utf16_units(SLICE_LIT("cut\xE2\x80")), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_code),
		cmocka_unit_test(test_against_the_grammar),
		cmocka_unit_test(test_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
