/* Cases 34 and 41 of the field: both versions, every family, TLVs, cut at every byte, and what is
 * refused. */
#include "link/proxy_header.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define TAIL "\x10\x00the first packet, in the same segment\r\n"

/* In memory of its own, so that a read behind the end is seen. */
static enum progress parse(struct proxy_header *ret, const uint8_t *p, size_t len)
{
	uint8_t *copy = malloc(len);
	enum progress got;

	memcpy(copy, p, len);
	got = proxy_header_parse(ret, slice_of(copy, len));
	free(copy);
	return got;
}

/* Every shorter beginning wants more and leaves ret alone; with the tail behind it the same is
 * read. */
static void expect_good(struct slice header, const char *source)
{
	uint8_t all[PROXY_V2_MAX_BYTES + sizeof(TAIL)];
	char text[ADDR_TEXT_MAX];

	memcpy(all, header.p, header.len);
	memcpy(all + header.len, TAIL, sizeof(TAIL));
	for (size_t cut = 0; cut <= header.len + sizeof(TAIL); cut++) {
		struct proxy_header h = {.bytes = 12345};
		enum progress got = parse(&h, all, cut);

		assert_int_equal(got, cut < header.len ? MORE : DONE);
		assert_int_equal(h.bytes, cut < header.len ? 12345 : header.len);
		if (got != DONE)
			continue;
		addr_format(&h.source, text);
		assert_string_equal(text, source);
	}
}

/* Once bad, bad with anything behind it. Returns how many bytes it took to know. */
static size_t expect_bad(struct slice header)
{
	struct proxy_header h = {.bytes = 12345};
	size_t known = 0;

	for (size_t cut = 0; cut <= header.len; cut++) {
		enum progress got = parse(&h, header.p, cut);

		assert_int_not_equal(got, DONE);
		assert_true(got == BAD || known == 0);
		if (got == BAD && known == 0)
			known = cut;
	}
	assert_true(known > 0);
	assert_int_equal(h.bytes, 12345);
	return known;
}

static void test_v1_good(void **state)
{
	static const char *const good[][2] = {
		{"PROXY TCP4 192.0.2.7 198.51.100.1 56324 25565\r\n", "192.0.2.7:56324"},
		{"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n",
		 "255.255.255.255:65535"},
		{"PROXY TCP4 0.0.0.0 0.0.0.0 0 0\r\n", "0.0.0.0:0"},
		{"PROXY TCP6 2001:db8::7 2001:db8::1 1 25565\r\n", "[2001:db8::7]:1"},
		{"PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
		 " 65535 65535\r\n",
		 "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535"},
		{"PROXY TCP6 ::ffff:192.0.2.7 ::1 5 6\r\n", "192.0.2.7:5"},
		{"PROXY UNKNOWN\r\n", "-"},
		{"PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
		 " 65535 65535\r\n",
		 "-"},
		{"PROXY UNKNOWN \x01 anything \xFF\r\n", "-"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++)
		expect_good(slice_str(good[i][0]), good[i][1]);
}

static void test_v1_bad(void **state)
{
	static const char *const bad[] = {
		"PROXY TCP4 192.0.2.7 198.51.100.1 56324 65536\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 99999 25565\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 056324 25565\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 01 25565\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 1 00\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 -1 25565\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 +1 25565\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1  25565\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 1 25565 \r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 1 25565 7\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 1\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 1 \r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1\r\n",
		"PROXY TCP4 192.0.2.7\r\n",
		"PROXY TCP4 \r\n",
		"PROXY TCP4\r\n",
		"PROXY  TCP4 192.0.2.7 198.51.100.1 1 2\r\n",
		"PROXY TCP4  192.0.2.7 198.51.100.1 1 2\r\n",
		"PROXY TCP4 192.0.2.07 198.51.100.1 1 2\r\n",
		"PROXY TCP4 192.0.2.256 198.51.100.1 1 2\r\n",
		"PROXY TCP4 192.0.2 198.51.100.1 1 2\r\n",
		"PROXY TCP4 192.0.2.7 host 1 2\r\n",
		"PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n",
		"PROXY TCP6 192.0.2.7 198.51.100.1 1 2\r\n",
		"PROXY TCP6 2001:db8::7 198.51.100.1 1 2\r\n",
		"PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 1 2\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 1 2\n\r\n",
		"PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r\r\n",
		"PROXY tcp4 192.0.2.7 198.51.100.1 1 2\r\n",
		"PROXY TCP5 192.0.2.7 198.51.100.1 1 2\r\n",
		"PROXY UNKNOWNS\r\n",
		"PROXY UNKNOWN\n",
		"PROXY \r\n",
		"PROXY \n",
		"proxy UNKNOWN\r\n",
		"PROXYX",
		"GET / HTTP/1.1\r\n\r\n",
		"\r\n\r\nQUIT",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		expect_bad(slice_str(bad[i]));
}

static void test_v1_first_byte_tells(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		uint8_t byte = (uint8_t)c;
		struct proxy_header h;
		bool may = c == 'P' || c == '\r';

		assert_int_equal(proxy_header_parse(&h, slice_of(&byte, 1)), may ? MORE : BAD);
	}
}

/* 107 bytes with the line end is the longest line; the 107th byte decides. */
static void test_v1_line_length(void **state)
{
	char line[200];
	struct slice s = {(const uint8_t *)line, PROXY_V1_MAX_BYTES};

	(void)state;
	memset(line, 'x', sizeof(line));
	memcpy(line, "PROXY UNKNOWN ", 14);
	memcpy(line + 105, "\r\n", 2);
	expect_good(s, "-");
	memcpy(line + 105, "x\r\n", 3);
	s.len = 108;
	assert_int_equal(expect_bad(s), 107);
	memset(line + 105, 'x', 3);
	s.len = sizeof(line);
	assert_int_equal(expect_bad(s), 107);
}

struct v2 {
	uint8_t p[PROXY_V2_MAX_BYTES + 16];
	size_t len;
};

static struct v2 v2_of(unsigned version_command, unsigned family, size_t address_bytes,
		       size_t tlv_bytes)
{
	struct v2 h = {.p = "\r\n\r\n\0\r\nQUIT\n"};
	size_t n = address_bytes + tlv_bytes;

	h.p[12] = (uint8_t)version_command;
	h.p[13] = (uint8_t)family;
	h.p[14] = (uint8_t)(n >> 8);
	h.p[15] = (uint8_t)n;
	for (size_t i = 0; i < n; i++)
		h.p[16 + i] = (uint8_t)(i + 1);
	h.len = 16 + n;
	return h;
}

static void expect_v2(struct v2 h, const char *source)
{
	expect_good(slice_of(h.p, h.len), source);
}

/* Bytes 1, 2, 3... stand in the places of the addresses. */
#define IP4_SOURCE "1.2.3.4:2314"                           /* port bytes 9, 10 */
#define IP6_SOURCE "[102:304:506:708:90a:b0c:d0e:f10]:8482" /* 33, 34 */

static void test_v2_good(void **state)
{
	struct v2 mapped = v2_of(0x21, 0x21, 36, 0);

	(void)state;
	expect_v2(v2_of(0x21, 0x11, 12, 0), IP4_SOURCE);
	expect_v2(v2_of(0x21, 0x11, 12, 300), IP4_SOURCE);
	expect_v2(v2_of(0x21, 0x11, 12, 4084), IP4_SOURCE);
	expect_v2(v2_of(0x21, 0x21, 36, 0), IP6_SOURCE);
	expect_v2(v2_of(0x21, 0x21, 36, 40), IP6_SOURCE);
	memcpy(mapped.p + 16, "\0\0\0\0\0\0\0\0\0\0\xFF\xFF\xC0\0\2\7", 16);
	expect_v2(mapped, "192.0.2.7:8482");
}

static void test_v2_without_an_address_of_use(void **state)
{
	(void)state;
	expect_v2(v2_of(0x20, 0x00, 0, 0), "-"); /* LOCAL: whatever it carries */
	expect_v2(v2_of(0x20, 0x11, 12, 9), "-");
	expect_v2(v2_of(0x20, 0x11, 3, 0), "-");
	expect_v2(v2_of(0x20, 0xFF, 0, 30), "-");
	expect_v2(v2_of(0x21, 0x00, 0, 0), "-"); /* UNSPEC */
	expect_v2(v2_of(0x21, 0x00, 0, 50), "-");
	expect_v2(v2_of(0x21, 0x31, 216, 0), "-"); /* unix */
	expect_v2(v2_of(0x21, 0x31, 216, 25), "-");
	expect_v2(v2_of(0x21, 0x12, 12, 0), "-"); /* UDP */
	expect_v2(v2_of(0x21, 0x22, 36, 0), "-");
	expect_v2(v2_of(0x21, 0x10, 12, 0), "-");
	expect_v2(v2_of(0x21, 0x41, 5, 0), "-"); /* families nobody knows */
	expect_v2(v2_of(0x21, 0xF1, 0, 0), "-");
}

static void test_v2_bad(void **state)
{
	static const struct {
		unsigned command, family;
		size_t bytes, known;
	} bad[] = {
		{0x22, 0x11, 12, 13},   {0x2F, 0x11, 12, 13}, {0x11, 0x11, 12, 13},
		{0x31, 0x11, 12, 13},   {0x01, 0x11, 12, 13}, {0x21, 0x11, 11, 16},
		{0x21, 0x11, 0, 16},    {0x21, 0x21, 35, 16}, {0x21, 0x21, 12, 16},
		{0x21, 0x31, 215, 16},  {0x21, 0x12, 11, 16}, {0x21, 0x11, 4097, 16},
		{0x20, 0x00, 4097, 16},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct v2 h = v2_of(bad[i].command, bad[i].family, bad[i].bytes, 0);

		assert_int_equal(expect_bad(slice_of(h.p, h.len)), bad[i].known);
	}
}

static void test_v2_signature(void **state)
{
	(void)state;
	for (size_t i = 0; i < 12; i++) {
		struct v2 h = v2_of(0x21, 0x11, 12, 0);

		h.p[i] ^= 1;
		assert_int_equal(expect_bad(slice_of(h.p, h.len)), i + 1);
	}
}

static void test_v2_longest(void **state)
{
	struct v2 h = v2_of(0x21, 0x11, 12, 4084);

	(void)state;
	assert_int_equal(h.len, PROXY_V2_MAX_BYTES);
	h = v2_of(0x21, 0x11, 0, 0);
	h.p[14] = h.p[15] = 0xFF;
	assert_int_equal(expect_bad(slice_of(h.p, 16)), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v1_good),
		cmocka_unit_test(test_v1_bad),
		cmocka_unit_test(test_v1_first_byte_tells),
		cmocka_unit_test(test_v1_line_length),
		cmocka_unit_test(test_v2_good),
		cmocka_unit_test(test_v2_without_an_address_of_use),
		cmocka_unit_test(test_v2_bad),
		cmocka_unit_test(test_v2_signature),
		cmocka_unit_test(test_v2_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
