#include "config/fill_unknown.h"
#include "config_help.h"

#define TOP_KEYS                                                                                \
	"listen, authentication, allowOfflinePublicAccess, maxConnections, workers, logLevel, " \
	"duplicateNames, status, backends, initialRouting, forge, limits, timeouts"

static void test_slip_of_the_finger(void **state)
{
	(void)state;
	expect_errors("wrokers: 1\n",
		      "t.yml:1: wrokers: is not a key; did you mean workers? (allowed "
		      "here: " TOP_KEYS ")\n");
	expect_errors("status: {moted: a}\n",
		      "t.yml:1: status.moted: is not a key; did you mean motd? "
		      "(allowed here: motd, icon, maxPlayers, sample)\n");
}

/* Another spelling of a key of this section is that key, even if others have one of that name. */
static void test_other_letters(void **state)
{
	(void)state;
	expect_errors(
		"max_connections: 1\n",
		"t.yml:1: max_connections: is not a key; did you mean maxConnections? (allowed "
		"here: " TOP_KEYS ")\n");
	expect_errors(
		"listen: {address: \"127.0.0.1:1\", websocket: {}}\n",
		"t.yml:1: listen.websocket: is not a key; did you mean webSocket? (allowed here: "
		"address, accept, proxyProtocol, trusted, webSocket)\n");
}

static void test_key_of_another_section(void **state)
{
	(void)state;
	expect_errors("forcedHosts: {}\n",
		      "t.yml:1: forcedHosts: is not a key of this section; write it "
		      "as initialRouting.forcedHosts (allowed here: " TOP_KEYS ")\n");
	expect_errors("proxy-protocol: off\n",
		      "t.yml:1: proxy-protocol: is not a key of this section; write it as "
		      "listen[].proxyProtocol (allowed here: " TOP_KEYS ")\n");
}

static void test_nobody_has_it(void **state)
{
	(void)state;
	expect_errors(
		"forge: {\"qqqqqq\\u00e9\": 1}\n",
		"t.yml:1: forge.\"qqqqqq\303\251\": is not a key; remove it (allowed here: order)\n");
}

static void test_others_have_it(void **state)
{
	(void)state;
	expect_errors(
		"listen:\n- address: 127.0.0.1:1\n  tls: {}\n",
		"t.yml:3: listen[0].tls: this version has no TLS yet; remove the key and let a "
		"web server or CDN in front of the WebSocket do it\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slip_of_the_finger),     cmocka_unit_test(test_other_letters),
		cmocka_unit_test(test_key_of_another_section), cmocka_unit_test(test_nobody_has_it),
		cmocka_unit_test(test_others_have_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
