#include <unistd.h>

#include "config/icon_file.h"
#include "config_help.h"

/* Signature and IHDR of a 64x64 PNG; the pixels are not looked at. */
static const uint8_t head[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0,  13, 'I',
			       'H',  'D', 'R', 0,   0,    0,    64,   0,    0, 0, 64, 8,  6};

static char dir[] = "/tmp/mb-icon-XXXXXX";
static char path[64];

static void write_icon(const void *p, size_t n)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(p, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

static void test_check(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_true(icon_file_check(slice_of(head, sizeof(head)), &why));
	assert_null(why);
	for (size_t n = 0; n < 24; n++) {
		assert_false(icon_file_check(slice_of(head, n), &why));
		assert_non_null(strstr(why, "no PNG; "));
	}
	for (size_t i = 0; i < 24; i++) {
		uint8_t broken[sizeof(head)];

		memcpy(broken, head, sizeof(head));
		broken[i] ^= 1;
		assert_false(icon_file_check(slice_of(broken, sizeof(broken)), &why));
		assert_non_null(strstr(why, i < 16 ? "no PNG; " : "not 64x64 pixels; "));
	}
}

static void test_largest(void **state)
{
	uint8_t *big = calloc(1, 24000 + 1);
	const char *why = NULL;

	(void)state;
	assert_non_null(big);
	memcpy(big, head, sizeof(head));
	assert_true(icon_file_check(slice_of(big, 24000), &why));
	assert_false(icon_file_check(slice_of(big, 24000 + 1), &why));
	assert_non_null(strstr(why, "24,000 bytes; "));
	write_icon(big, 24000 + 1);
	free(big);
	expect_errors(
		"status:\n  icon: /nowhere/icon.png\n",
		"t.yml:2: status.icon: \"/nowhere/icon.png\" cannot be read; correct the path or "
		"the permissions\n");
}

static void test_load(void **state)
{
	const char *base64 = NULL, *why = NULL;
	struct arena memory;

	(void)state;
	arena_init(&memory, 1024);
	write_icon(head, sizeof(head));
	assert_int_equal(icon_file_load(&base64, path, &memory, &why), ICON_OK);
	assert_string_equal(base64, "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAY=");

	base64 = NULL;
	write_icon("GIF89a", 6);
	assert_int_equal(icon_file_load(&base64, path, &memory, &why), ICON_WRONG);
	assert_non_null(strstr(why, "no PNG; "));
	assert_int_equal(icon_file_load(&base64, dir, &memory, &why), ICON_WRONG);
	assert_non_null(strstr(why, "cannot be read; "));
	assert_null(base64);
	arena_fini(&memory);
}

/* A relative path is seen from the config's folder, and kept as an absolute one. */
static void test_relative_path(void **state)
{
	struct config_errors errs = {0};
	struct settings *s = NULL;
	char config[64];

	(void)state;
	write_icon(head, sizeof(head));
	(void)snprintf(config, sizeof(config), "%s/t.yml", dir);
	s = settings_parse(config, SLICE_LIT("status: {icon: icon.png}"), &errs);
	assert_non_null(s);
	assert_string_equal(s->status.icon_file, path);
	assert_string_equal(s->status.icon_base64, "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAY=");
	settings_unref(s);
	assert_null(settings_parse("t.yml", SLICE_LIT("status: {icon: icon.png}"), &errs));
	assert_int_equal(errs.n, 1);
	config_errors_fini(&errs);
}

static int setup(void **state)
{
	(void)state;
	if (mkdtemp(dir) == NULL)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/icon.png", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_relative_path),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
