#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/handshake.h"

static void check_clean(struct slice host, const char *want)
{
	char got[HOST_NAME_MAX_BYTES + 1];

	assert_true(host_clean(host, got));
	assert_string_equal(got, want);
}

/* Case 17, and what SRV records and mods add. */
static void test_what_is_taken_off(void **state)
{
	(void)state;
	check_clean(SLICE_LIT("play.example.com"), "play.example.com");
	check_clean(SLICE_LIT("PLAY.Example.COM."), "play.example.com");
	check_clean(SLICE_LIT("play.example.com\0FML\0"), "play.example.com");
	check_clean(SLICE_LIT("play.example.com.\0FML2\0"), "play.example.com");
	check_clean(SLICE_LIT("play.example.com\00010.0.0.1\000abc\000[]"), "play.example.com");
	check_clean(SLICE_LIT("play.example.com///10.0.0.1:1234///1700000000"), "play.example.com");
	check_clean(SLICE_LIT("a.b.///1.2.3.4:5///6\0FML\0"), "a.b");
	check_clean(SLICE_LIT("a.b\0FML\0///1.2.3.4:5///6"), "a.b");
	check_clean(SLICE_LIT("_minecraft._tcp.a.b"), "a.b");
	check_clean(SLICE_LIT("_Minecraft._TCP.a.b."), "a.b");
	check_clean(SLICE_LIT("_dc-srv.0123abcd.a.b"), "a.b");
	check_clean(SLICE_LIT("_dc-srv.0123abcd._minecraft._tcp.a.b."), "a.b");
	check_clean(SLICE_LIT("a//b"), "a//b");
	check_clean(SLICE_LIT("::1"), "::1");
	check_clean(SLICE_LIT("\xC3\x84.de"), "\xC3\x84.de");
}

static void test_what_is_empty_or_little(void **state)
{
	(void)state;
	check_clean(SLICE_LIT(""), "");
	check_clean(slice_of(NULL, 0), "");
	check_clean(SLICE_LIT("."), "");
	check_clean(SLICE_LIT("\0FML\0"), "");
	check_clean(SLICE_LIT("///"), "");
	check_clean(SLICE_LIT("_dc-srv."), "_dc-srv");
	check_clean(SLICE_LIT("_dc-srv.abc"), "_dc-srv.abc");
	check_clean(SLICE_LIT("_minecraft._tcp."), "_minecraft._tcp");
}

/* Case 26. */
static void test_control_characters_are_refused(void **state)
{
	char got[HOST_NAME_MAX_BYTES + 1] = "untouched";

	(void)state;
	assert_false(host_clean(SLICE_LIT("a\nb"), got));
	assert_false(host_clean(SLICE_LIT("a\x1b[31m"), got));
	assert_false(host_clean(SLICE_LIT("a\x7f"), got));
	assert_false(host_clean(SLICE_LIT("a\xC2\x85"), got));
	assert_false(host_clean(SLICE_LIT("a\xFF"), got));
	assert_string_equal(got, "untouched");
	/* Behind the name they are part of a tail. */
	check_clean(SLICE_LIT("a\0\n"), "a");
}

static void test_lengths(void **state)
{
	char got[HOST_NAME_MAX_BYTES + 1];
	char host[400];

	(void)state;
	memset(host, 'a', sizeof(host));
	assert_true(host_clean(slice_of(host, 253), got));
	assert_int_equal(strlen(got), 253);
	assert_false(host_clean(slice_of(host, 254), got));
	host[253] = '.';
	assert_true(host_clean(slice_of(host, 254), got));
	host[100] = '\0';
	assert_true(host_clean(slice_of(host, 400), got));
	assert_int_equal(strlen(got), 100);
}

static void test_tails(void **state)
{
	(void)state;
	assert_int_equal(host_tail(SLICE_LIT("a.b")).len, 0);
	assert_int_equal(host_tail(SLICE_LIT("a//b")).len, 0);
	assert_int_equal(host_tail(slice_of(NULL, 0)).len, 0);
	assert_true(slice_eq(host_tail(SLICE_LIT("a.b\0FML\0")), SLICE_LIT("\0FML\0")));
	assert_true(slice_eq(host_tail(SLICE_LIT("a.b///x\0y")), SLICE_LIT("///x\0y")));
	assert_true(slice_eq(host_tail(SLICE_LIT("\0")), SLICE_LIT("\0")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_taken_off),
		cmocka_unit_test(test_what_is_empty_or_little),
		cmocka_unit_test(test_control_characters_are_refused),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_tails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
