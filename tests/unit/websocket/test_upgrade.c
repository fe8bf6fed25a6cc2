/* Case 36 of the field: what an upgrade request may look like, and the status that the others earn.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "websocket/head.h"
#include "base/format.h"

#define KEY    "dGhlIHNhbXBsZSBub25jZQ==" /* the example of the RFC, and what it becomes */
#define ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

#define HOST       "Host: example.com\r\n"
#define UPGRADE    "Upgrade: websocket\r\n"
#define CONNECTION "Connection: Upgrade\r\n"
#define VERSION    "Sec-WebSocket-Version: 13\r\n"
#define KEY_LINE   "Sec-WebSocket-Key: " KEY "\r\n"
#define REST       HOST VERSION KEY_LINE
#define ALL        UPGRADE CONNECTION REST

static enum ws_verdict check_head(const char *head, const char *path)
{
	struct ws_request r;
	enum ws_verdict v = ws_request_parse(&r, slice_str(head));

	return v == WS_UPGRADE ? ws_request_check(&r, slice_str(path)) : v;
}

static enum ws_verdict check_lines(const char *lines)
{
	char head[2048];

	assert_true(snprintf(head, sizeof(head), "GET /mc HTTP/1.1\r\n%s\r\n", lines) <
		    (int)sizeof(head));
	return check_head(head, "/mc");
}

static void test_good_heads(void **state)
{
	static const char *const good[] = {
		ALL,
		REST CONNECTION UPGRADE,
		"HOST: x\r\nUPGRADE: WEBSOCKET\r\nCONNECTION: UPGRADE\r\nSEC-WEBSOCKET-VERSION: 13\r\n"
		"SEC-WEBSOCKET-KEY: " KEY "\r\n",
		"host: x\r\nupgrade: WebSocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n"
		"sec-websocket-key: " KEY "\r\n",
		UPGRADE "Connection: keep-alive, Upgrade\r\n" REST,
		UPGRADE "Connection: Upgrade,keep-alive\r\n" REST,
		UPGRADE "Connection: keep-alive\r\nConnection: Upgrade\r\n" REST,
		UPGRADE "Connection: keep-alive,\r\n  Upgrade\r\n" REST,
		UPGRADE "Connection:\r\n\tUpgrade\r\n" REST,
		"Upgrade: h2c, websocket\r\n" CONNECTION REST,
		"Upgrade: h2c\r\nUpgrade:websocket\r\n" CONNECTION REST,
		UPGRADE CONNECTION "Host:\r\n" VERSION KEY_LINE,
		UPGRADE CONNECTION HOST "Sec-WebSocket-Version:\t13 \r\nSec-WebSocket-Key:" KEY
					"  \r\n",
		UPGRADE CONNECTION HOST VERSION "Sec-WebSocket-Key:\r\n " KEY "\r\n",
		UPGRADE CONNECTION HOST VERSION "Sec-WebSocket-Key: abcdefghijklmnopqrstu/==\r\n",
		ALL "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n",
		ALL "Origin: null\r\nCookie: a=b; c=\"d\"\r\nPragma: no-cache\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++)
		assert_int_equal(check_lines(good[i]), WS_UPGRADE);
}

static void test_line_ends_of_any_kind(void **state)
{
	(void)state;
	assert_int_equal(
		check_head(
			"GET /mc HTTP/1.1\nHost: x\nUpgrade: websocket\nConnection: a,\n Upgrade\n"
			"Sec-WebSocket-Version: 13\nSec-WebSocket-Key: " KEY "\n\n",
			"/mc"),
		WS_UPGRADE);
}

static void test_refused_heads(void **state)
{
	static const struct {
		const char *lines;
		enum ws_verdict want;
	} bad[] = {
		{"", WS_UPGRADE_REQUIRED},
		{HOST, WS_UPGRADE_REQUIRED},
		{CONNECTION REST, WS_UPGRADE_REQUIRED},
		{UPGRADE REST, WS_UPGRADE_REQUIRED},
		{UPGRADE "Connection: keep-alive\r\n" REST, WS_UPGRADE_REQUIRED},
		{UPGRADE "Connection: Upgrades\r\n" REST, WS_UPGRADE_REQUIRED},
		{"Upgrade: websockets\r\n" CONNECTION REST, WS_UPGRADE_REQUIRED},
		{UPGRADE CONNECTION HOST KEY_LINE, WS_UPGRADE_REQUIRED},
		{UPGRADE CONNECTION HOST KEY_LINE "Sec-WebSocket-Version: 12\r\n",
		 WS_UPGRADE_REQUIRED},
		{UPGRADE CONNECTION HOST KEY_LINE "Sec-WebSocket-Version: 8\r\n",
		 WS_UPGRADE_REQUIRED},
		{UPGRADE CONNECTION HOST KEY_LINE "Sec-WebSocket-Version: 113\r\n",
		 WS_UPGRADE_REQUIRED},
		{UPGRADE CONNECTION HOST KEY_LINE "Sec-WebSocket-Version: 13, 8\r\n",
		 WS_UPGRADE_REQUIRED},
		{ALL "Sec-WebSocket-Version: 8\r\n", WS_UPGRADE_REQUIRED},
		{UPGRADE CONNECTION HOST VERSION, WS_BAD_REQUEST},
		{ALL KEY_LINE, WS_BAD_REQUEST},
		{UPGRADE CONNECTION HOST VERSION "Sec-WebSocket-Key:\r\n", WS_BAD_REQUEST},
		{UPGRADE CONNECTION HOST VERSION "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=\r\n",
		 WS_BAD_REQUEST},
		{UPGRADE CONNECTION HOST VERSION "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQAB\r\n",
		 WS_BAD_REQUEST},
		{UPGRADE CONNECTION HOST VERSION "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQA=\r\n",
		 WS_BAD_REQUEST},
		{UPGRADE CONNECTION HOST VERSION "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZ===\r\n",
		 WS_BAD_REQUEST},
		{UPGRADE CONNECTION HOST VERSION "Sec-WebSocket-Key: dGhlIHNhbX%sZSBub25jZQ==\r\n",
		 WS_BAD_REQUEST},
		{UPGRADE CONNECTION HOST VERSION "Sec-WebSocket-Key: " KEY "AAAA\r\n",
		 WS_BAD_REQUEST},
		{UPGRADE CONNECTION VERSION KEY_LINE, WS_BAD_REQUEST},
		{ALL HOST, WS_BAD_REQUEST},
		{ALL "broken\r\n", WS_BAD_REQUEST},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(check_lines(bad[i].lines), bad[i].want);
}

static void test_method_version_path(void **state)
{
	(void)state;
	assert_int_equal(check_head("POST /mc HTTP/1.1\r\n" ALL "\r\n", "/mc"),
			 WS_METHOD_NOT_ALLOWED);
	assert_int_equal(check_head("get /mc HTTP/1.1\r\n" ALL "\r\n", "/mc"),
			 WS_METHOD_NOT_ALLOWED);
	assert_int_equal(check_head("GET /mc HTTP/1.0\r\n" ALL "\r\n", "/mc"), WS_UPGRADE_REQUIRED);
	assert_int_equal(check_head("GET /mc HTTP/1.2\r\n" ALL "\r\n", "/mc"), WS_UPGRADE);
	assert_int_equal(check_head("GET /mcx HTTP/1.1\r\n" ALL "\r\n", "/mc"), WS_NOT_FOUND);
	assert_int_equal(check_head("GET /MC HTTP/1.1\r\n" ALL "\r\n", "/mc"), WS_NOT_FOUND);
	assert_int_equal(check_head("GET / HTTP/1.1\r\n" ALL "\r\n", "/mc"), WS_NOT_FOUND);
	assert_int_equal(check_head("GET /mc/ HTTP/1.1\r\n" ALL "\r\n", "/mc"), WS_UPGRADE);
	assert_int_equal(check_head("GET /mc HTTP/1.1\r\n" ALL "\r\n", "/mc/"), WS_UPGRADE);
	assert_int_equal(check_head("GET /mc/?token=a/b HTTP/1.1\r\n" ALL "\r\n", "/mc"),
			 WS_UPGRADE);
	assert_int_equal(check_head("GET /mc// HTTP/1.1\r\n" ALL "\r\n", "/mc"), WS_NOT_FOUND);
	assert_int_equal(check_head("GET / HTTP/1.1\r\n" ALL "\r\n", "/"), WS_UPGRADE);
	assert_int_equal(check_head("GET ws://h/mc HTTP/1.1\r\n" ALL "\r\n", "/mc"), WS_UPGRADE);
}

static void expect_answer(const char *more_lines, const char *want)
{
	char head[1024], answer[WS_ANSWER_MAX_BYTES];
	struct ws_request r;
	size_t n;

	n = (size_t)snprintf(head, sizeof(head), "GET /mc HTTP/1.1\r\n" ALL "%s\r\n", more_lines);
	assert_int_equal(ws_request_parse(&r, slice_of(head, n)), WS_UPGRADE);
	n = ws_answer_upgrade(answer, &r);
	assert_int_equal(n, strlen(want));
	assert_memory_equal(answer, want, n);
}

#define GOOD_ANSWER                                                                         \
	"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
	"Sec-WebSocket-Accept: " ACCEPT "\r\n"

static void test_good_answer(void **state)
{
	(void)state;
	expect_answer("", GOOD_ANSWER "\r\n");
	expect_answer("Sec-WebSocket-Extensions: permessage-deflate\r\n", GOOD_ANSWER "\r\n");
	expect_answer("Sec-WebSocket-Protocol: chat\r\n", GOOD_ANSWER "\r\n");
	expect_answer("Sec-WebSocket-Protocol: base64, binary\r\n",
		      GOOD_ANSWER "Sec-WebSocket-Protocol: binary\r\n\r\n");
}

/* An answer's head is complete, and says how long its body is. */
static void expect_refusal(enum ws_verdict why, const char *first_line, const char *must_have)
{
	char answer[WS_ANSWER_MAX_BYTES + 1];
	size_t n = ws_answer_refusal(answer, why), head_len;
	const char *length;
	char *end;

	assert_true(n < WS_ANSWER_MAX_BYTES - 1); /* not cut */
	answer[n] = '\0';
	assert_int_equal(strncmp(answer, first_line, strlen(first_line)), 0);
	assert_int_equal(ws_head_end(slice_of(answer, n), 0, &head_len), DONE);
	length = strstr(answer, "Content-Length: ");
	assert_non_null(length);
	assert_int_equal(strtoul(length + 16, &end, 10), n - head_len);
	assert_non_null(strstr(answer, "Connection: close"));
	assert_non_null(strstr(answer + head_len, "Minecraft"));
	assert_int_equal(answer[n - 1], '\n');
	assert_non_null(strstr(answer, must_have));
	assert_int_equal(strstr(answer, "Upgrade\r\nContent") != NULL, why == WS_UPGRADE_REQUIRED);
}

static void test_refusals(void **state)
{
	(void)state;
	expect_refusal(WS_BAD_REQUEST, "HTTP/1.1 400 Bad Request\r\n", "text/plain");
	expect_refusal(WS_FORBIDDEN, "HTTP/1.1 403 Forbidden\r\n", "text/plain");
	expect_refusal(WS_NOT_FOUND, "HTTP/1.1 404 Not Found\r\n", "text/plain");
	expect_refusal(WS_METHOD_NOT_ALLOWED, "HTTP/1.1 405 Method Not Allowed\r\n",
		       "Allow: GET\r\n");
	expect_refusal(WS_UPGRADE_REQUIRED, "HTTP/1.1 426 Upgrade Required\r\n",
		       "Sec-WebSocket-Version: 13\r\n");
	expect_refusal(WS_UPGRADE_REQUIRED, "HTTP/1.1 426 ", "Upgrade: websocket\r\n");
	expect_refusal(WS_TOO_MANY_REQUESTS, "HTTP/1.1 429 Too Many Requests\r\n",
		       "Retry-After: 10\r\n");
	expect_refusal(WS_HEAD_TOO_LARGE, "HTTP/1.1 431 Request Header Fields Too Large\r\n",
		       "text/plain");
}

static void test_client_request(void **state)
{
	static const char want[] =
		"GET /mc HTTP/1.1\r\nHost: example.com:25577\r\nUpgrade: websocket\r\n"
		"Connection: Upgrade\r\nSec-WebSocket-Key: " KEY
		"\r\nSec-WebSocket-Version: 13\r\n\r\n";
	struct slice host = SLICE_LIT("example.com:25577"), path = SLICE_LIT("/mc");
	char head[512];
	size_t n = ws_request_write(head, sizeof(head), host, path, KEY);

	(void)state;
	assert_int_equal(n, sizeof(want) - 1);
	assert_memory_equal(head, want, n);
	assert_int_equal(check_head(want, "/mc"), WS_UPGRADE);
	for (size_t cap = 1; cap < sizeof(want); cap++) {
		char *small = malloc(cap);

		assert_int_equal(ws_request_write(small, cap, host, path, KEY), 0);
		free(small);
	}
	assert_int_equal(ws_request_write(head, sizeof(want), host, path, KEY), n);
}

static void test_answer_check(void **state)
{
	static const char *const good[] = {
		GOOD_ANSWER "\r\n",
		"HTTP/1.1 101\r\nUPGRADE: WebSocket\r\nconnection: keep-alive, upgrade\r\nServer: x\r\n"
		"sec-websocket-accept: " ACCEPT "\r\n\r\n",
	};
	static const char *const bad[] = {
		"HTTP/1.1 200 OK\r\n" UPGRADE CONNECTION "Sec-WebSocket-Accept: " ACCEPT "\r\n\r\n",
		"HTTP/1.1 1010\r\n" UPGRADE CONNECTION "Sec-WebSocket-Accept: " ACCEPT "\r\n\r\n",
		"HTTP/1.0 101 x\r\n" UPGRADE CONNECTION "Sec-WebSocket-Accept: " ACCEPT "\r\n\r\n",
		"HTTP/1.1 101 x\r\n" UPGRADE CONNECTION "\r\n",
		"HTTP/1.1 101 x\r\n" CONNECTION "Sec-WebSocket-Accept: " ACCEPT "\r\n\r\n",
		"HTTP/1.1 101 x\r\n" UPGRADE "Sec-WebSocket-Accept: " ACCEPT "\r\n\r\n",
		"HTTP/1.1 101 x\r\n" UPGRADE CONNECTION
		"Sec-WebSocket-Accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n\r\n",
		GOOD_ANSWER "Sec-WebSocket-Accept: " ACCEPT "\r\n\r\n",
		GOOD_ANSWER "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
		GOOD_ANSWER "Sec-WebSocket-Protocol: chat\r\n\r\n",
		GOOD_ANSWER "X: \x01\r\n\r\n",
		"",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++)
		assert_true(ws_answer_check(slice_str(good[i]), KEY));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(ws_answer_check(slice_str(bad[i]), KEY));
	assert_false(ws_answer_check(slice_str(good[0]), "AGhlIHNhbXBsZSBub25jZQ=="));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_heads),     cmocka_unit_test(test_line_ends_of_any_kind),
		cmocka_unit_test(test_refused_heads),  cmocka_unit_test(test_method_version_path),
		cmocka_unit_test(test_good_answer),    cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_client_request), cmocka_unit_test(test_answer_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
