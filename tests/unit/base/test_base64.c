#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/base64.h"
#include "base/dice.h"

/* RFC 4648 section 10, and the whole alphabet. */
static const struct {
	size_t n;
	const char *plain, *text;
} rows[] = {
	{0, "", ""},
	{1, "f", "Zg=="},
	{2, "of", "b2Y="},
	{3, "foo", "Zm9v"},
	{4, "foob", "Zm9vYg=="},
	{5, "fooba", "Zm9vYmE="},
	{6, "foobar", "Zm9vYmFy"},
	{48,
	 "\x00\x10\x83\x10\x51\x87\x20\x92\x8B\x30\xD3\x8F\x41\x14\x93\x51\x55\x97\x61\x96\x9B\x71"
	 "\xD7\x9F\x82\x18\xA3\x92\x59\xA7\xA2\x9A\xAB\xB2\xDB\xAF\xC3\x1C\xB3\xD3\x5D\xB7\xE3\x9E"
	 "\xBB\xF3\xDF\xBF",
	 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"},
};

static void test_known(void **state)
{
	char text[100];
	uint8_t plain[100];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		size_t n = rows[i].n, got = 999;

		base64_encode(text, slice_of(rows[i].plain, n));
		assert_string_equal(text, rows[i].text);
		assert_true(base64_decode(plain, &got, slice_str(rows[i].text)));
		assert_int_equal(got, n);
		assert_memory_equal(plain, rows[i].plain, n);
	}
}

static void test_there_and_back(void **state)
{
	uint64_t seed = 3;
	uint8_t plain[70], back[72];
	char text[100];

	(void)state;
	for (size_t n = 0; n <= sizeof(plain); n++) {
		size_t got;

		for (size_t i = 0; i < n; i++)
			plain[i] = (uint8_t)dice(&seed, 256);
		memset(text, '#', sizeof(text));
		memset(back, 0xEE, sizeof(back));
		base64_encode(text, slice_of(plain, n));
		assert_int_equal(strlen(text), base64_len(n));
		assert_int_equal(text[base64_len(n) + 1], '#');
		assert_true(base64_decode(back, &got, slice_str(text)));
		assert_int_equal(got, n);
		assert_memory_equal(back, plain, n);
		assert_int_equal(back[n], 0xEE);
	}
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"Z",        "Zg",   "Zg=",   "====", "Z===", "=Zg=",       "Zg=A",
		"Zg==Zm8=", "Zm 8", "Zm8\n", "Zm-8", "Zm_8", "\xC3\xA9==", "Zg=== "};
	uint8_t plain[16];
	size_t n = 999;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (base64_decode(plain, &n, slice_str(texts[i])))
			fail_msg("'%s' was taken", texts[i]);
	}
	/* Every byte outside the alphabet. */
	for (unsigned c = 0; c < 256; c++) {
		uint8_t text[4] = {'A', (uint8_t)c, 'A', 'A'};
		bool is = c < 128 && c > 0 && strchr(rows[7].text, (int)c) != NULL;

		if (is)
			continue;
		assert_false(base64_decode(plain, &n, slice_of(text, 4)));
	}
	assert_int_equal(n, 999);
	/* Bits behind the last byte may be anything. */
	assert_true(base64_decode(plain, &n, SLICE_LIT("Zh==")));
	assert_int_equal(n, 1);
	assert_int_equal(plain[0], 'f');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
