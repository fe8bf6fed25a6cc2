#include "config/yaml_syntax.h"

struct hint {
	const char *problem; /* part of libyaml's text */
	const char *what, *remedy;
	bool early; /* told at the line where it began */
};

static const struct hint hints[] = {
	{"mapping values are not allowed", "a second ': ' in one line",
	 "put quotes around a value that contains ': ', or correct the indentation", false},
	{"could not find expected ':'", "a line without ': '",
	 "write 'key: value', with a space behind the colon", true},
	{"did not find expected key", "this line does not fit into its section",
	 "start the keys of one section in the same column, and put quotes around a value that "
	 "starts with [, { or a quote",
	 false},
	{"did not find expected '-' indicator", "this line does not fit into its list",
	 "start the items of one list with '- ' in the same column", false},
	{"block sequence entries are not allowed", "a '- ' where no list can begin",
	 "begin the list on a line of its own below the key", false},
	{"found unexpected end of stream", "a quote is not closed", "close it", true},
	{"found unexpected document indicator", "a quote is not closed", "close it", true},
	{"did not find expected ',' or", "a bracket is not closed",
	 "put quotes around values with brackets or ${...} in them, and close the bracket", true},
	{"expected alphabetic or numeric", "a value or key that starts with * or &",
	 "put quotes around it, as in \"*:25565\" or \"*.example.org\"", false},
	{"cannot start any token", "a value that starts with @, ` or %", "put quotes around it",
	 false},
	{"unknown escape character", "a backslash that means nothing",
	 "write it twice, or use single quotes", false},
	{"duplicate %YAML", "a line that starts with %", "put quotes around it", false},
	{"UTF-8", "a byte that is not UTF-8", "save the file as UTF-8", false},
	{"control characters are not allowed", "a control character", "take it out", false},
};

static const struct hint unknown = {"", NULL, "compare the lines above with docs/config.md", false};

static const struct hint *hint_for(const char *problem)
{
	for (size_t i = 0; i < COUNT_OF(hints); i++) {
		if (strstr(problem, hints[i].problem) != NULL)
			return &hints[i];
	}
	return &unknown;
}

/* The bytes from the start of a line (from 0) on. */
static struct slice from_line(struct slice yaml, size_t line)
{
	for (; line > 0; line--) {
		size_t end = slice_find(yaml, '\n');

		if (end == yaml.len)
			return slice_of(yaml.p, 0);
		slice_cut(&yaml, end + 1);
	}
	return yaml;
}

/* YAML indents with spaces only, and libyaml's text for a tab tells nobody so. */
static bool starts_with_tab(struct slice yaml, size_t line)
{
	struct slice s = from_line(yaml, line);

	while (s.len > 0 && s.p[0] == ' ')
		slice_cut(&s, 1);
	return s.len > 0 && s.p[0] == '\t';
}

/* The reader below the scanner knows no lines, only how many bytes it took. */
static unsigned problem_line(const yaml_parser_t *parser, struct slice yaml)
{
	unsigned line = 1;

	if (parser->error != YAML_READER_ERROR)
		return (unsigned)parser->problem_mark.line + 1;
	for (size_t i = 0; i < yaml.len && i < parser->problem_offset; i++)
		line += yaml.p[i] == '\n';
	return line;
}

void yaml_syntax_explain(const yaml_parser_t *parser, struct slice yaml, struct problems *p)
{
	const char *problem = parser->problem == NULL ? "unreadable" : parser->problem;
	const struct hint *h = hint_for(problem);
	unsigned line = problem_line(parser, yaml);

	if (parser->error == YAML_MEMORY_ERROR)
		p->out_of_memory = true;
	else if (starts_with_tab(yaml, line - 1))
		problem_add_line(p, line, "a tab at the start of the line; indent with spaces");
	else if (h->what == NULL)
		problem_add_line(p, line, "this is not YAML (%s); %s", problem, h->remedy);
	else
		problem_add_line(p, h->early ? (unsigned)parser->context_mark.line + 1 : line,
				 "%s; %s", h->what, h->remedy);
}
