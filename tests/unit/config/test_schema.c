#include "config/schema.h"
#include "config_help.h"

/* Calls fn for each field of the table. */
static void each_field(const struct schema *s, void (*fn)(const struct schema_field *))
{
	for (unsigned i = 0; i < s->n; i++) {
		fn(&s->fields[i]);
		if (s->fields[i].sub != NULL)
			each_field(s->fields[i].sub, fn);
	}
}

static void check_links(const struct schema_field *d)
{
	bool items = d->type == SCHEMA_ITEMS, section = d->type == SCHEMA_SECTION;
	bool choice = d->type == SCHEMA_CHOICE || d->type == SCHEMA_CHOICES;
	bool text = d->type == SCHEMA_TEXT || d->type == SCHEMA_TEXTS;
	bool two = items || d->type == SCHEMA_ROUTES || d->type == SCHEMA_ICON;

	assert_int_equal(d->sub != NULL, items || section);
	assert_true(!items || d->sub->size > 0);
	assert_int_equal(d->choices != NULL, choice);
	assert_true(d->rule != NULL || !text);
	assert_int_equal(d->second > 0, two);
	assert_int_equal(d->width > 0, !section && !items && d->type != SCHEMA_ROUTES);
}

static void check_words(const struct schema_field *d)
{
	char memory[256];
	struct text wants = text_of(memory, sizeof(memory));

	assert_true(d->doc[strlen(d->doc) - 1] == '.');
	/* a text without a value is printed as a sample */
	if (d->type == SCHEMA_TEXT || d->type == SCHEMA_ICON)
		assert_true((d->flags & SCHEMA_REQUIRED) != 0 || d->fallback != NULL ||
			    d->sample != NULL);
	schema_put_wants(&wants, d);
	assert_true(wants.len > 0 && !wants.cut);
}

static void test_each_field_is_whole(void **state)
{
	(void)state;
	each_field(&schema_settings, check_links);
	each_field(&schema_settings, check_words);
}

static void check_width(const struct schema_field *d)
{
	static const size_t want[SCHEMA_TYPES] = {
		[SCHEMA_SWITCH] = sizeof(bool),
		[SCHEMA_NUMBER] = sizeof(uint32_t),
		[SCHEMA_SIZE] = sizeof(uint64_t),
		[SCHEMA_DURATION] = sizeof(uint64_t),
		[SCHEMA_TEXT] = sizeof(char *),
		[SCHEMA_CHOICES] = sizeof(unsigned),
		[SCHEMA_NETWORKS] = sizeof(struct cidr_list),
		[SCHEMA_TEXTS] = sizeof(struct string_list),
		[SCHEMA_LISTEN] = sizeof(struct place),
		[SCHEMA_ADDRESS] = sizeof(struct place),
		[SCHEMA_ICON] = sizeof(char *),
	};

	if (d->type == SCHEMA_CHOICE)
		assert_true(d->width == sizeof(bool) || d->width == sizeof(unsigned));
	else
		assert_int_equal(d->width, want[d->type]);
}

static void test_types_fit_their_members(void **state)
{
	(void)state;
	each_field(&schema_settings, check_width);
}

static void expect_wants(const char *section, const char *key, const char *all, const char *one)
{
	const struct schema *s = section == NULL ? &schema_settings
						 : schema_find(&schema_settings, section)->sub;
	const struct schema_field *d = schema_find(s, key);
	char memory[256];
	struct text t = text_of(memory, sizeof(memory));

	assert_non_null(d);
	schema_put_wants(&t, d);
	assert_string_equal(t.p, all);
	t = text_of(memory, sizeof(memory));
	schema_put_item_wants(&t, d);
	assert_string_equal(t.p, one == NULL ? all : one);
}

static void test_wants(void **state)
{
	(void)state;
	expect_wants(NULL, "workers", "a whole number from 0 to 64", NULL);
	expect_wants(NULL, "allowOfflinePublicAccess", "true or false", NULL);
	expect_wants(NULL, "authentication", "offline", NULL);
	expect_wants("limits", "unsentHigh", "a size from 4kb to 64mb", NULL);
	expect_wants("timeouts", "idle", "a duration from 10ms to 24h, or off", NULL);
	expect_wants("timeouts", "drain", "a duration from 0 to 5s", NULL);
	expect_wants("listen", "accept", "a list of minecraft or legacyPing or webSocket",
		     "minecraft or legacyPing or webSocket");
	expect_wants("status", "sample", "a list; each value: one line of at most 256 bytes",
		     "one line of at most 256 bytes");
}

static void test_find(void **state)
{
	(void)state;
	assert_null(schema_find(&schema_settings, "Workers"));
	assert_null(schema_find(&schema_settings, ""));
	assert_ptr_equal(schema_find(&schema_settings, "listen"), &schema_settings.fields[0]);
}

static void test_keys(void **state)
{
	char memory[64];
	struct text t = text_of(memory, sizeof(memory));

	(void)state;
	schema_put_keys(&t, schema_find(&schema_settings, "status")->sub);
	assert_string_equal(t.p, "motd, icon, maxPlayers, sample");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_field_is_whole),
		cmocka_unit_test(test_types_fit_their_members),
		cmocka_unit_test(test_wants),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
