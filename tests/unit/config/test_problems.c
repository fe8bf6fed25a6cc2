#include "config/problems.h"
#include "config_help.h"
#include "config/yaml_tree.h"

static void expect_text(struct config_errors *errs, const char *want)
{
	assert_true(buf_append(&errs->text, slice_of("", 1)));
	assert_string_equal((const char *)errs->text.p, want);
}

static void test_forms(void **state)
{
	struct yaml_node root = {.kind = NODE_MAP, .line = 1};
	struct yaml_node list = {.kind = NODE_LIST, .line = 2, .key = "backends", .up = &root};
	struct yaml_node item = {.kind = NODE_MAP, .line = 3, .index = 1, .up = &list};
	struct config_errors errs = {0};
	struct problems p;

	(void)state;
	problems_init(&p, "f.yml", &errs);
	problem_add_line(&p, 0, "one; %s", "a");
	problem_add_line(&p, 1, "two; b");
	problem_add(&p, &list, "three; c");
	problem_add(&p, &item, "four; d");
	problem_add_missing(&p, &item, "name", "five; e");
	problems_end(&p);
	assert_int_equal(errs.n, 5);
	expect_text(&errs, "f.yml: one; a\nf.yml:1: two; b\nf.yml:2: backends: three; c\n"
			   "f.yml:3: backends[1]: four; d\nf.yml:3: backends[1].name: five; e\n");
	config_errors_fini(&errs);
}

/* In the order of the lines; those of one line in the order they were told. */
static void test_order(void **state)
{
	static const unsigned lines[] = {9, 3, 3, 12, 1, 9, 0, 2, 3};
	struct config_errors errs = {0};
	struct problems p;

	(void)state;
	problems_init(&p, "f", &errs);
	for (unsigned i = 0; i < COUNT_OF(lines); i++)
		problem_add_line(&p, lines[i], "%.*s%u", (int)i, "xxxxxxxxxx", i);
	problems_end(&p);
	expect_text(&errs,
		    "f: xxxxxx6\nf:1: xxxx4\nf:2: xxxxxxx7\nf:3: x1\nf:3: xx2\nf:3: xxxxxxxx8\n"
		    "f:9: 0\nf:9: xxxxx5\nf:12: xxx3\n");
	config_errors_fini(&errs);
}

static void test_bound(void **state)
{
	struct config_errors errs = {0};
	struct problems p;
	unsigned lines = 0;

	(void)state;
	problems_init(&p, "f", &errs);
	for (unsigned i = 0; i < PROBLEMS_MAX + 7; i++) {
		assert_int_equal(problems_are_full(&p), i >= PROBLEMS_MAX);
		problem_add_line(&p, 1000 - i, "x");
	}
	problems_end(&p);
	assert_int_equal(errs.n, PROBLEMS_MAX + 7);
	for (size_t i = 0; i < errs.text.len; i++)
		lines += errs.text.p[i] == '\n';
	assert_int_equal(lines, PROBLEMS_MAX + 1);
	expect_text(&errs, (const char *)errs.text.p);
	assert_non_null(strstr((const char *)errs.text.p, "f:951: x\nf:952: x\n"));
	assert_non_null(strstr((const char *)errs.text.p, "f: 7 more problems are not shown; "));
	config_errors_fini(&errs);
}

static void test_second_load_is_appended(void **state)
{
	struct config_errors errs = {0};

	(void)state;
	assert_null(settings_parse("b", SLICE_LIT("x: 1"), &errs));
	assert_null(settings_parse("a", SLICE_LIT("tls: 1"), &errs));
	assert_int_equal(errs.n, 2);
	assert_true(slice_starts(buf_slice(&errs.text), SLICE_LIT("b:1: x: ")));
	config_errors_fini(&errs);
	assert_int_equal(errs.n, 0);
	assert_int_equal(errs.text.len, 0);
}

static void expect_shown(const char *text, const char *want)
{
	struct yaml_node n = {.kind = NODE_TEXT, .text = slice_str(text)};
	char shown[PROBLEM_VALUE_MAX];

	assert_string_equal(problem_value(shown, &n), want);
}

static void test_values(void **state)
{
	struct yaml_node secret = {
		.kind = NODE_TEXT, .text = SLICE_LIT("hunter2"), .variable = "PASSWORD"};
	struct yaml_node list = {.kind = NODE_LIST};
	char shown[PROBLEM_VALUE_MAX];

	(void)state;
	expect_shown("", "\"\"");
	expect_shown("abc", "\"abc\"");
	expect_shown("a b", "\"a b\"");
	expect_shown("a\"b\\", "\"a\\\"b\\\\\"");
	expect_shown("a\nb\x1b[31m", "\"a\\x0ab\\x1b[31m\"");
	expect_shown("0123456789012345678901234567890123456789012345678",
		     "\"012345678901234567890123456789012345678901234567\"...");
	assert_string_equal(problem_value(shown, &secret), "the text from ${PASSWORD}");
	assert_string_equal(problem_value(shown, &list), "a list");
}

/* Hostile texts never make a second line, and fit. */
static void test_worst_value(void **state)
{
	char text[100], shown[PROBLEM_VALUE_MAX];
	struct yaml_node n = {.kind = NODE_TEXT, .text = slice_of(text, sizeof(text))};

	(void)state;
	for (int c = 1; c < 256; c++) {
		memset(text, c, sizeof(text));
		problem_value(shown, &n);
		assert_null(strchr(shown, '\n'));
		assert_string_equal(shown + strlen(shown) - 4, "\"...");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),  cmocka_unit_test(test_order),
		cmocka_unit_test(test_bound),  cmocka_unit_test(test_second_load_is_appended),
		cmocka_unit_test(test_values), cmocka_unit_test(test_worst_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
