#include "config/schema.h"
#include "config/settings.h"
#include "config_help.h"
#include "every_key.h"

static char *printed(const struct settings *s)
{
	static char *text;
	static size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	settings_print(out, s);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The first line says where it comes from. */
static const char *behind_first_line(const char *text)
{
	return strchr(text, '\n') + 1;
}

/* Printed, loaded and printed again it is the same; so, since the table drives both, is every key.
 */
static void expect_round_trip(struct settings *s)
{
	char *once = printed(s), *twice = NULL;
	struct settings *again = load_text(once);

	twice = printed(again);
	assert_string_equal(behind_first_line(once), behind_first_line(twice));
	free(once);
	free(twice);
	settings_unref(again);
	settings_unref(s);
}

static void test_round_trips(void **state)
{
	struct config_errors errs = {0};

	(void)state;
	expect_round_trip(settings_default());
	expect_round_trip(load_text(every_key));
	expect_round_trip(settings_load(DOCS_DIR "/examples/moonbridge.yml", &errs));
	expect_round_trip(settings_load(DOCS_DIR "/examples/behind-cdn.yml", &errs));
	assert_int_equal(errs.n, 0);
}

/* What the round trip cannot see: that a value is printed at all, and where it belongs. */
static void test_values_survive(void **state)
{
	struct settings *a = load_text(every_key);
	char *text = printed(a);
	struct settings *s = load_text(text);

	(void)state;
	assert_int_equal(s->listener_n, 4);
	assert_int_equal(s->listeners[0].accept, ACCEPT_MINECRAFT | ACCEPT_WEBSOCKET);
	assert_int_equal(s->listeners[0].proxy_protocol, PROXY_PROTOCOL_OPTIONAL);
	assert_int_equal(s->listeners[0].trusted.n, 3);
	assert_memory_equal(s->listeners[0].trusted.v, a->listeners[0].trusted.v,
			    3 * sizeof(struct cidr));
	assert_string_equal(s->listeners[0].ws_path, "/play");
	assert_string_equal(s->listeners[0].ws_address_header, "X-Forwarded-For");
	assert_int_equal(s->listeners[0].ws_trusted.n, 1);
	assert_string_equal(s->listeners[0].ws_allowed_origins.v[1], "null");
	assert_string_equal(s->listeners[1].at.unix_path, "/run/a b.sock");
	assert_string_equal(s->listeners[2].at.inherited, "front");
	assert_string_equal(s->listeners[3].at.text, "*:25570");
	assert_string_equal(s->status.motd, a->status.motd);
	assert_non_null(strstr(s->status.motd, "${X}"));
	assert_int_equal(s->status.sample.n, 8);
	for (size_t i = 0; i < 8; i++)
		assert_string_equal(s->status.sample.v[i], a->status.sample.v[i]);
	free(text);
	settings_unref(a);
	settings_unref(s);
}

static void test_more_values_survive(void **state)
{
	struct settings *a = load_text(every_key);
	char *text = printed(a);
	struct settings *s = load_text(text);

	(void)state;
	assert_true(s->allow_offline_public_access);
	assert_int_equal(s->max_connections, 5000);
	assert_int_equal(s->workers, 3);
	assert_int_equal(s->log_level, LOG_DEBUG);
	assert_int_equal(s->duplicate_names, DUPLICATE_KICK_OLD);
	assert_int_equal(s->forge_order, FORGE_RESET_FIRST);
	assert_int_equal(s->backend_n, 3);
	assert_string_equal(s->backends[0].tags.v[2], "on");
	assert_string_equal(s->backends[1].name, "2nd");
	assert_int_equal(s->backends[2].mode, BACKEND_PASSTHROUGH);
	assert_int_equal(s->backends[2].tails, TAILS_KEEP);
	assert_string_equal(s->initial.servers.v[1], "lobby");
	assert_string_equal(s->forced_hosts[0].host, "*.example.org");
	assert_string_equal(s->forced_hosts[0].servers.v[1], "2nd");
	assert_string_equal(s->other_versions, "modern");
	assert_int_equal(s->when_no_server, NO_SERVER_DISCONNECT);
	assert_memory_equal(&s->timeouts, &a->timeouts, sizeof(s->timeouts));
	assert_int_equal(s->timeouts.stall_us, 10001);
	assert_int_equal(s->timeouts.idle_us, 0);
	assert_int_equal(s->limits.unsent_high_bytes, 100001);
	assert_int_equal(s->limits.prefix_factor, 5);
	assert_int_equal(s->limits.exempt.n, 2);
	free(text);
	settings_unref(a);
	settings_unref(s);
}

static void check_keys(const char *text, const struct schema *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		char key[64];

		(void)snprintf(key, sizeof(key), "%s:", s->fields[i].key);
		assert_non_null(strstr(text, key));
		if (s->fields[i].sub != NULL && s->fields[i].sub->size == 0)
			check_keys(text, s->fields[i].sub);
	}
}

/* Each key of the table is there, and no line of comment is longer than a screen. */
static void test_teaches(void **state)
{
	struct settings *s = settings_default();
	char *text = printed(s);

	(void)state;
	check_keys(text, &schema_settings);
	for (char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 100);
	free(text);
	settings_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_values_survive),
		cmocka_unit_test(test_more_values_survive),
		cmocka_unit_test(test_teaches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
