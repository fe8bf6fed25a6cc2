#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "session/end.h"

static const struct end_detail full = {
	.backend = "survival", .reason = "banned", .limit = "30s", .name = "Notch"};

/* Rows without a text, on purpose: the player is gone, never spoke Minecraft, or has been told. */
static const enum end silent[] = {
	END_NONE,
	END_PLAYER_LEFT,
	END_PLAYER_LOST,
	END_STATUS_DONE,
	END_SCANNER,
	END_HTTP_REFUSED,
	END_WEBSOCKET_BAD,
	END_PROXY_HEADER_BAD,
	END_PROXY_HEADER_UNTRUSTED,
	END_PROXY_HEADER_MISSING,

	END_BACKEND_KICKED,
	END_TORN_FRAME,
};

static bool is_silent(enum end why)
{
	for (size_t i = 0; i < COUNT_OF(silent); i++) {
		if (silent[i] == why)
			return true;
	}
	return false;
}

static void test_no_row_is_empty_by_accident(void **state)
{
	(void)state;
	for (unsigned i = 0; i < END_COUNT; i++) {
		const struct end_row *row = end_row((enum end)i);

		assert_non_null(row->label);
		assert_non_null(row->text);
		assert_true(row->level <= LOG_ERROR);
		if ((row->text[0] == '\0') != is_silent((enum end)i))
			fail_msg("%s: '%s'", row->label, row->text);
	}
}

/* Labels name metrics and causes: lower case, and each its own. */
static void test_labels(void **state)
{
	(void)state;
	for (unsigned i = 0; i < END_COUNT; i++) {
		const char *label = end_row((enum end)i)->label;

		assert_true(strlen(label) > 2);
		for (const char *p = label; *p != '\0'; p++)
			assert_true(islower((unsigned char)*p) || *p == '_');
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(label, end_row((enum end)k)->label);
	}
}

/* Every pair of braces has a key that is known, and its value stands in the text. */
static void test_braces(void **state)
{
	static const struct {
		const char *key, *value;
	} keys[] = {{"{backend}", "survival"},
		    {"{reason}", "banned"},
		    {"{limit}", "30s"},
		    {"{name}", "Notch"}};

	(void)state;
	for (unsigned i = 0; i < END_COUNT; i++) {
		const char *text = end_row((enum end)i)->text;
		size_t want = strlen(text);
		struct buf got = {0};

		assert_true(end_text(&got, (enum end)i, &full));
		assert_true(buf_append(&got, SLICE_LIT("\0")));
		assert_null(strpbrk((const char *)got.p, "{}"));
		for (size_t k = 0; k < COUNT_OF(keys); k++) {
			if (strstr(text, keys[k].key) == NULL)
				continue;
			assert_non_null(strstr((const char *)got.p, keys[k].value));
			want = want - strlen(keys[k].key) + strlen(keys[k].value);
		}
		assert_int_equal(got.len - 1, want);
		buf_fini(&got);
	}
}

/* What is not known is left out, not printed as (null); values are not filled in twice. */
static void test_values(void **state)
{
	const struct end_detail nothing = {0};
	const struct end_detail braces = {.reason = "{name} {x", .name = "Notch"};
	struct buf got = {0};

	(void)state;
	assert_true(end_text(&got, END_BACKEND_GONE, &nothing));
	assert_true(slice_eq(buf_slice(&got),
			     SLICE_LIT("The server  closed the connection. Please join again.")));
	buf_fini(&got);
	assert_true(end_text(&got, END_BACKEND_REFUSED, &braces));
	assert_true(slice_eq(buf_slice(&got), SLICE_LIT("{name} {x")));
	buf_fini(&got);
	assert_true(end_text(&got, END_PLAYER_LEFT, &full));
	assert_int_equal(got.len, 0);
	buf_fini(&got);
	/* It appends. */
	assert_true(buf_append(&got, SLICE_LIT("> ")));
	assert_true(end_text(&got, END_FRAME_TOO_BIG, &full));
	assert_true(
		slice_eq(buf_slice(&got), SLICE_LIT("> survival sent a packet larger than 30s.")));
	buf_fini(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_row_is_empty_by_accident),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_braces),
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
