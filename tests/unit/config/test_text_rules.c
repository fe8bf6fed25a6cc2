#include "config/text_rules.h"
#include "config_help.h"

struct expectation {
	const struct text_rule *rule;
	const char *text;
	bool ok;
};

static const struct expectation cases[] = {
	{&rule_name, "hub", true},
	{&rule_name, "A-z_0.9", true},
	{&rule_name, "", false},
	{&rule_name, "a b", false},
	{&rule_name, "caf\303\251", false},
	{&rule_name, "a/b", false},
	{&rule_motd, "", true},
	{&rule_motd, "\302\247aone\ntwo", true},
	{&rule_motd, "one\ntwo\nthree", false},
	{&rule_motd, "one\ttwo", false},
	{&rule_motd, "\xA7", false},
	{&rule_motd, "a\033b", false},
	{&rule_line, "", true},
	{&rule_line, "a\nb", false},
	{&rule_file, "icon.png", true},
	{&rule_file, "", false},
	{&rule_file, "a\nb", false},
	{&rule_url_path, "/", true},
	{&rule_url_path, "/mc/a-b_c.d~e%20", true},
	{&rule_url_path, "mc", false},
	{&rule_url_path, "", false},
	{&rule_url_path, "/a?b", false},
	{&rule_url_path, "/a#b", false},
	{&rule_url_path, "/a b", false},
	{&rule_header, "X-Forwarded-For", true},
	{&rule_header, "", false},
	{&rule_header, "X Y", false},
	{&rule_header, "X:", false},
	{&rule_origin, "https://play.example.org", true},
	{&rule_origin, "http://10.0.0.1:8080", true},
	{&rule_origin, "http://[::1]:8080", true},
	{&rule_origin, "chrome-extension://abc", true},
	{&rule_origin, "null", true},
	{&rule_origin, "", false},
	{&rule_origin, "*", false},
	{&rule_origin, "https://", false},
	{&rule_origin, "://a", false},
	{&rule_origin, "https://a/", false},
	{&rule_origin, "https:a", false},
	{&rule_origin, "play.example.org", false},
	{&rule_forced_host, "play.example.org", true},
	{&rule_forced_host, "*.example.org", true},
	{&rule_forced_host, "localhost", true},
	{&rule_forced_host, "10.0.0.1", true},
	{&rule_forced_host, "a_b", true},
	{&rule_forced_host, "", false},
	{&rule_forced_host, "*", false},
	{&rule_forced_host, "*.", false},
	{&rule_forced_host, "*.*.a", false},
	{&rule_forced_host, "a.*", false},
	{&rule_forced_host, ".a", false},
	{&rule_forced_host, "a:1", false},
};

/* From a block of exactly the text's size: a byte too far is seen. */
static bool is_ok(const struct text_rule *rule, const char *text)
{
	size_t n = strlen(text);
	uint8_t *copy = malloc(n > 0 ? n : 1);
	bool ok = false;

	assert_non_null(copy);
	memcpy(copy, text, n);
	ok = rule->is_ok(slice_of(copy, n));
	free(copy);
	return ok;
}

static void test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		if (is_ok(cases[i].rule, cases[i].text) != cases[i].ok)
			fail_msg("\"%s\" (%s)", cases[i].text, cases[i].rule->wants);
	}
}

static void expect_longest(const struct text_rule *rule, const char *head, size_t longest)
{
	char text[8192];

	memset(text, 'a', sizeof(text));
	memcpy(text, head, strlen(head));
	assert_true(rule->is_ok(slice_of(text, longest)));
	assert_false(rule->is_ok(slice_of(text, longest + 1)));
}

static void test_longest(void **state)
{
	(void)state;
	expect_longest(&rule_name, "", 64);
	expect_longest(&rule_motd, "", 1024);
	expect_longest(&rule_line, "", 256);
	expect_longest(&rule_file, "", 4095);
	expect_longest(&rule_url_path, "/", 256);
	expect_longest(&rule_header, "", 64);
	expect_longest(&rule_forced_host, "", 253);
	expect_longest(&rule_forced_host, "*.", 255);
}

static void test_no_rule_takes_a_nul(void **state)
{
	static const struct text_rule *const rules[] = {&rule_name,     &rule_motd,
							&rule_line,     &rule_file,
							&rule_url_path, &rule_header,
							&rule_origin,   &rule_forced_host};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		assert_false(rules[i]->is_ok(slice_of("/a\0b", 4)));
		assert_false(rules[i]->is_ok(slice_of("https://a\0b", 11)));
	}
}

static void test_clean(void **state)
{
	(void)state;
	assert_true(text_is_clean(SLICE_LIT("a\n\tb"), true));
	assert_false(text_is_clean(SLICE_LIT("a\nb"), false));
	assert_false(text_is_clean(SLICE_LIT("a\rb"), true));
	assert_false(text_is_clean(SLICE_LIT("a\x7f"), true));
	assert_false(text_is_clean(SLICE_LIT("\xC3"), true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_no_rule_takes_a_nul),
		cmocka_unit_test(test_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
