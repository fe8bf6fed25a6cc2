#include "config/schema.h"
#include "config/settings.h"
#include "config_help.h"
#include "config/whole_file.h"

static char *printed(void)
{
	static char *text;
	static size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	settings_print_docs(out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Mended by: build/moonbridge --print-config-docs > docs/config.md */
static void test_page_is_current(void **state)
{
	char *text = printed();
	struct buf page = {0};

	(void)state;
	assert_int_equal(whole_file_read(&page, DOCS_DIR "/config.md", 1 << 20), 0);
	assert_true(buf_append(&page, slice_of("", 1)));
	assert_string_equal((const char *)page.p, text);
	buf_fini(&page);
	free(text);
}

static void check_rows(const char *text, const struct schema *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct schema_field *d = &s->fields[i];
		char row[64];

		(void)snprintf(row, sizeof(row),
			       d->type == SCHEMA_SECTION ? "%s`\n" : "\n| `%s` | ", d->key);
		assert_non_null(strstr(text, row));
		if (d->sub != NULL)
			check_rows(text, d->sub);
	}
}

static void test_each_key_has_its_row(void **state)
{
	char *text = printed();

	(void)state;
	check_rows(text, &schema_settings);
	free(text);
}

/* A table row has four cells, however its texts look. */
static void test_tables_are_whole(void **state)
{
	char *text = printed();

	(void)state;
	for (char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
		unsigned bars = 0;

		if (line[0] != '|')
			continue;
		for (char *c = line; *c != '\n'; c++)
			bars += *c == '|' && (c == line || c[-1] != '\\');
		assert_int_equal(bars, 5);
	}
	free(text);
}

static void test_example_loads(void **state)
{
	static const char fence[] = "```yaml\n";
	char *text = printed();
	char *start = strstr(text, fence);
	struct settings *s = NULL;

	(void)state;
	assert_non_null(start);
	start += sizeof(fence) - 1;
	*strstr(start, "```") = '\0';
	s = load_text(start);
	assert_int_equal(s->backend_n, 3);
	settings_unref(s);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_is_current),
		cmocka_unit_test(test_each_key_has_its_row),
		cmocka_unit_test(test_tables_are_whole),
		cmocka_unit_test(test_example_loads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
