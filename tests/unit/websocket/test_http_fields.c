#include "websocket/http_fields.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ws_request split(const char *lines)
{
	struct ws_request r = {0};

	assert_int_equal(http_fields_split(&r, slice_str(lines)), WS_UPGRADE);
	return r;
}

static void expect_slice(struct slice got, const char *want)
{
	assert_non_null(got.p);
	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.p, want, got.len);
}

static void test_lines(void **state)
{
	struct slice head = SLICE_LIT("one\r\ntwo\n\r\n\nlast");

	(void)state;
	expect_slice(http_line_cut(&head), "one");
	expect_slice(http_line_cut(&head), "two");
	expect_slice(http_line_cut(&head), "");
	expect_slice(http_line_cut(&head), "");
	expect_slice(http_line_cut(&head), "last");
	assert_int_equal(head.len, 0);
}

static void test_line_of_nothing(void **state)
{
	uint8_t *heap = malloc(1);
	struct slice head = slice_of(heap, 1);

	(void)state;
	heap[0] = '\n';
	expect_slice(http_line_cut(&head), "");
	assert_int_equal(head.len, 0);
	free(heap);
}

static void test_clean_looks_at_both_ends(void **state)
{
	uint8_t *heap = malloc(2);

	(void)state;
	memcpy(heap, "\x01z", 2);
	assert_false(http_head_is_clean(slice_of(heap, 2)));
	memcpy(heap, "z\r", 2);
	assert_false(http_head_is_clean(slice_of(heap, 2)));
	memcpy(heap, "\r\n", 2);
	assert_true(http_head_is_clean(slice_of(heap, 2)));
	free(heap);
}

static void test_clean(void **state)
{
	(void)state;
	assert_true(http_head_is_clean(SLICE_LIT("a: b\tc\r\n\n\xC3\xA4\r\n")));
	assert_false(http_head_is_clean(SLICE_LIT("a\rb")));
	assert_false(http_head_is_clean(SLICE_LIT("a\r")));
	assert_false(http_head_is_clean(SLICE_LIT("a\r\r\n")));
	for (unsigned c = 0; c < 0x100; c++) {
		uint8_t text[] = {'a', (uint8_t)c, 'b'};
		bool clean = c == '\t' || c == '\n' || (c >= ' ' && c != 0x7F);

		assert_int_equal(http_head_is_clean(slice_of(text, 3)), clean);
	}
}

static void test_values_are_trimmed(void **state)
{
	struct ws_request r =
		split("A: x \t\r\nb:y\r\nEmpty:\r\nBlank: \t \r\nColon: a:b\r\n\r\nno: more\r\n");

	(void)state;
	assert_int_equal(r.header_n, 5);
	expect_slice(r.headers[0].name, "A");
	expect_slice(r.headers[0].value, "x");
	expect_slice(r.headers[1].value, "y");
	expect_slice(r.headers[2].value, "");
	expect_slice(r.headers[3].value, "");
	expect_slice(r.headers[4].value, "a:b");
}

static void test_folds(void **state)
{
	struct ws_request r = split("A:\r\n one,\r\n\ttwo\r\nB: x\n y\nC: z");

	(void)state;
	assert_int_equal(r.header_n, 3);
	expect_slice(r.headers[0].value, "one,\r\n\ttwo");
	expect_slice(r.headers[1].value, "x\n y");
	expect_slice(r.headers[2].value, "z");
	assert_true(http_fields_have(&r, SLICE_LIT("a"), SLICE_LIT("ONE")));
	assert_true(http_fields_have(&r, SLICE_LIT("a"), SLICE_LIT("two")));
}

static void test_bad_lines(void **state)
{
	static const char *const bad[] = {
		" fold: of nothing\r\n", "no colon\r\n", ": no name\r\n",    "(a: c\r\n",
		"blank : before\r\n",    "a(b): c\r\n",  "a\tb: c\r\n",      "A: ok\r\nb",
		"\xC3\xA4: c\r\n",       "a/b: c\r\n",   "A: ok\r\n\"q\": c"};
	struct ws_request r;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(http_fields_split(&r, slice_str(bad[i])), WS_BAD_REQUEST);
}

static void test_token_characters(void **state)
{
	(void)state;
	for (unsigned c = 1; c < 0x100; c++) {
		uint8_t line[] = {'x', (uint8_t)c, ':', 'v'};
		const char *good = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789!#$%&'*+-.^_`|~:";
		struct ws_request r;
		enum ws_verdict v = http_fields_split(&r, slice_of(line, sizeof(line)));

		if (c == '\n')
			continue;
		assert_int_equal(v, strchr(good, (int)c) != NULL ? WS_UPGRADE : WS_BAD_REQUEST);
	}
}

static void test_number_of_headers(void **state)
{
	char lines[WS_HEAD_MAX_HEADERS * 8 + 16];
	size_t len = 0;
	struct ws_request r;

	(void)state;
	for (int i = 0; i < WS_HEAD_MAX_HEADERS; i++)
		len += (size_t)snprintf(lines + len, sizeof(lines) - len, "H%d: v\r\n", i);
	assert_int_equal(http_fields_split(&r, slice_of(lines, len)), WS_UPGRADE);
	assert_int_equal(r.header_n, 64);
	expect_slice(r.headers[63].name, "H63");
	len += (size_t)snprintf(lines + len, sizeof(lines) - len, "X: v\r\n");
	assert_int_equal(http_fields_split(&r, slice_of(lines, len)), WS_HEAD_TOO_LARGE);
}

static void test_lists(void **state)
{
	struct ws_request r = split(
		"Connection: keep-alive , Upgrade\r\nconnection:,,close\r\nUpgradeX: upgrade\r\n");
	struct slice name = SLICE_LIT("CONNECTION");
	struct ws_request letters = split("L: a,b,,c\r\nM:d\r\n");

	(void)state;
	for (const char *c = "abc"; *c != '\0'; c++)
		assert_true(http_fields_have(&letters, SLICE_LIT("L"), slice_of(c, 1)));
	assert_true(http_fields_have(&letters, SLICE_LIT("M"), SLICE_LIT("d")));
	assert_false(http_fields_have(&letters, SLICE_LIT("L"), SLICE_LIT("d")));
	assert_true(http_fields_have(&r, name, SLICE_LIT("keep-alive")));
	assert_true(http_fields_have(&r, name, SLICE_LIT("upgrade")));
	assert_true(http_fields_have(&r, name, SLICE_LIT("close")));
	assert_false(http_fields_have(&r, name, SLICE_LIT("keep")));
	assert_false(http_fields_have(&r, name, SLICE_LIT("alive , upgrade")));
	assert_false(http_fields_have(&r, SLICE_LIT("Upgrade"), SLICE_LIT("upgrade")));
}

static void test_only(void **state)
{
	struct ws_request r = split("One: 1\r\nTwo: 2\r\ntwo: 2\r\nEmpty:\r\n");

	(void)state;
	expect_slice(http_fields_only(&r, SLICE_LIT("one")), "1");
	expect_slice(http_fields_only(&r, SLICE_LIT("Empty")), "");
	assert_null(http_fields_only(&r, SLICE_LIT("Two")).p);
	assert_null(http_fields_only(&r, SLICE_LIT("none")).p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_line_of_nothing),
		cmocka_unit_test(test_clean_looks_at_both_ends),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_values_are_trimmed),
		cmocka_unit_test(test_folds),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_token_characters),
		cmocka_unit_test(test_number_of_headers),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
