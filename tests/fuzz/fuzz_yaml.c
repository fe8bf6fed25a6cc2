/*
 * Any bytes as a config: an error, each line of which is whole, or settings that load again from
 * their own print and print the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* The print behind its first line, which tells where the settings come from. */
static char *printed(const struct settings *s, size_t *ret_start)
{
	static char *text;
	static size_t len;
	FILE *out = open_memstream(&text, &len);

	check(out != NULL);
	settings_print(out, s);
	check(fclose(out) == 0);
	*ret_start = (size_t)(strchr(text, '\n') - text);
	return text;
}

static void check_errors(const struct config_errors *errs)
{
	size_t lines = 0;

	for (size_t i = 0; i < errs->text.len; i++) {
		uint8_t c = errs->text.p[i];

		check(c >= ' ' || c == '\n');
		lines += c == '\n';
	}
	check(errs->n > 0 && lines > 0 && lines <= 51);
	check(slice_starts(buf_slice(&errs->text), SLICE_LIT("f.yml:")));
}

static void check_round_trip(const struct settings *s)
{
	struct config_errors errs = {0};
	size_t once_start, twice_start;
	char *once = printed(s, &once_start), *twice = NULL;
	struct settings *again = settings_parse("print", slice_str(once), &errs);

	if (again == NULL)
		(void)fprintf(stderr, "%s%.*s", once, (int)errs.text.len,
			      (const char *)errs.text.p);
	check(again != NULL);
	twice = printed(again, &twice_start);
	check(strcmp(once + once_start, twice + twice_start) == 0);
	free(once);
	free(twice);
	settings_unref(again);
	config_errors_fini(&errs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_errors errs = {0};
	struct settings *s = settings_parse("f.yml", slice_of(data, size), &errs);

	if (s == NULL)
		check_errors(&errs);
	else
		check_round_trip(s);
	settings_unref(s);
	config_errors_fini(&errs);
	return 0;
}
