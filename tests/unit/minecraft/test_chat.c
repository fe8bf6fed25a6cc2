#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/chat.h"

typedef bool render_fn(struct buf *b, struct slice in);

static void check(render_fn *render, struct slice in, const char *want)
{
	struct buf b = {0};

	assert_true(buf_append(&b, SLICE_LIT("before ")));
	assert_true(render(&b, in));
	assert_true(slice_eq(slice_of(b.p, 7), SLICE_LIT("before ")));
	assert_true(buf_append(&b, SLICE_LIT("\0")));
	assert_string_equal((const char *)b.p + 7, want);
	buf_fini(&b);
}

static void check_json(struct slice plain, const char *want)
{
	check(chat_json, plain, want);
}

static void check_plain(const char *json, const char *want)
{
	check(chat_plain, slice_str(json), want);
}

static void test_plain_text_becomes_a_component(void **state)
{
	(void)state;
	check_json(SLICE_LIT("hello"), "{\"text\":\"hello\"}");
	check_json(SLICE_LIT(""), "{\"text\":\"\"}");
	check_json(slice_of(NULL, 0), "{\"text\":\"\"}");
	check_json(SLICE_LIT("\"\\\n\t\x01"), "{\"text\":\"\\\"\\\\\\n\\t\\u0001\"}");
	check_json(SLICE_LIT("a\0b"), "{\"text\":\"a\\u0000b\"}");
	check_json(SLICE_LIT("\u00a7aGr\u00fcn \U0001F600"),
		   "{\"text\":\"\u00a7aGr\u00fcn \U0001F600\"}");
}

static void test_bytes_that_are_no_text_become_question_marks(void **state)
{
	(void)state;
	check_json(SLICE_LIT("a\xFF\xC3"), "{\"text\":\"a??\"}");
	check_json(SLICE_LIT("\xC3\xA4\xE2\x82"), "{\"text\":\"\u00e4??\"}");
	check_json(SLICE_LIT("\xED\xA0\x80"), "{\"text\":\"???\"}");
}

static void test_components_become_plain_text(void **state)
{
	(void)state;
	check_plain("\"kicked\"", "kicked");
	check_plain("{\"text\":\"a\",\"extra\":[\"b\",{\"text\":\"c\",\"extra\":[\"d\"]}]}",
		    "abcd");
	check_plain("[\"a\",{\"text\":\"b\"},3]", "ab3");
	check_plain("{\"extra\":[\"x\"],\"text\":\"\"}", "x");
	check_plain("{\"translate\":\"disconnect.spam\"}", "disconnect.spam");
	check_plain("{\"translate\":\"t\",\"with\":[\"a\",{\"text\":\"b\"}],\"extra\":[\"!\"]}",
		    "t (a, b)!");
	check_plain("{\"translate\":\"t\",\"with\":[]}", "t");
	check_plain("{\"text\":5}", "5");
	check_plain("true", "true");
	check_plain("false", "false");
	check_plain("null", "");
	check_plain("1.5", "1.5");
	check_plain("{}", "");
	check_plain("{\"extra\":5,\"translate\":{},\"with\":7}", "");
	check_plain("\"\\u00e4\"", "\u00e4");
}

static void test_what_is_no_json_comes_back(void **state)
{
	(void)state;
	check_plain("", "");
	check_plain("Server closed", "Server closed");
	check_plain("{\"text\":\"a", "{\"text\":\"a");
	check_plain("\"a\" b", "\"a\" b");
}

/* 512 bytes, and no half character at the end. */
static void test_what_is_no_json_is_cut(void **state)
{
	char in[600], want[600];

	(void)state;
	for (size_t shift = 0; shift < 4; shift++) {
		size_t at = 512 - shift;

		memset(in, 'x', sizeof(in));
		memcpy(in + at, "\xF0\x9F\x98\x80", 4);
		memcpy(want, in, at);
		want[at] = '\0';
		check(chat_plain, slice_of(in, sizeof(in)), want);
	}
	memset(in, 0x80, sizeof(in)); /* nothing but bytes that begin no character */
	memset(want, 0x80, sizeof(want));
	want[509] = '\0';
	check(chat_plain, slice_of(in, sizeof(in)), want);
}

/* Deeper levels than any server sends are left out; depth cannot break us. */
static void test_depth_is_bounded(void **state)
{
	struct buf json = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_true(buf_append(&json, SLICE_LIT("{\"text\":\"a\",\"extra\":[")));
	for (int i = 0; i < 1000; i++)
		assert_true(buf_append(&json, SLICE_LIT("]}")));
	check(chat_plain, buf_slice(&json), "aaaaaaaaaaaaaaaa");
	json.len = 0;
	for (int i = 0; i < 100000; i++)
		assert_true(buf_append(&json, SLICE_LIT("[")));
	{
		char want[513];

		memset(want, '[', 512);
		want[512] = '\0';
		check(chat_plain, buf_slice(&json), want);
	}
	buf_fini(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_text_becomes_a_component),
		cmocka_unit_test(test_bytes_that_are_no_text_become_question_marks),
		cmocka_unit_test(test_components_become_plain_text),
		cmocka_unit_test(test_what_is_no_json_comes_back),
		cmocka_unit_test(test_what_is_no_json_is_cut),
		cmocka_unit_test(test_depth_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
