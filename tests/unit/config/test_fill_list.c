#include "config/fill_list.h"
#include "config_help.h"

static void test_choices(void **state)
{
	static const struct {
		const char *text;
		unsigned bits;
	} cases[] = {{"all", 7},
		     {"ALL", 7},
		     {"minecraft", 1},
		     {"[minecraft]", 1},
		     {"[LEGACYPING]", 2},
		     {"[legacy-ping, WEB_SOCKET]", 6},
		     {"[minecraft, minecraft]", 1},
		     {"[webSocket, legacyPing, minecraft]", 7}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char yaml[128];
		struct settings *s = NULL;

		(void)snprintf(yaml, sizeof(yaml), "listen: {address: \"127.0.0.1:1\", accept: %s}",
			       cases[i].text);
		s = load_text(yaml);
		assert_int_equal(s->listeners[0].accept, cases[i].bits);
		settings_unref(s);
	}
	expect_errors(
		"listen: {address: \"127.0.0.1:1\", accept: [minecraft, all, ~]}",
		"t.yml:1: listen.accept[1]: \"all\" is unknown; write minecraft or legacyPing or "
		"webSocket\n"
		"t.yml:1: listen.accept[2]: has no value; write minecraft or legacyPing or "
		"webSocket, or remove the key\n");
}

static void test_networks(void **state)
{
	struct settings *s = load_text("limits: {exempt: [10.0.0.0/8, \"::1\", UNIX, 1.2.3.4]}");
	struct addr a;

	(void)state;
	assert_int_equal(s->limits.exempt.n, 4);
	assert_true(addr_parse_ip(SLICE_LIT("10.200.3.4"), &a));
	assert_true(cidrs_have(s->limits.exempt.v, s->limits.exempt.n, &a));
	assert_true(addr_parse_ip(SLICE_LIT("11.200.3.4"), &a));
	assert_false(cidrs_have(s->limits.exempt.v, s->limits.exempt.n, &a));
	assert_int_equal(s->limits.exempt.v[2].kind, ADDR_UNIX);
	settings_unref(s);
	s = load_text("limits: {exempt: 10.0.0.0/8}");
	assert_int_equal(s->limits.exempt.n, 1);
	settings_unref(s);
	s = load_text("limits: {exempt: }");
	assert_int_equal(s->limits.exempt.n, 0);
	settings_unref(s);
}

static void test_wrong_networks(void **state)
{
	(void)state;
	expect_errors(
		"limits:\n  exempt:\n  - 10.0.0.0/33\n  - 10.0.0.1/8\n  - [a]\n  - example.org\n",
		"t.yml:3: limits.exempt[0]: \"10.0.0.0/33\" is not a network: its bits behind "
		"the prefix must be 0; write a network such as 10.0.0.0/8 or fd00::/8, an "
		"address, or unix\n"
		"t.yml:4: limits.exempt[1]: \"10.0.0.1/8\" is not a network: its bits behind the "
		"prefix must be 0; write a network such as 10.0.0.0/8 or fd00::/8, an address, "
		"or unix\n"
		"t.yml:5: limits.exempt[2]: a list does not belong here; write a list of "
		"networks, such as [10.0.0.0/8, \"::1\", unix]\n"
		"t.yml:6: limits.exempt[3]: \"example.org\" is not a network; write a network "
		"such as 10.0.0.0/8 or fd00::/8, an address, or unix\n");
}

static void test_texts(void **state)
{
	struct settings *s = load_text("status: {sample: [\"\", \"b # c\", 5, true]}");

	(void)state;
	assert_int_equal(s->status.sample.n, 4);
	assert_string_equal(s->status.sample.v[0], "");
	assert_string_equal(s->status.sample.v[1], "b # c");
	assert_string_equal(s->status.sample.v[2], "5");
	assert_string_equal(s->status.sample.v[3], "true");
	settings_unref(s);
	s = load_text("status: {sample: one}");
	assert_int_equal(s->status.sample.n, 1);
	settings_unref(s);
}

static void test_too_many(void **state)
{
	char yaml[512] = "status:\n  sample: [a";

	(void)state;
	for (int i = 1; i < 32; i++)
		memcpy(yaml + strlen(yaml), ", a", 4);
	memcpy(yaml + strlen(yaml), "]", 2);
	settings_unref(load_text(yaml));
	memcpy(strrchr(yaml, ']'), ", a]", 5);
	expect_errors(yaml, "t.yml:2: status.sample: has 33 values; at most 32 are possible\n");
}

static void test_routes(void **state)
{
	struct settings *s = load_text("backends: [{name: a, address: \"h:1\"}]\n"
				       "initialRouting:\n"
				       "  forcedHosts:\n"
				       "    Play.Example.ORG.: a\n"
				       "    \"*.example.org\": [a, lobby]\n"
				       "    10.0.0.1: lobby\n");

	(void)state;
	assert_int_equal(s->forced_host_n, 3);
	assert_string_equal(s->forced_hosts[0].host, "play.example.org");
	assert_int_equal(s->forced_hosts[0].servers.n, 1);
	assert_string_equal(s->forced_hosts[0].servers.v[0], "a");
	assert_string_equal(s->forced_hosts[1].host, "*.example.org");
	assert_int_equal(s->forced_hosts[1].servers.n, 2);
	assert_string_equal(s->forced_hosts[1].servers.v[1], "lobby");
	assert_string_equal(s->forced_hosts[2].host, "10.0.0.1");
	settings_unref(s);
}

static void test_wrong_hosts(void **state)
{
	static const char *const hosts[] = {"a:25565", "*",  "*.",    "*x.org", "a b",
					    ".",       ".a", "[::1]", "${HOST}"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		char yaml[128], want[256], shown[64];
		struct text t = text_of(shown, sizeof(shown));

		if (strpbrk(hosts[i], ". :") != NULL)
			problem_put_quoted(&t, slice_str(hosts[i]));
		else
			text_puts(&t, hosts[i]);
		(void)snprintf(yaml, sizeof(yaml), "initialRouting: {forcedHosts: {\"%s\": lobby}}",
			       hosts[i]);
		(void)snprintf(want, sizeof(want),
			       "t.yml:1: initialRouting.forcedHosts.%s: is not possible as a host; "
			       "write a host name without port, such as play.example.org or "
			       "*.example.org\n",
			       shown);
		expect_errors(yaml, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choices),        cmocka_unit_test(test_networks),
		cmocka_unit_test(test_wrong_networks), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_too_many),       cmocka_unit_test(test_routes),
		cmocka_unit_test(test_wrong_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
