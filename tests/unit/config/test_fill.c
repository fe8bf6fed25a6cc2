#include "config/fill.h"
#include "config_help.h"

/* The defaults of the table are the documented ones, and fit their own ranges (or nothing would
 * load). */
static void test_defaults(void **state)
{
	struct settings *s = load_text("");

	(void)state;
	assert_int_equal(s->listener_n, 1);
	assert_string_equal(s->listeners[0].at.text, "127.0.0.1:25577");
	assert_int_equal(s->listeners[0].accept,
			 ACCEPT_MINECRAFT | ACCEPT_LEGACY_PING | ACCEPT_WEBSOCKET);
	assert_string_equal(s->listeners[0].ws_path, "/mc");
	assert_null(s->listeners[0].ws_address_header);
	assert_int_equal(s->listeners[0].proxy_protocol, PROXY_PROTOCOL_OFF);
	assert_true(s->offline);
	assert_false(s->allow_offline_public_access);
	assert_int_equal(s->max_connections, 4096);
	assert_int_equal(s->workers, 0);
	assert_int_equal(s->log_level, LOG_INFO);
	assert_int_equal(s->duplicate_names, DUPLICATE_SAME_ADDRESS);
	assert_int_equal(s->forge_order, FORGE_LEAVE_FIRST);
	assert_int_equal(s->backend_n, 0);
	assert_int_equal(s->initial.servers.n, 1);
	assert_string_equal(s->initial.servers.v[0], "lobby");
	assert_null(s->initial.host);
	assert_null(s->other_versions);
	assert_int_equal(s->when_no_server, NO_SERVER_HOLD);
	settings_unref(s);
}

static void test_default_budgets(void **state)
{
	struct settings *s = load_text("");

	(void)state;
	assert_int_equal(s->limits.per_address, 64);
	assert_int_equal(s->limits.new_per_second, 50);
	assert_int_equal(s->limits.burst, 200);
	assert_int_equal(s->limits.prefix_factor, 4);
	assert_int_equal(s->limits.unsent_high_bytes, 256 << 10);
	assert_int_equal(s->limits.unsent_low_bytes, 64 << 10);
	assert_int_equal(s->limits.pool_bytes, 64 << 20);
	assert_int_equal(s->timeouts.first_byte_us, 5000000);
	assert_int_equal(s->timeouts.login_us, 15000000);
	assert_int_equal(s->timeouts.route_us, 15000000);
	assert_int_equal(s->timeouts.dial_us, 5000000);
	assert_int_equal(s->timeouts.backend_login_us, 15000000);
	assert_int_equal(s->timeouts.first_play_us, 120000000);
	assert_int_equal(s->timeouts.keep_alive_us, 5000000);
	assert_int_equal(s->timeouts.idle_us, 30000000);
	assert_int_equal(s->timeouts.stall_us, 30000000);
	assert_int_equal(s->timeouts.drain_us, 5000000);
	assert_int_equal(s->timeouts.ws_ping_us, 25000000);
	settings_unref(s);
}

/* `section:` with all its keys commented out is as good as no section. */
static void test_empty_sections(void **state)
{
	struct settings *s = load_text("status:\nlimits: ~\ntimeouts: null\nbackends:\nforge: {}\n"
				       "initialRouting:\n  forcedHosts:\n");

	(void)state;
	assert_string_equal(s->status.motd, "MoonBridge");
	assert_int_equal(s->limits.burst, 200);
	assert_int_equal(s->backend_n, 0);
	assert_int_equal(s->forced_host_n, 0);
	settings_unref(s);
	expect_errors("listen:\n",
		      "t.yml:1: listen: is empty; write at least one value, or remove the key\n");
	expect_errors("listen: []\n",
		      "t.yml:1: listen: is empty; write at least one value, or remove the key\n");
}

static void test_listen_in_three_forms(void **state)
{
	struct settings *s = load_text("listen: \"127.0.0.1:1\"\n");

	(void)state;
	assert_int_equal(s->listener_n, 1);
	assert_int_equal(s->listeners[0].at.port, 1);
	settings_unref(s);

	s = load_text("listen: {address: \"127.0.0.1:2\", accept: webSocket}\n");
	assert_int_equal(s->listener_n, 1);
	assert_int_equal(s->listeners[0].at.port, 2);
	assert_int_equal(s->listeners[0].accept, ACCEPT_WEBSOCKET);
	settings_unref(s);

	s = load_text(
		"listen:\n  - 127.0.0.1:3\n  - address: unix:/s\n    webSocket: {path: /x}\n");
	assert_int_equal(s->listener_n, 2);
	assert_int_equal(s->listeners[0].at.port, 3);
	assert_string_equal(s->listeners[0].ws_path, "/mc");
	assert_string_equal(s->listeners[1].at.unix_path, "/s");
	assert_string_equal(s->listeners[1].ws_path, "/x");
	settings_unref(s);
}

static void test_items_are_sections(void **state)
{
	(void)state;
	expect_errors("backends: [hub]\n",
		      "t.yml:1: backends[0]: \"hub\" is not a section; write it as keys below each "
		      "other: name, address, tags, mode, handshakeTails\n");
	expect_errors("backends: {name: hub, address: \"h:1\"}\n",
		      "t.yml:1: backends: is not a list; begin each item with '- '\n");
	expect_errors("listen: [[\"127.0.0.1:1\"]]\n",
		      "t.yml:1: listen[0]: a list is not a section; write it as keys below each "
		      "other: address, accept, proxyProtocol, trusted, webSocket\n");
	expect_errors("listen: [~]\n",
		      "t.yml:1: listen[0]: \"~\" is not a section; write it as keys below each "
		      "other: address, accept, proxyProtocol, trusted, webSocket\n");
	expect_errors("backends:\n- address: \"h:1\"\n",
		      "t.yml:2: backends[0].name: is missing; write a name of 1 to 64 of the "
		      "characters a-z A-Z 0-9 _ . -\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_default_budgets),
		cmocka_unit_test(test_empty_sections),
		cmocka_unit_test(test_listen_in_three_forms),
		cmocka_unit_test(test_items_are_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
