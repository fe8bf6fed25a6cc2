/* What the tests of config share: a config from a text, and the errors of a text. */
#ifndef TEST_CONFIG_HELP_H
#define TEST_CONFIG_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "config/settings.h"

/* The text must load; the caller drops the reference. */
static inline struct settings *load_text(const char *yaml)
{
	struct config_errors errs = {0};
	struct settings *s = settings_parse("t.yml", slice_str(yaml), &errs);

	if (s == NULL)
		print_error("%.*s", (int)errs.text.len, (const char *)errs.text.p);
	assert_non_null(s);
	assert_int_equal(errs.n, 0);
	config_errors_fini(&errs);
	return s;
}

/* The text must not load; these are its errors, line by line. */
static inline void expect_errors(const char *yaml, const char *want)
{
	struct config_errors errs = {0};
	struct settings *s = settings_parse("t.yml", slice_str(yaml), &errs);

	assert_null(s);
	assert_true(errs.n > 0);
	assert_true(buf_append(&errs.text, slice_of("", 1)));
	assert_string_equal((const char *)errs.text.p, want);
	config_errors_fini(&errs);
}

#endif
