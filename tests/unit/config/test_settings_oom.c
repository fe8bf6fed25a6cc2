/* Allocation n fails, for each n until loading gets through: no crash, no leak, no half-built
 * settings. */
#include "config/settings.h"
#include "config_help.h"
#include "every_key.h"
#include "oom.h"
#include "config/whole_file.h"

static bool has_text(const struct config_errors *errs, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= errs->text.len; i++) {
		if (memcmp(errs->text.p + i, text, n) == 0)
			return true;
	}
	return false;
}

/* One failing allocation: loading fails and says why. Returns whether one was hit. */
static bool load_with(long n, bool then_all, struct slice yaml, bool is_good)
{
	struct config_errors errs = {0};
	struct settings *s = NULL;
	bool hit = false;

	oom_arm(n, then_all);
	s = settings_parse("t.yml", yaml, &errs);
	hit = oom_disarm();
	if (hit || !is_good) {
		assert_null(s);
		assert_true(errs.n > 0);
		assert_true(!hit || then_all || has_text(&errs, "out of memory; "));
	} else {
		assert_non_null(s);
		assert_int_equal(errs.n, 0);
	}
	settings_unref(s);
	config_errors_fini(&errs);
	return hit;
}

static void each_allocation(struct slice yaml, bool is_good)
{
	long n = 0;

	while (load_with(n, false, yaml, is_good))
		n++;
	assert_true(n > 3);
	for (n = 0; load_with(n, true, yaml, is_good); n++)
		;
}

static void test_every_key(void **state)
{
	(void)state;
	each_allocation(SLICE_LIT(every_key), true);
}

static void test_broken(void **state)
{
	static const char *const names[] = {"routes", "environment", "addresses", "unknown-key"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char path[512];
		struct buf yaml = {0};

		(void)snprintf(path, sizeof(path), DOCS_DIR "/../tests/unit/config/broken/%s.yml",
			       names[i]);
		assert_int_equal(whole_file_read(&yaml, path, 1 << 20), 0);
		each_allocation(buf_slice(&yaml), false);
		buf_fini(&yaml);
	}
}

static void test_default(void **state)
{
	struct settings *s = NULL;
	bool hit = true;

	(void)state;
	for (long n = 0; hit; n++) {
		oom_arm(n, false);
		s = settings_default();
		hit = oom_disarm();
		assert_int_equal(s == NULL, hit);
	}
	settings_unref(s);
}

static void test_load(void **state)
{
	bool hit = true;

	(void)state;
	for (long n = 0; hit; n++) {
		struct config_errors errs = {0};
		struct settings *s = NULL;

		oom_arm(n, false);
		s = settings_load(DOCS_DIR "/examples/moonbridge.yml", &errs);
		hit = oom_disarm();
		assert_int_equal(s == NULL, hit);
		assert_int_equal(errs.n, hit ? 1 : 0);
		settings_unref(s);
		config_errors_fini(&errs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
