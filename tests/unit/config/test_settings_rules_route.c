#include "config/settings_rules.h"
#include "config_help.h"

#define BACKENDS                                                  \
	"backends:\n"                                             \
	"- {name: hub, address: \"h:1\"}\n"                       \
	"- {name: modern, address: \"h:2\", mode: passthrough}\n" \
	"- {name: sky, address: \"h:3\"}\n"                       \
	"- {name: newest, address: \"h:4\", mode: passthrough}\n"

static void test_default_servers(void **state)
{
	struct settings *s = load_text(BACKENDS);

	(void)state;
	assert_int_equal(s->initial.servers.n, 2);
	assert_string_equal(s->initial.servers.v[0], "hub");
	assert_string_equal(s->initial.servers.v[1], "sky");
	settings_unref(s);
	s = load_text("backends: [{name: m, address: \"h:1\", mode: passthrough}]\n");
	assert_int_equal(s->initial.servers.n, 1);
	assert_string_equal(s->initial.servers.v[0], "lobby");
	settings_unref(s);
	s = load_text(BACKENDS "initialRouting: {servers: [sky, lobby]}\n");
	assert_int_equal(s->initial.servers.n, 2);
	assert_string_equal(s->initial.servers.v[0], "sky");
	settings_unref(s);
}

static void test_names(void **state)
{
	(void)state;
	expect_errors(
		"backends:\n- {name: a, address: \"h:1\"}\n- {name: b, address: \"h:1\"}\n"
		"- {name: A, address: \"h:1\"}\n",
		"t.yml:4: backends[2].name: A is the name of backends[0], too (capitals do not "
		"count); choose another one\n");
	expect_errors(
		"backends: [{name: LOBBY, address: \"h:1\"}]\n",
		"t.yml:1: backends[0].name: lobby is the built-in one; choose another name\n");
}

static void test_unknown_servers(void **state)
{
	(void)state;
	expect_errors(
		BACKENDS "initialRouting:\n  servers:\n    - hubb\n    - lobbi\n    - 'qqqqq'\n",
		"t.yml:8: initialRouting.servers[0]: no backend is called hubb; did you mean "
		"hub?\n"
		"t.yml:9: initialRouting.servers[1]: no backend is called lobbi; did you mean "
		"lobby?\n"
		"t.yml:10: initialRouting.servers[2]: no backend is called qqqqq; add it to "
		"backends, or write lobby\n");
	/* names are exact, and the right one is offered */
	expect_errors(
		BACKENDS "initialRouting: {servers: HUB}\n",
		"t.yml:6: initialRouting.servers: no backend is called HUB; did you mean hub?\n");
	expect_errors(
		BACKENDS "initialRouting: {forcedHosts: {\"a\": [hub, skyy]}}\n",
		"t.yml:6: initialRouting.forcedHosts.a[1]: no backend is called skyy; did you mean "
		"sky?\n");
	expect_errors(
		BACKENDS "initialRouting: {otherVersions: modren}\n",
		"t.yml:6: initialRouting.otherVersions: no backend is called modren; did you mean "
		"modern?\n");
}

static void test_passthrough(void **state)
{
	struct settings *s = load_text(BACKENDS
				       "initialRouting: {otherVersions: modern, forcedHosts: "
				       "{\"a\": newest, \"b\": [modern]}}\n");

	(void)state;
	assert_string_equal(s->other_versions, "modern");
	assert_string_equal(s->forced_hosts[1].servers.v[0], "modern");
	settings_unref(s);
	expect_errors(
		BACKENDS "initialRouting: {servers: [hub, modern]}\n",
		"t.yml:6: initialRouting.servers[1]: modern is a passthrough backend, which only "
		"forcedHosts and otherVersions may name; take it out, or set its mode: managed\n");
	expect_errors(
		BACKENDS "initialRouting: {forcedHosts: {\"a\": [hub, modern]}}\n",
		"t.yml:6: initialRouting.forcedHosts.a[1]: modern is a passthrough backend, which "
		"has to stand alone for its host; take the others out\n");
	expect_errors(
		BACKENDS "initialRouting: {otherVersions: hub}\n",
		"t.yml:6: initialRouting.otherVersions: hub cannot take other versions; name a "
		"backend with mode: passthrough\n");
	expect_errors(
		BACKENDS "initialRouting: {otherVersions: lobby}\n",
		"t.yml:6: initialRouting.otherVersions: lobby cannot take other versions; name a "
		"backend with mode: passthrough\n");
}

static void test_twice(void **state)
{
	(void)state;
	expect_errors(
		BACKENDS "initialRouting: {servers: [hub, sky, hub]}\n",
		"t.yml:6: initialRouting.servers[2]: hub is in the list twice; keep one of the "
		"two\n");
	expect_errors(
		"initialRouting:\n  forcedHosts:\n    a.b: lobby\n    c: lobby\n    A.B.: lobby\n",
		"t.yml:5: initialRouting.forcedHosts.\"A.B.\": is the same host as the one in line 3; keep "
		"one of the two\n");
}

/* Items that have errors of their own do not shift the blame for the others. */
static void test_blame_stays_with_broken_items(void **state)
{
	(void)state;
	expect_errors(
		BACKENDS "initialRouting:\n  servers:\n    - 'a b'\n    - [x]\n    - nobody\n",
		"t.yml:8: initialRouting.servers[0]: \"a b\" is not possible; write a name of 1 to "
		"64 of the characters a-z A-Z 0-9 _ . -\n"
		"t.yml:9: initialRouting.servers[1]: a list does not belong here; write a list; "
		"each value: a name of 1 to 64 of the characters a-z A-Z 0-9 _ . -\n"
		"t.yml:10: initialRouting.servers[2]: no backend is called nobody; add it to "
		"backends, or write lobby\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_servers),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_unknown_servers),
		cmocka_unit_test(test_passthrough),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_blame_stays_with_broken_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
