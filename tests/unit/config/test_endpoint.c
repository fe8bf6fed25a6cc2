#include "config/endpoint.h"
#include "config_help.h"

static struct arena memory;

static struct place listen_at(const char *text)
{
	struct place at;
	const char *why = NULL;

	assert_int_equal(endpoint_parse_listen(&at, slice_str(text), &memory, &why), ENDPOINT_OK);
	assert_string_equal(at.text, text);
	return at;
}

static struct place backend_at(const char *text)
{
	struct place at;
	const char *why = NULL;

	assert_int_equal(endpoint_parse_backend(&at, slice_str(text), &memory, &why), ENDPOINT_OK);
	assert_string_equal(at.text, text);
	return at;
}

static void expect_ip(struct place at, const char *host, const char *addr)
{
	char text[ADDR_TEXT_MAX];

	addr_format(&at.addr, text);
	assert_string_equal(text, addr);
	assert_string_equal(at.host, host);
	assert_int_equal(at.port, at.addr.port);
	assert_null(at.unix_path);
	assert_null(at.inherited);
}

static void test_listen_ip(void **state)
{
	(void)state;
	expect_ip(listen_at("127.0.0.1:25577"), "127.0.0.1", "127.0.0.1:25577");
	expect_ip(listen_at("[::1]:1"), "::1", "[::1]:1");
	expect_ip(listen_at("[::]:65535"), "::", "[::]:65535");
	expect_ip(listen_at("*:25565"), "::", "[::]:25565");
	expect_ip(listen_at(":25565"), "::", "[::]:25565");
	expect_ip(listen_at("0.0.0.0:0"), "0.0.0.0", "0.0.0.0:0");
	expect_ip(listen_at("[::ffff:10.0.0.1]:5"), "::ffff:10.0.0.1", "10.0.0.1:5");
}

static void test_listen_unix_and_inherited(void **state)
{
	struct place at = listen_at("unix:/run/a b.sock");

	(void)state;
	assert_string_equal(at.unix_path, "/run/a b.sock");
	assert_null(at.host);
	assert_null(at.inherited);
	assert_int_equal(at.addr.kind, ADDR_NONE);
	at = listen_at("inherited:front-1");
	assert_string_equal(at.inherited, "front-1");
	assert_null(at.host);
	assert_null(at.unix_path);
}

static void test_backend(void **state)
{
	struct place at = backend_at("mc.example.org:25565");

	(void)state;
	assert_string_equal(at.host, "mc.example.org");
	assert_int_equal(at.port, 25565);
	assert_int_equal(at.addr.kind, ADDR_NONE);
	expect_ip(backend_at("10.1.2.3:25565"), "10.1.2.3", "10.1.2.3:25565");
	expect_ip(backend_at("[fd00::1]:25565"), "fd00::1", "[fd00::1]:25565");
	expect_ip(backend_at("tcp://10.1.2.3:25565"), "10.1.2.3", "10.1.2.3:25565");
	assert_string_equal(backend_at("tcp://a_b-c.d:1").host, "a_b-c.d");
	assert_string_equal(backend_at("unix:/s").unix_path, "/s");
}

/* Each error is "what; remedy", and nothing is written. */
static void expect_wrong(const char *text, const char *listen, const char *backend)
{
	struct place at = {.port = 7};
	const char *why = NULL;

	if (listen != NULL) {
		assert_int_equal(endpoint_parse_listen(&at, slice_str(text), &memory, &why),
				 ENDPOINT_WRONG);
		assert_non_null(strstr(why, listen));
		assert_non_null(strstr(why, "; "));
	}
	if (backend != NULL) {
		assert_int_equal(endpoint_parse_backend(&at, slice_str(text), &memory, &why),
				 ENDPOINT_WRONG);
		assert_non_null(strstr(why, backend));
		assert_non_null(strstr(why, "; "));
	}
	assert_int_equal(at.port, 7);
	assert_null(at.text);
}

static void test_wrong(void **state)
{
	(void)state;
	expect_wrong("", "no port", "no port");
	expect_wrong("host", "no port", "no port");
	expect_wrong("localhost:25577", "is a name", NULL);
	expect_wrong("127.1:25577", "is a name", NULL);
	expect_wrong("127.0.0.1", "no port", "no port");
	expect_wrong("127.0.0.1:", "port from 1", "port from 1");
	expect_wrong("127.0.0.1:65536", "port from 1", "port from 1");
	expect_wrong("127.0.0.1:-1", "port from 1", "port from 1");
	expect_wrong("127.0.0.1:+1", "port from 1", "port from 1");
	expect_wrong("127.0.0.1: 1", "port from 1", "port from 1");
	expect_wrong("127.0.0.1:99999999999999999999", "port from 1", "port from 1");
	expect_wrong("host:0", NULL, "port from 1");
	expect_wrong("*:1", NULL, "host name");
	expect_wrong(":1", NULL, "host name");
	expect_wrong("a b:1", "is a name", "host name");
	expect_wrong("::1:5", "more than one colon", "more than one colon");
	expect_wrong("[::1", "no ]", "no ]");
	expect_wrong("[::1]", "no port", "no port");
	expect_wrong("[::1]5", "no port", "no port");
	expect_wrong("[]:5", NULL, "host name");
	expect_wrong("[fe80::1%eth0]:5", "is a name", "host name");
	expect_wrong("unix:", "absolute", "absolute");
	expect_wrong("unix:a", "absolute", "absolute");
	expect_wrong("unix:/a\nb", "control", "control");
	expect_wrong("inherited:", "good name", "for listeners");
	expect_wrong("inherited:a:b", "good name", "for listeners");
	expect_wrong("tcp://127.0.0.1:1", "more than one colon", NULL);
}

static void test_longest_unix_path(void **state)
{
	char text[5 + ADDR_UNIX_PATH_MAX + 1] = "unix:/";

	(void)state;
	memset(text + 6, 'x', ADDR_UNIX_PATH_MAX - 2);
	text[5 + ADDR_UNIX_PATH_MAX - 1] = '\0';
	assert_int_equal(strlen(listen_at(text).unix_path), ADDR_UNIX_PATH_MAX - 1);
	text[5 + ADDR_UNIX_PATH_MAX - 1] = 'x';
	text[5 + ADDR_UNIX_PATH_MAX] = '\0';
	expect_wrong(text, "107", "107");
}

/* Every prefix of a good text is read without reading past it. */
static void test_every_prefix(void **state)
{
	static const char text[] = "[2001:db8::1]:25565";

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		uint8_t *cut = malloc(n > 0 ? n : 1);
		struct place at;
		const char *why = NULL;
		enum endpoint_result want = n >= 15 ? ENDPOINT_OK : ENDPOINT_WRONG;

		assert_non_null(cut);
		memcpy(cut, text, n);
		assert_int_equal(endpoint_parse_listen(&at, slice_of(cut, n), &memory, &why), want);
		free(cut);
	}
}

static int setup(void **state)
{
	(void)state;
	arena_init(&memory, 4096);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_fini(&memory);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listen_ip),
		cmocka_unit_test(test_listen_unix_and_inherited),
		cmocka_unit_test(test_backend),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_longest_unix_path),
		cmocka_unit_test(test_every_prefix),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
