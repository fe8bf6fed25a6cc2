#include "config/expand.h"
#include "config_help.h"

static void expect_text(const char *in, const char *want, const char *name)
{
	struct buf out = {0};
	struct slice used;

	assert_true(buf_append(&out, SLICE_LIT("before:")));
	assert_int_equal(expand(&out, slice_str(in), &used), EXPAND_OK);
	assert_true(buf_append(&out, slice_of("", 1)));
	assert_string_equal((const char *)out.p + 7, want);
	assert_true(slice_eq(used, slice_str(name)));
	buf_fini(&out);
}

static void expect_result(const char *in, enum expand_result want, const char *name)
{
	struct buf out = {0};
	struct slice used;

	assert_int_equal(expand(&out, slice_str(in), &used), want);
	assert_true(slice_eq(used, slice_str(name)));
	buf_fini(&out);
}

static void test_values(void **state)
{
	(void)state;
	expect_text("", "", "");
	expect_text("plain $ text $x {y} $", "plain $ text $x {y} $", "");
	expect_text("${MB_A}", "alpha", "MB_A");
	expect_text("<${MB_A}${MB_B_2}>", "<alphabeta>", "MB_B_2");
	expect_text("${MB_A:other}", "alpha", "MB_A");
	expect_text("${MB_NONE:other}", "other", "MB_NONE");
	expect_text("${MB_NONE:}", "", "MB_NONE");
	expect_text("${MB_NONE:a:b}", "a:b", "MB_NONE");
	expect_text("${MB_EMPTY:other}", "", "MB_EMPTY");
	expect_text("${MB_EMPTY}", "", "MB_EMPTY");
	/* a value is not expanded again */
	expect_text("${MB_NESTED}", "${MB_A}", "MB_NESTED");
}

static void test_escapes(void **state)
{
	(void)state;
	expect_text("$${MB_A}", "${MB_A}", "");
	expect_text("$$${MB_A}", "$${MB_A}", "");
	expect_text("$$ $", "$$ $", "");
	expect_text("$${${MB_A}", "${alpha", "MB_A");
}

static void test_errors(void **state)
{
	(void)state;
	expect_result("a ${MB_NONE} b", EXPAND_UNSET, "MB_NONE");
	expect_result("${MB_A} ${MB_NONE}", EXPAND_UNSET, "MB_NONE");
	expect_result("${}", EXPAND_NAME, "");
	expect_result("${:x}", EXPAND_NAME, "");
	expect_result("${1A}", EXPAND_NAME, "1A");
	expect_result("${A B}", EXPAND_NAME, "A B");
	expect_result("${A-B:x}", EXPAND_NAME, "A-B");
	expect_result("${MB_A", EXPAND_UNCLOSED, "MB_A");
	expect_result("${", EXPAND_UNCLOSED, "");
}

static void test_name_of_any_length(void **state)
{
	(void)state;
	for (size_t n = 100; n < 200; n++) {
		char text[300] = "${", name[201] = "";

		memset(name, 'A', n);
		memcpy(text + 2, name, n);
		memcpy(text + 2 + n, ":x}", 4);
		expect_result(text, n < 128 ? EXPAND_OK : EXPAND_NAME, name);
	}
}

/* The texts of a tree: lines stay, keys are left alone, errors name the variable and never a value.
 */
static void test_tree(void **state)
{
	(void)state;
	expect_errors(
		"status:\n  motd: ${MB_NONE}\n  sample: [\"${MB_NONE}\", \"${MB_A}\"]\n",
		"t.yml:2: status.motd: the environment variable MB_NONE is not set; set it, or "
		"give a default as in ${MB_NONE:value}\n"
		"t.yml:3: status.sample[0]: the environment variable MB_NONE is not set; set "
		"it, or give a default as in ${MB_NONE:value}\n");
	expect_errors("workers: ${MB_SECRET}\n",
		      "t.yml:1: workers: the text from ${MB_SECRET} is not a whole number; write a "
		      "whole number from 0 to 64\n");
	expect_errors("status:\n  motd: ${MB_CONTROL}\n",
		      "t.yml:2: status.motd: the text from ${MB_CONTROL} has control characters or "
		      "bytes that are not UTF-8; correct the variable\n");
	expect_errors("status:\n  motd: ${MB_LATIN1}\n",
		      "t.yml:2: status.motd: the text from ${MB_LATIN1} has control characters or "
		      "bytes that are not UTF-8; correct the variable\n");
}

static void test_tree_types(void **state)
{
	struct settings *s =
		load_text("workers: ${MB_SEVEN}\n"
			  "status: {motd: \"${MB_YAML}\", maxPlayers: \"${MB_NONE:5}\"}\n"
			  "timeouts: {idle: \"${MB_NONE:off}\"}\n"
			  "initialRouting: {forcedHosts: {\"a\": \"${MB_NONE:lobby}\"}}\n");

	(void)state;
	assert_int_equal(s->workers, 7);
	/* a value cannot add keys */
	assert_string_equal(s->status.motd, "a\nworkers: 9");
	assert_int_equal(s->status.max_players, 5);
	assert_int_equal(s->timeouts.idle_us, 0);
	assert_string_equal(s->forced_hosts[0].servers.v[0], "lobby");
	settings_unref(s);
}

/* ${X:} is an empty text, not "no value". */
static void test_empty_is_a_text(void **state)
{
	struct settings *s = load_text("status: {motd: \"${MB_EMPTY}\"}\n");

	(void)state;
	assert_string_equal(s->status.motd, "");
	settings_unref(s);
	s = load_text("status:\n  motd: ${MB_NONE:}\n");
	assert_string_equal(s->status.motd, "");
	settings_unref(s);
}

static int setup(void **state)
{
	(void)state;
	return setenv("MB_A", "alpha", 1) | setenv("MB_B_2", "beta", 1) |
	       setenv("MB_EMPTY", "", 1) | setenv("MB_NESTED", "${MB_A}", 1) |
	       setenv("MB_SECRET", "hunter2", 1) | setenv("MB_CONTROL", "a\001b", 1) |
	       setenv("MB_LATIN1", "caf\351", 1) | setenv("MB_SEVEN", "7", 1) |
	       setenv("MB_YAML", "a\nworkers: 9", 1) | unsetenv("MB_NONE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_name_of_any_length),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_tree_types),
		cmocka_unit_test(test_empty_is_a_text),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
