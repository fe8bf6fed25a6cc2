#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/un.h>

#include "base/addr.h"

static struct addr ip(const char *text)
{
	struct addr a;

	assert_true(addr_parse_ip(slice_str(text), &a));
	return a;
}

static struct cidr net(const char *text)
{
	struct cidr c;

	assert_true(cidr_parse(slice_str(text), &c));
	return c;
}

static void test_parse_and_format(void **state)
{
	static const struct {
		const char *in, *out;
		enum addr_kind kind;
	} rows[] = {
		{"10.0.0.1", "10.0.0.1", ADDR_IP4},
		{"255.255.255.255", "255.255.255.255", ADDR_IP4},
		{"0.0.0.0", "0.0.0.0", ADDR_IP4},
		{"::", "::", ADDR_IP6},
		{"::1", "::1", ADDR_IP6},
		{"2001:DB8:0:0::1", "2001:db8::1", ADDR_IP6},
		{"::ffff:192.0.2.7", "192.0.2.7", ADDR_IP4},
		{"::FFFF:c000:0207", "192.0.2.7", ADDR_IP4},
		{"ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
		 "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDR_IP6},
	};
	char text[ADDR_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct addr a = ip(rows[i].in);

		assert_int_equal(a.kind, rows[i].kind);
		assert_int_equal(a.port, 0);
		addr_format_ip(&a, text);
		assert_string_equal(text, rows[i].out);
	}
}

static void test_no_ip(void **state)
{
	static const char *const texts[] = {
		"",          "localhost", "1.2.3",  "1.2.3.4.5", "1.2.3.256",
		"01.2.3.4",  "1.2.3.4 ",  " ::1",   "[::1]",     "fe80::1%lo",
		"1.2.3.4:5", ":::",       "1:2",    "12345::",   "::1/128",
		"-1.2.3.4",  "0x1.2.3.4", "1.2.3.", "1.2.3.4\n", "::ffff:1.2.3",
	};
	static const char long_text[] = "0000:0000:0000:0000:0000:0000:000.000.000.0001";
	struct addr a = {.kind = 77};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_false(addr_parse_ip(slice_str(texts[i]), &a));
	assert_false(addr_parse_ip(SLICE_LIT(long_text), &a));
	assert_false(addr_parse_ip(SLICE_LIT("1.2.3.4\0"), &a));
	assert_false(addr_parse_ip((struct slice){0}, &a));
	assert_int_equal(a.kind, 77);
}

static void expect_text(struct addr a, const char *with_port, const char *alone)
{
	char text[ADDR_TEXT_MAX];

	addr_format(&a, text);
	assert_string_equal(text, with_port);
	addr_format_ip(&a, text);
	assert_string_equal(text, alone);
}

static void test_format_with_port(void **state)
{
	struct addr a = ip("192.0.2.7");

	(void)state;
	a.port = 25565;
	expect_text(a, "192.0.2.7:25565", "192.0.2.7");
	a = ip("2001:db8::1");
	a.port = 65535;
	expect_text(a, "[2001:db8::1]:65535", "2001:db8::1");
	/* The longest there is. */
	a = ip("1234:5678:9abc:def0:1234:5678:9abc:def0");
	a.port = 65535;
	expect_text(a, "[1234:5678:9abc:def0:1234:5678:9abc:def0]:65535",
		    "1234:5678:9abc:def0:1234:5678:9abc:def0");
	expect_text((struct addr){.kind = ADDR_UNIX}, "unix", "unix");
	expect_text((struct addr){0}, "-", "-");
}

static void there_and_back(struct addr a, int family, size_t len)
{
	struct sockaddr_storage sa;
	struct addr b;

	memset(&sa, 0xAA, sizeof(sa));
	assert_int_equal(addr_to_sockaddr(&a, &sa), len);
	assert_int_equal(sa.ss_family, family);
	b = addr_from_sockaddr(&sa);
	assert_memory_equal(&a, &b, sizeof(a));
}

static void test_sockaddr(void **state)
{
	struct sockaddr_storage sa = {0};
	struct sockaddr_in6 *in6 = (void *)&sa;
	struct addr a = ip("192.0.2.7");

	(void)state;
	a.port = 0x1234;
	there_and_back(a, AF_INET, sizeof(struct sockaddr_in));
	a = ip("2001:db8::7");
	a.port = 0x1234;
	there_and_back(a, AF_INET6, sizeof(struct sockaddr_in6));

	/* What a dual-stack socket says about an IPv4 peer. */
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(99);
	in6->sin6_addr = (struct in6_addr){.s6_addr = {[10] = 255, [11] = 255, 192, 0, 2, 7}};
	a = addr_from_sockaddr(&sa);
	assert_int_equal(a.kind, ADDR_IP4);
	assert_int_equal(a.port, 99);
	expect_text(a, "192.0.2.7:99", "192.0.2.7");

	sa = (struct sockaddr_storage){.ss_family = AF_UNIX};
	assert_int_equal(addr_from_sockaddr(&sa).kind, ADDR_UNIX);
	sa.ss_family = AF_UNSPEC;
	assert_int_equal(addr_from_sockaddr(&sa).kind, ADDR_NONE);
}

static void test_same_ip(void **state)
{
	struct addr a = ip("10.0.0.1"), b = ip("::ffff:10.0.0.1"), c = ip("10.0.0.2");
	struct addr v6 = ip("a00:1::"), v6_far = ip("a00:1::1");

	(void)state;
	b.port = 5;
	assert_true(addr_same_ip(&a, &b));
	assert_false(addr_same_ip(&a, &c));
	assert_false(addr_same_ip(&a, &v6)); /* the same first four bytes */
	assert_false(addr_same_ip(&v6, &v6_far));
	assert_true(addr_same_ip(&v6, &v6));
}

static void test_loopback(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {{"127.0.0.1", true},  {"127.255.0.9", true},
		    {"126.0.0.1", false}, {"128.0.0.1", false},
		    {"::1", true},        {"::2", false},
		    {"::", false},        {"::ffff:127.0.0.1", true},
		    {"1::1", false}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct addr a = ip(rows[i].text);

		assert_int_equal(addr_is_loopback(&a), rows[i].is);
	}
	assert_true(addr_is_loopback(&(struct addr){.kind = ADDR_UNIX}));
	assert_false(addr_is_loopback(&(struct addr){0}));
}

static unsigned bit_of(const uint8_t *p, unsigned i)
{
	return p[i / 8] >> (7 - i % 8) & 1u;
}

/* Every prefix length against single bits; and each first differing bit decides membership. */
static void test_networks_bit_by_bit(void **state)
{
	static const char *const texts[] = {"255.255.255.255", "170.85.204.51",
					    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
					    "aa55:cc33:f00f:1:8000:1:7fff:fffe"};

	(void)state;
	for (size_t t = 0; t < COUNT_OF(texts); t++) {
		struct addr a = ip(texts[t]);
		unsigned all = a.kind == ADDR_IP4 ? 32 : 128;

		for (unsigned bits = 0; bits <= all; bits++) {
			struct cidr c = addr_network(&a, bits, bits);

			assert_int_equal(c.kind, a.kind);
			assert_int_equal(c.bits, bits);
			for (unsigned i = 0; i < 128; i++)
				assert_int_equal(bit_of(c.ip, i), i < bits ? bit_of(a.ip, i) : 0);
			for (unsigned i = 0; i < all; i++) {
				struct addr other = a;

				other.ip[i / 8] ^= (uint8_t)(0x80u >> i % 8);
				assert_int_equal(cidr_has(&c, &other), i >= bits);
			}
		}
	}
}

static void test_network_sizes_by_kind(void **state)
{
	struct addr v4 = ip("192.0.2.77"), v6 = ip("2001:db8:1:2:3::4");
	struct addr none = {.kind = ADDR_UNIX, .ip = {1}};

	(void)state;
	assert_int_equal(addr_network(&v4, 24, 64).bits, 24);
	assert_int_equal(addr_network(&v6, 24, 64).bits, 64);
	assert_int_equal(addr_network(&none, 24, 64).bits, 0);
	assert_int_equal(addr_network(&none, 24, 64).ip[0], 0);
}

static void test_cidr_parse(void **state)
{
	struct cidr c = net("10.0.0.0/8");

	(void)state;
	assert_int_equal(c.kind, ADDR_IP4);
	assert_int_equal(c.bits, 8);
	assert_int_equal(net("10.1.2.3").bits, 32);
	assert_int_equal(net("::1").bits, 128);
	assert_int_equal(net("0.0.0.0/0").bits, 0);
	assert_int_equal(net("::/0").kind, ADDR_IP6);
	assert_int_equal(net("2001:db8::/33").bits, 33);
	assert_int_equal(net("unix").kind, ADDR_UNIX);
	/* Mapped networks are IPv4 networks, and so count their bits from 96. */
	c = net("::ffff:10.0.0.0/104");
	assert_int_equal(c.kind, ADDR_IP4);
	assert_int_equal(c.bits, 8);
	assert_int_equal(net("::ffff:10.1.2.3").bits, 32);
	assert_int_equal(net("::ffff:0:0/96").bits, 0);
}

static void test_no_cidr(void **state)
{
	static const char *const texts[] = {
		"",
		"/",
		"/8",
		"10.0.0.0/",
		"10.0.0.0/33",
		"10.0.0.1/8",
		"10.0.0.0/-1",
		"10.0.0.0/8/8",
		"10.0.0.0/ 8",
		"::/129",
		"::1/64",
		"unix/0",
		"unix:",
		"10.0.0.0/8x",
		"10/8",
		"host/8",
		"::0/+1",
		"10.0.0.128/24",
		"[::]/0",
		"fe80::%lo/64",
		"::/99999999999999999999",
		"::ffff:10.0.0.0/8",
		"::ffff:10.0.0.0/95",
		"::ffff:10.0.0.0/129",
		"::ffff:10.0.0.1/104",
	};
	struct cidr c = {.kind = 77};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (cidr_parse(slice_str(texts[i]), &c))
			fail_msg("'%s' was taken", texts[i]);
	}
	assert_int_equal(c.kind, 77);
}

static void test_lists(void **state)
{
	struct cidr list[] = {net("10.0.0.0/8"), net("2001:db8::/32"), net("unix")};
	struct addr in4 = ip("10.9.9.9"), in6 = ip("2001:db8:ffff::1"), out4 = ip("11.0.0.0");
	struct addr out6 = ip("2001:db9::"), mapped = ip("::ffff:10.0.0.1");
	struct addr local = {.kind = ADDR_UNIX}, none = {0};

	(void)state;
	assert_true(cidrs_have(list, 3, &in4));
	assert_true(cidrs_have(list, 3, &in6));
	assert_true(cidrs_have(list, 3, &mapped));
	assert_true(cidrs_have(list, 3, &local));
	assert_false(cidrs_have(list, 2, &local));
	assert_false(cidrs_have(list, 3, &out4));
	assert_false(cidrs_have(list, 3, &out6));
	assert_false(cidrs_have(list, 3, &none));
	assert_false(cidrs_have(NULL, 0, &in4));
	list[0] = net("0.0.0.0/0");
	assert_true(cidrs_have(list, 1, &out4));
	assert_false(cidrs_have(list, 1, &out6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_and_format),
		cmocka_unit_test(test_no_ip),
		cmocka_unit_test(test_format_with_port),
		cmocka_unit_test(test_sockaddr),
		cmocka_unit_test(test_same_ip),
		cmocka_unit_test(test_loopback),
		cmocka_unit_test(test_networks_bit_by_bit),
		cmocka_unit_test(test_network_sizes_by_kind),
		cmocka_unit_test(test_cidr_parse),
		cmocka_unit_test(test_no_cidr),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
