#include "config/settings_rules.h"
#include "config_help.h"

#define OFFLINE_TAIL                                                                \
	", and authentication: offline lets anyone join there under any name; set " \
	"allowOfflinePublicAccess: true if that is meant, or listen on 127.0.0.1\n"

static void test_case_20_offline_on_a_public_address(void **state)
{
	static const char *const public[] = {
		"0.0.0.0:1",          "*:1", ":1", "[::]:1", "10.0.0.1:1", "[fd00::1]:1",
		"[::ffff:10.0.0.1]:1"};
	static const char *const local[] = {"127.0.0.1:1", "127.8.8.8:1", "[::1]:1",
					    "[::ffff:127.0.0.1]:1", "unix:/s"};
	char yaml[128];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(public); i++) {
		(void)snprintf(yaml, sizeof(yaml), "listen: \"%s\"\n", public[i]);
		expect_errors(yaml, "t.yml:1: listen: is a public address" OFFLINE_TAIL);
		(void)snprintf(yaml, sizeof(yaml),
			       "listen: \"%s\"\nallowOfflinePublicAccess: true\n", public[i]);
		settings_unref(load_text(yaml));
	}
	for (size_t i = 0; i < COUNT_OF(local); i++) {
		(void)snprintf(yaml, sizeof(yaml), "listen: \"%s\"\n", local[i]);
		settings_unref(load_text(yaml));
	}
	expect_errors(
		"listen: [\"127.0.0.1:1\", {address: \"inherited:x\"}]\n",
		"t.yml:1: listen[1].address: is an inherited socket, which may be public" OFFLINE_TAIL);
}

static void test_nobody_is_trusted(void **state)
{
	(void)state;
	expect_errors("listen: {address: \"127.0.0.1:1\", proxyProtocol: optional}\n",
		      "t.yml:1: listen.proxyProtocol: nobody may send the header, since trusted is "
		      "empty; list the networks of the load balancer in trusted, such as "
		      "[10.0.0.0/8]\n");
	expect_errors("listen: {address: \"127.0.0.1:1\", trusted: unix}\n",
		      "t.yml:1: listen.trusted: has no effect while proxyProtocol is off; set "
		      "proxyProtocol: optional or required, or remove trusted\n");
	expect_errors("listen: {address: \"127.0.0.1:1\", webSocket: {clientAddress: X}}\n",
		      "t.yml:1: listen.webSocket.clientAddress: no header counts, since "
		      "webSocket.trusted is empty; list the networks of the web server or CDN in "
		      "trusted\n");
	expect_errors("listen: {address: \"127.0.0.1:1\", webSocket: {trusted: unix}}\n",
		      "t.yml:1: listen.webSocket.trusted: has no effect while clientAddress is "
		      "direct; name the header in clientAddress, or remove trusted\n");
}

static void expect_twice(const char *a, const char *b, bool is_twice)
{
	char yaml[256];

	(void)snprintf(yaml, sizeof(yaml),
		       "allowOfflinePublicAccess: true\nlisten:\n- \"%s\"\n- \"%s\"\n", a, b);
	if (is_twice)
		expect_errors(yaml,
			      "t.yml:4: listen[1]: is the same place as listener [0]; keep one of "
			      "the two\n");
	else
		settings_unref(load_text(yaml));
}

static void test_same_place_twice(void **state)
{
	(void)state;
	expect_twice("127.0.0.1:1", "127.0.0.1:1", true);
	expect_twice("*:1", "[::]:1", true);
	expect_twice("unix:/a", "unix:/a", true);
	expect_twice("inherited:a", "inherited:a", true);
	expect_twice("127.0.0.1:1", "[::ffff:127.0.0.1]:1", true);
	expect_twice("127.0.0.1:1", "127.0.0.1:2", false);
	expect_twice("127.0.0.1:1", "127.0.0.2:1", false);
	/* two free ports are two places */
	expect_twice("127.0.0.1:0", "127.0.0.1:0", false);
	expect_twice("unix:/a", "unix:/b", false);
	expect_twice("unix:/a", "inherited:a", false);
}

static void test_marks(void **state)
{
	(void)state;
	expect_errors(
		"limits: {unsentHigh: 64kb}\n",
		"t.yml:1: limits: is not below unsentHigh, so a paused sender would never stay "
		"paused; write a quarter of it\n");
	settings_unref(load_text("limits: {unsentHigh: 64kb, unsentLow: 65535}\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_case_20_offline_on_a_public_address),
		cmocka_unit_test(test_nobody_is_trusted),
		cmocka_unit_test(test_same_place_twice),
		cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
