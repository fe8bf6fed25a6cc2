#include "websocket/head.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect_slice(struct slice got, const char *want)
{
	assert_non_null(got.p);
	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.p, want, got.len);
}

static const char *const ends[] = {"\r\n\r\n", "\n\n", "\r\n\n", "\n\r\n"};

/* The head grows by `step` bytes; each look starts where the last one stopped. Memory ends with
 * what is there. */
static enum progress end_in_steps(const char *text, size_t len, size_t step, size_t *ret_len)
{
	size_t seen = 0;

	for (size_t have = step;; have += step) {
		uint8_t *copy;
		enum progress p;

		have = have < len ? have : len;
		copy = malloc(have);
		memcpy(copy, text, have);
		p = ws_head_end(slice_of(copy, have), seen, ret_len);
		free(copy);
		if (p != MORE || have == len)
			return p;
		seen = have;
	}
}

static void test_end_at_every_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		for (size_t step = 1; step < 60; step++) {
			char text[100] = "GET /mc HTTP/1.1\r\nHost: a\n b\r\n \r\nX: y";
			size_t head = strlen(text) + strlen(ends[i]), len = 999;

			memcpy(text + strlen(text), ends[i], strlen(ends[i]) + 1);
			memcpy(text + head, "\x82\x80 and frames\n\n", 16);
			assert_int_equal(end_in_steps(text, head + 15, step, &len), DONE);
			assert_int_equal(len, head);
			len = 999;
			assert_int_equal(end_in_steps(text, head - 1, step, &len), MORE);
			assert_int_equal(len, 999);
		}
	}
}

static void test_end_of_nothing(void **state)
{
	size_t len = 999;

	(void)state;
	assert_int_equal(ws_head_end((struct slice){0}, 0, &len), MORE);
	assert_int_equal(ws_head_end(SLICE_LIT("\n"), 0, &len), MORE);
	assert_int_equal(ws_head_end(SLICE_LIT("\r\n\r"), 0, &len), MORE);
	assert_int_equal(len, 999);
	assert_int_equal(ws_head_end(SLICE_LIT("\r\n\r\n"), 0, &len), DONE);
	assert_int_equal(len, 4);
}

/* 8,192 bytes with the empty line pass, one more does not; 8,192 without an end are enough to know.
 */
static void test_end_limit(void **state)
{
	char text[WS_HEAD_MAX_BYTES + 4];
	size_t len = 999;

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(ws_head_end(slice_of(text, WS_HEAD_MAX_BYTES - 1), 0, &len), MORE);
	assert_int_equal(ws_head_end(slice_of(text, WS_HEAD_MAX_BYTES), 0, &len), BAD);
	memcpy(text + WS_HEAD_MAX_BYTES - 3, "\r\n\r\n", 4);
	assert_int_equal(end_in_steps(text, sizeof(text), sizeof(text), &len), BAD);
	assert_int_equal(end_in_steps(text, sizeof(text), 7, &len), BAD);
	assert_int_equal(len, 999);
	memcpy(text + WS_HEAD_MAX_BYTES - 4, "\r\n\r\n", 4);
	for (size_t step = 1; step < 5; step++) {
		assert_int_equal(end_in_steps(text, sizeof(text), step, &len), DONE);
		assert_int_equal(len, WS_HEAD_MAX_BYTES);
	}
	assert_int_equal(end_in_steps(text, sizeof(text), sizeof(text), &len), DONE);
	assert_int_equal(len, WS_HEAD_MAX_BYTES);
}

static void test_whole_request(void **state)
{
	struct ws_request r;

	(void)state;
	assert_int_equal(
		ws_request_parse(&r,
				 SLICE_LIT("GET /mc?x=1 HTTP/1.1\r\nHost: example.com\r\n"
					   "X-Forwarded-For: 10.0.0.1\r\nUser-Agent: \xC3\xA4\r\n"
					   "x-forwarded-FOR: 10.0.0.2, 10.0.0.3\r\n\r\n")),
		WS_UPGRADE);
	expect_slice(r.method, "GET");
	expect_slice(r.target, "/mc?x=1");
	expect_slice(r.path, "/mc");
	assert_int_equal(r.minor, 1);
	assert_int_equal(r.header_n, 4);
	expect_slice(ws_request_header(&r, SLICE_LIT("hOST")), "example.com");
	expect_slice(ws_request_header(&r, SLICE_LIT("X-Forwarded-For")), "10.0.0.1");
	expect_slice(ws_request_last_header(&r, SLICE_LIT("X-Forwarded-For")),
		     "10.0.0.2, 10.0.0.3");
	assert_null(ws_request_header(&r, SLICE_LIT("Forwarded")).p);
	assert_null(ws_request_last_header(&r, SLICE_LIT("Forwarded")).p);
	expect_slice(ws_request_last_header(&r, SLICE_LIT("host")), "example.com");
}

static void test_request_without_headers(void **state)
{
	struct ws_request r;

	(void)state;
	assert_int_equal(ws_request_parse(&r, SLICE_LIT("GET / HTTP/1.0\n\n")), WS_UPGRADE);
	assert_int_equal(r.minor, 0);
	assert_int_equal(r.header_n, 0);
	assert_int_equal(ws_request_parse(&r, SLICE_LIT("X / HTTP/1.9\n\n")), WS_UPGRADE);
	expect_slice(r.method, "X");
	assert_int_equal(r.minor, 9);
}

static void test_paths(void **state)
{
	static const char *const good[][2] = {
		{"/", "/"},
		{"/mc/", "/mc/"},
		{"/?/mc", "/"},
		{"http://example.com:25577/mc?q", "/mc"},
		{"WSS://example.com/mc", "/mc"},
		{"ws://example.com", "/"},
		{"ws://", "/"},
		{"https://example.com?q", "/"},
	};
	static const char *const bad[] = {
		"mc", "*", "?", "ftp://example.com/mc", "example.com:443", "http:/mc"};
	struct ws_request r;
	char head[100];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		size_t n =
			(size_t)snprintf(head, sizeof(head), "GET %s HTTP/1.1\r\n\r\n", good[i][0]);

		assert_int_equal(ws_request_parse(&r, slice_of(head, n)), WS_UPGRADE);
		expect_slice(r.target, good[i][0]);
		expect_slice(r.path, good[i][1]);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		size_t n = (size_t)snprintf(head, sizeof(head), "GET %s HTTP/1.1\r\n\r\n", bad[i]);

		assert_int_equal(ws_request_parse(&r, slice_of(head, n)), WS_BAD_REQUEST);
	}
}

static void test_bad_requests(void **state)
{
	static const char *const bad[] = {
		"\r\n\r\n",
		"GET\r\n\r\n",
		"GET /\r\n\r\n",
		"GET / \r\n\r\n",
		" GET / HTTP/1.1\r\n\r\n",
		" / HTTP/1.1\r\n\r\n",
		"GET  / HTTP/1.1\r\n\r\n",
		"GET /  HTTP/1.1\r\n\r\n",
		"GET / a HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1 \r\n\r\n",
		"GET / HTTP/2.0\r\n\r\n",
		"GET / HTTP/1.10\r\n\r\n",
		"GET / HTTP/1.x\r\n\r\n",
		"GET / http/1.1\r\n\r\n",
		"GET /\x01 HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nA: \x1B[0m\r\n\r\n",
		"GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
		"GET / HTTP/1.1\r\nno colon\r\n\r\n",
		"GET / HTTP/1.1\r\n fold\r\n\r\n",
	};
	struct ws_request r;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(ws_request_parse(&r, slice_str(bad[i])), WS_BAD_REQUEST);
	assert_int_equal(ws_request_parse(&r, SLICE_LIT("GET / HTTP/1.1\r\nA: \0\r\n\r\n")),
			 WS_BAD_REQUEST);
	assert_int_equal(ws_request_parse(&r, (struct slice){0}), WS_BAD_REQUEST);
}

static void test_too_large(void **state)
{
	static char head[WS_HEAD_MAX_BYTES + 1];
	size_t n = strlen("GET / HTTP/1.1\r\nA: ");
	struct ws_request r;

	(void)state;
	memset(head, 'x', sizeof(head));
	memcpy(head, "GET / HTTP/1.1\r\nA: ", n);
	memcpy(head + WS_HEAD_MAX_BYTES - 4, "\r\n\r\n", 4);
	assert_int_equal(ws_request_parse(&r, slice_of(head, WS_HEAD_MAX_BYTES)), WS_UPGRADE);
	assert_int_equal(ws_request_header(&r, SLICE_LIT("A")).len, WS_HEAD_MAX_BYTES - 4 - n);
	assert_int_equal(ws_request_parse(&r, slice_of(head, WS_HEAD_MAX_BYTES + 1)),
			 WS_HEAD_TOO_LARGE);
}

static void test_65_headers(void **state)
{
	char head[1024] = "GET / HTTP/1.1\r\n";
	size_t n = strlen(head);
	struct ws_request r;

	(void)state;
	for (int i = 0; i < 65; i++)
		n += (size_t)snprintf(head + n, sizeof(head) - n, "a: b\r\n");
	assert_int_equal(ws_request_parse(&r, slice_of(head, n - 6)), WS_UPGRADE);
	assert_null(ws_request_header(&r, SLICE_LIT("b")).p);
	assert_int_equal(ws_request_parse(&r, slice_of(head, n)), WS_HEAD_TOO_LARGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end_at_every_cut),
		cmocka_unit_test(test_end_of_nothing),
		cmocka_unit_test(test_end_limit),
		cmocka_unit_test(test_whole_request),
		cmocka_unit_test(test_request_without_headers),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_bad_requests),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_65_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
