#include "config/yaml_syntax.h"
#include "config_help.h"

/* What is wrong and what to do, at the line where one would mend it. */
static void test_common_slips(void **state)
{
	static const char *const cases[][2] = {
		{"status:\n\tmotd: a\n",
		 "t.yml:2: a tab at the start of the line; indent with spaces\n"},
		{"status:\n  motd: a\n  \tmaxPlayers: 5\n",
		 "t.yml:3: a tab at the start of the line; indent with spaces\n"},
		{"\tworkers: 1\n", "t.yml:1: a tab at the start of the line; indent with spaces\n"},
		{"workers: 1\nstatus:\n  motd: 'abc\nforge: {}\n",
		 "t.yml:3: a quote is not closed; close it\n"},
		{"status: {motd: \"abc\n---\n", "t.yml:1: a quote is not closed; close it\n"},
		{"status: {motd: a\nworkers: 1\n",
		 "t.yml:1: a bracket is not closed; put quotes around values with brackets or ${...} in "
		 "them, and close the bracket\n"},
		{"workers: 1\nlisten: *:25565\n",
		 "t.yml:2: a value or key that starts with * or &; put quotes around it, as in "
		 "\"*:25565\" or \"*.example.org\"\n"},
		{"workers: 1\n*.example.org: a\n",
		 "t.yml:2: a value or key that starts with * or &; put quotes around it, as in "
		 "\"*:25565\" or \"*.example.org\"\n"},
		{"status:\n  motd: @hello\n",
		 "t.yml:2: a value that starts with @, ` or %; put quotes around it\n"},
		{"status:\n  motd: a: b\n",
		 "t.yml:2: a second ': ' in one line; put quotes around a value that contains ': ', or "
		 "correct the indentation\n"},
		{"status:\n  motd: \"a\\qb\"\n",
		 "t.yml:2: a backslash that means nothing; write it twice, or use single quotes\n"},
		{"status:\n  motd: a\n  maxPlayers\nforge: {}\n",
		 "t.yml:3: a line without ': '; write 'key: value', with a space behind the colon\n"},
		{"backends:\n  - {name: a, address: \"h:1\"}\n - {name: b, address: \"h:1\"}\n",
		 "t.yml:3: this line does not fit into its section; start the keys of one section in the "
		 "same column, and put quotes around a value that starts with [, { or a quote\n"},
		{"backends: - name: a\n",
		 "t.yml:1: a '- ' where no list can begin; begin the list on a line of its own below the "
		 "key\n"},
		{"workers: 1\nstatus: {motd: \"caf\xE9\"}\n",
		 "t.yml:2: a byte that is not UTF-8; save the file as UTF-8\n"},
		{"workers: 1\n\nstatus: {motd: \"\001\"}\n",
		 "t.yml:3: a control character; take it out\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		expect_errors(cases[i][0], cases[i][1]);
}

/* Whatever else libyaml says is passed on, with a line. */
static void test_anything_else(void **state)
{
	(void)state;
	expect_errors(
		"%YAML 9.9\n---\nworkers: 1\n",
		"t.yml:1: this is not YAML (found incompatible YAML document); compare the lines "
		"above with docs/config.md\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_common_slips),
		cmocka_unit_test(test_anything_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
