#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "network/route.h"
#include "network/config_of.h"

static const char yaml[] = "backends:\n"
			   "  - {name: hub, address: 127.0.0.1:1}\n"
			   "  - {name: mini, address: 127.0.0.1:2}\n"
			   "  - {name: deep, address: 127.0.0.1:3}\n"
			   "  - {name: old, address: 127.0.0.1:4, mode: passthrough}\n"
			   "  - {name: new, address: 127.0.0.1:5, mode: passthrough}\n"
			   "initialRouting:\n"
			   "  servers: [hub, lobby]\n"
			   "  forcedHosts:\n"
			   "    mini.example.org: [mini, hub]\n"
			   "    '*.example.org': [hub]\n"
			   "    '*.deep.example.org': [deep]\n"
			   "    old.example.org: [old]\n"
			   "    lobby.example.org: [lobby]\n"
			   "  otherVersions: new\n";

static const char *first_server(const struct settings *s, const char *host)
{
	return route_find(s, host)->servers.v[0];
}

static void test_forced_hosts(void **state)
{
	static const struct {
		const char *host, *server;
	} rows[] = {
		{"mini.example.org", "mini"},   {"a.example.org", "hub"},
		{"a.b.example.org", "hub"},     {"x.deep.example.org", "deep"},
		{"deep.example.org", "hub"},    {"y.x.deep.example.org", "deep"},
		{"lobby.example.org", "lobby"}, {"old.example.org", "old"},
	};
	struct settings *s = config_of(yaml);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(first_server(s, rows[i].host), rows[i].server);
	assert_int_equal(route_find(s, "mini.example.org")->servers.n, 2);
	settings_unref(s);
}

/* No forced host fits: the ordered list. */
static void test_the_ordered_list(void **state)
{
	static const char *const hosts[] = {
		"",    "example.org", ".example.org.evil", "notexample.org",
		"org", "10.0.0.1",    "*.example.com",     "xmini.example.orgx"};
	struct settings *s = config_of(yaml);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		assert_ptr_equal(route_find(s, hosts[i]), &s->initial);
		assert_int_equal(s->initial.servers.n, 2);
		assert_string_equal(s->initial.servers.v[1], LOBBY_NAME);
	}
	settings_unref(s);
}

static const char *passed_to(const struct settings *s, const char *host, bool known)
{
	const struct backend_settings *b = route_passthrough(s, host, known);

	return b == NULL ? "-" : b->name;
}

static void test_passthrough(void **state)
{
	struct settings *s = config_of(yaml);

	(void)state;
	/* A forced host counts for every version, otherVersions only for those we do not speak. */
	assert_string_equal(passed_to(s, "old.example.org", true), "old");
	assert_string_equal(passed_to(s, "old.example.org", false), "old");
	assert_string_equal(passed_to(s, "mini.example.org", true), "-");
	assert_string_equal(passed_to(s, "mini.example.org", false), "new");
	assert_string_equal(passed_to(s, "", true), "-");
	assert_string_equal(passed_to(s, "", false), "new");
	settings_unref(s);
}

/* The defaults: everybody goes to the lobby. */
static void test_without_a_config(void **state)
{
	struct settings *s = settings_default();

	(void)state;
	assert_non_null(s);
	assert_string_equal(first_server(s, "anything"), LOBBY_NAME);
	assert_string_equal(passed_to(s, "anything", false), "-");
	settings_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forced_hosts),
		cmocka_unit_test(test_the_ordered_list),
		cmocka_unit_test(test_passthrough),
		cmocka_unit_test(test_without_a_config),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
