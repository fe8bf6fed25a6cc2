/* Case 39 of the field: what stands in a forwarded header, and who is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "session/door.h"

static struct cidr trusted[3];
static const struct listener_settings policy = {.ws_trusted = {trusted, 3}};

static int set_up(void **state)
{
	(void)state;
	return cidr_parse(SLICE_LIT("10.0.0.0/8"), &trusted[0]) &&
			       cidr_parse(SLICE_LIT("2001:db8::/32"), &trusted[1]) &&
			       cidr_parse(SLICE_LIT("127.0.0.1"), &trusted[2])
		       ? 0
		       : -1;
}

static void test_lists(void **state)
{
	static const struct {
		const char *list, *addr;
	} rows[] = {
		/* one */
		{"192.0.2.7", "192.0.2.7"},
		{" \t192.0.2.7 \t", "192.0.2.7"},
		{"192.0.2.7:4711", "192.0.2.7"},
		{"::1", "::1"},
		{"[2001:db9::7]:4711", "2001:db9::7"},
		{"[2001:db9::7]", "2001:db9::7"},
		{"::ffff:192.0.2.7", "192.0.2.7"},
		/* the last that is not a proxy of ours */
		{"192.0.2.7, 10.1.2.3", "192.0.2.7"},
		{"192.0.2.7,10.1.2.3,10.1.2.4,127.0.0.1", "192.0.2.7"},
		{"192.0.2.7, [2001:db8::5]:80, 10.0.0.1:99", "192.0.2.7"},
		/* what the client itself wrote in front is not believed */
		{"1.1.1.1, 192.0.2.7", "192.0.2.7"},
		{"1.1.1.1, 192.0.2.7, 10.0.0.1", "192.0.2.7"},
		{"10.9.9.9, 192.0.2.7, 10.0.0.1", "192.0.2.7"},
		/* all ours: the first */
		{"10.0.0.9, 10.0.0.1", "10.0.0.9"},
		{"10.0.0.9", "10.0.0.9"},
		/* a part that is no address ends the search */
		{"192.0.2.7, unknown, 10.0.0.1", "10.0.0.1"},
		{"192.0.2.7,, 10.0.0.1", "10.0.0.1"},
		{", 10.0.0.1", "10.0.0.1"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[ADDR_TEXT_MAX];
		struct addr a;

		if (!door_forwarded_addr(&policy, slice_str(rows[i].list), &a))
			fail_msg("'%s' was refused", rows[i].list);
		addr_format_ip(&a, text);
		assert_string_equal(text, rows[i].addr);
	}
}

static void test_no_address(void **state)
{
	static const char *const lists[] = {
		"",
		" ",
		",",
		"unknown",
		"192.0.2.7,",
		"192.0.2.7, x",
		"localhost",
		"192.0.2",
		"[::1",
		"[::1]x",
		"[::1]:",
		"[::1]:x",
		"[::1]:70000",
		"192.0.2.7:",
		"192.0.2.7:x",
		"192.0.2.7:99999",
		"[]",
		"[",
		"for=192.0.2.7",
		"192.0.2.7 10.0.0.1",
		"unix",
	};
	struct addr a = {.kind = 77};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		if (door_forwarded_addr(&policy, slice_str(lists[i]), &a))
			fail_msg("'%s' was taken", lists[i]);
	}
	assert_false(door_forwarded_addr(&policy, SLICE_LIT("192.0.2.7\0"), &a));
	assert_int_equal(a.kind, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_no_address),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
