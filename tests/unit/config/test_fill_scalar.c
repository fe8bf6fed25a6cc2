#include "config/fill_scalar.h"
#include "config_help.h"

static void test_switch_words(void **state)
{
	static const char *const on[] = {"true", "TRUE", "True", "yes", "on", "\"true\""};
	static const char *const off[] = {"false", "False", "no", "OFF"};
	char yaml[64];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(on) + COUNT_OF(off); i++) {
		bool want = i < COUNT_OF(on);
		struct settings *s = NULL;

		(void)snprintf(yaml, sizeof(yaml), "allowOfflinePublicAccess: %s",
			       want ? on[i] : off[i - COUNT_OF(on)]);
		s = load_text(yaml);
		assert_int_equal(s->allow_offline_public_access, want);
		settings_unref(s);
	}
	expect_errors("allowOfflinePublicAccess: 1", "t.yml:1: allowOfflinePublicAccess: \"1\" is "
						     "neither; write true or false\n");
}

static void test_numbers(void **state)
{
	static const char *const wrong[] = {"-1",  "+1",    "1.0",   "0x10",
					    "1e3", "1 000", "'1,0'", "abc"};
	struct settings *s = load_text("maxConnections: 1000000\nworkers: \"64\"\n"
				       "status: {maxPlayers: 2147483647}\n");

	(void)state;
	assert_int_equal(s->max_connections, 1000000);
	assert_int_equal(s->workers, 64);
	assert_int_equal(s->status.max_players, INT32_MAX);
	settings_unref(s);
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		struct config_errors errs = {0};
		char yaml[64];

		(void)snprintf(yaml, sizeof(yaml), "workers: %s", wrong[i]);
		assert_null(settings_parse("t", slice_str(yaml), &errs));
		assert_int_equal(errs.n, 1);
		assert_true(buf_append(&errs.text, slice_of("", 1)));
		assert_non_null(strstr((const char *)errs.text.p, "is not a whole number; "));
		config_errors_fini(&errs);
	}
	expect_errors("workers: 65\n",
		      "t.yml:1: workers: \"65\" is out of range; write a whole number "
		      "from 0 to 64\n");
	expect_errors(
		"workers: 18446744073709551616\n",
		"t.yml:1: workers: \"18446744073709551616\" is not a whole number; write a whole "
		"number from 0 to 64\n");
}

static void test_quantities(void **state)
{
	struct settings *s =
		load_text("limits: {unsentHigh: 64MB, unsentLow: 1024, poolPerWorker: 1gb}\n"
			  "timeouts: {idle: OFF, drain: 0, login: 250ms, firstPlay: 1h}\n");

	(void)state;
	assert_int_equal(s->limits.unsent_high_bytes, 64 << 20);
	assert_int_equal(s->limits.unsent_low_bytes, 1024);
	assert_int_equal(s->limits.pool_bytes, 1 << 30);
	assert_int_equal(s->timeouts.idle_us, 0);
	assert_int_equal(s->timeouts.drain_us, 0);
	assert_int_equal(s->timeouts.login_us, 250000);
	assert_int_equal(s->timeouts.first_play_us, 3600000000);
	settings_unref(s);
	expect_errors(
		"timeouts:\n  login: off\n  idle: 1us\n  route: 5\n  dial: 5 s\n",
		"t.yml:2: timeouts.login: \"off\" is not a duration with its unit (ms, s, m, h); "
		"write a duration from 10ms to 10m\n"
		"t.yml:3: timeouts.idle: \"1us\" is out of range; write a duration from 10ms to "
		"24h, or off\n"
		"t.yml:4: timeouts.route: \"5\" is not a duration with its unit (ms, s, m, h); "
		"write a duration from 10ms to 10m\n"
		"t.yml:5: timeouts.dial: \"5 s\" is not a duration with its unit (ms, s, m, h); "
		"write a duration from 10ms to 10m\n");
}

/* The keys of the Java MoonBridge, with values in any case. */
static void test_choices_in_any_case(void **state)
{
	struct settings *s =
		load_text("authentication: OFFLINE\nlogLevel: WARN\n"
			  "duplicateNames: KICK_OLD\nforge: {order: reset-first}\n"
			  "backends: [{name: a, address: \"h:1\", mode: PassThrough, "
			  "handshakeTails: KEEP}]\n"
			  "initialRouting: {whenNoServer: Disconnect}\n"
			  "listen: {address: \"127.0.0.1:1\", proxyProtocol: Required, "
			  "trusted: unix}\n");

	(void)state;
	assert_true(s->offline);
	assert_int_equal(s->log_level, LOG_WARN);
	assert_int_equal(s->duplicate_names, DUPLICATE_KICK_OLD);
	assert_int_equal(s->forge_order, FORGE_RESET_FIRST);
	assert_int_equal(s->backends[0].mode, BACKEND_PASSTHROUGH);
	assert_int_equal(s->backends[0].tails, TAILS_KEEP);
	assert_int_equal(s->when_no_server, NO_SERVER_DISCONNECT);
	assert_int_equal(s->listeners[0].proxy_protocol, PROXY_PROTOCOL_REQUIRED);
	settings_unref(s);
}

static void test_online_is_not_there_yet(void **state)
{
	(void)state;
	expect_errors(
		"authentication: Online\n",
		"t.yml:1: authentication: online is not there yet: this version cannot ask the "
		"session server; write authentication: offline, and let nobody but friends reach "
		"the port\n");
}

static void test_no_value(void **state)
{
	(void)state;
	expect_errors(
		"workers:\nlogLevel: ~\nallowOfflinePublicAccess: Null\nstatus: {motd: [a]}\n",
		"t.yml:1: workers: has no value; write a whole number from 0 to 64, or remove "
		"the key\n"
		"t.yml:2: logLevel: has no value; write debug or info or warn or error, or remove "
		"the key\n"
		"t.yml:3: allowOfflinePublicAccess: has no value; write true or false, or remove "
		"the key\n"
		"t.yml:4: status.motd: a list does not belong here; write at most two lines and "
		"1024 bytes of text\n");
}

static void test_client_address(void **state)
{
	struct settings *s =
		load_text("listen:\n"
			  "  - {address: \"127.0.0.1:1\", webSocket: {clientAddress: DIRECT}}\n"
			  "  - address: 127.0.0.1:2\n"
			  "    webSocket: {clientAddress: CF-Connecting-IP, trusted: unix}\n");

	(void)state;
	assert_null(s->listeners[0].ws_address_header);
	assert_string_equal(s->listeners[1].ws_address_header, "CF-Connecting-IP");
	settings_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switch_words),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_quantities),
		cmocka_unit_test(test_choices_in_any_case),
		cmocka_unit_test(test_online_is_not_there_yet),
		cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_client_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
