#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings.h"
#include "config_help.h"
#include "config/whole_file.h"

static struct settings *load_file(const char *path)
{
	struct config_errors errs = {0};
	struct settings *s = settings_load(path, &errs);

	if (s == NULL)
		print_error("%.*s", (int)errs.text.len, (const char *)errs.text.p);
	assert_non_null(s);
	assert_int_equal(errs.n, 0);
	assert_string_equal(s->file, path);
	config_errors_fini(&errs);
	return s;
}

static void test_example_network(void **state)
{
	struct settings *s = load_file(DOCS_DIR "/examples/moonbridge.yml");

	(void)state;
	assert_int_equal(s->listener_n, 2);
	assert_int_equal(s->backend_n, 4);
	assert_string_equal(s->backends[1].at.text, "127.0.0.1:25567");
	assert_string_equal(s->backends[2].at.unix_path, "/run/factory/minecraft.sock");
	assert_int_equal(s->backends[3].mode, BACKEND_PASSTHROUGH);
	assert_string_equal(s->other_versions, "modern");
	assert_int_equal(s->forced_host_n, 3);
	assert_int_equal(s->timeouts.first_play_us, 300000000);
	settings_unref(s);
}

static void test_example_cdn(void **state)
{
	struct settings *s = load_file(DOCS_DIR "/examples/behind-cdn.yml");

	(void)state;
	assert_int_equal(s->listeners[0].proxy_protocol, PROXY_PROTOCOL_REQUIRED);
	assert_string_equal(s->listeners[1].ws_address_header, "CF-Connecting-IP");
	assert_int_equal(s->listeners[1].ws_trusted.n, 22);
	assert_int_equal(s->initial.servers.n, 2);
	settings_unref(s);
}

/* broken/NAME.yml has exactly the errors of broken/NAME.errors: file, line, key, what is wrong,
 * remedy. */
static void check_broken(const char *name)
{
	char path[512];
	struct buf yaml = {0}, want = {0};
	struct config_errors errs = {0};

	(void)snprintf(path, sizeof(path), BROKEN_DIR "/%s", name);
	assert_int_equal(whole_file_read(&yaml, path, 1 << 20), 0);
	memcpy(strrchr(path, '.'), ".errors", 8);
	assert_int_equal(whole_file_read(&want, path, 1 << 20), 0);
	assert_true(buf_append(&want, slice_of("", 1)));

	assert_null(settings_parse(name, buf_slice(&yaml), &errs));
	assert_true(errs.n > 0);
	assert_true(buf_append(&errs.text, slice_of("", 1)));
	assert_string_equal((const char *)errs.text.p, (const char *)want.p);
	for (char *line = (char *)errs.text.p; *line != '\0'; line = strchr(line, '\n') + 1) {
		assert_memory_equal(line, name, strlen(name));
		assert_non_null(strstr(line, "; "));
		assert_null(strstr(line, "hunter2"));
	}
	buf_fini(&yaml);
	buf_fini(&want);
	config_errors_fini(&errs);
}

static void test_broken_files(void **state)
{
	DIR *dir = opendir(BROKEN_DIR);
	unsigned n = 0;

	(void)state;
	assert_non_null(dir);
	for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
		size_t len = strlen(e->d_name);

		if (len < 5 || strcmp(e->d_name + len - 4, ".yml") != 0)
			continue;
		check_broken(e->d_name);
		n++;
	}
	(void)closedir(dir);
	assert_true(n >= 10);
}

static void expect_unread(const char *path, const char *want)
{
	struct config_errors errs = {0};

	assert_null(settings_load(path, &errs));
	assert_int_equal(errs.n, 1);
	assert_true(buf_append(&errs.text, slice_of("", 1)));
	assert_string_equal((const char *)errs.text.p, want);
	config_errors_fini(&errs);
}

static void test_unreadable(void **state)
{
	char path[] = "/tmp/mb-config-XXXXXX", want[128];
	int fd = mkstemp(path);

	(void)state;
	expect_unread("/nowhere/x.yml",
		      "/nowhere/x.yml: cannot be read (No such file or directory); "
		      "correct the path or the permissions\n");
	expect_unread("/tmp", "/tmp: this is not a regular file; name a file\n");
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (1 << 20) + 1), 0);
	(void)snprintf(want, sizeof(want), "%s: the file is larger than 1 MiB; make it smaller\n",
		       path);
	expect_unread(path, want);
	(void)close(fd);
	(void)unlink(path);
}

static void test_default(void **state)
{
	struct settings *s = settings_default();

	(void)state;
	assert_non_null(s);
	assert_null(s->file);
	assert_int_equal(s->listener_n, 1);
	settings_unref(s);
	settings_unref(NULL);
}

/* All texts are settings' own: the input may go. */
static void test_owns_its_texts(void **state)
{
	char *yaml = strdup("status: {motd: hello}\n"), *name = strdup("name.yml");
	struct config_errors errs = {0};
	struct settings *s = settings_parse(name, slice_str(yaml), &errs);

	(void)state;
	assert_non_null(s);
	memset(yaml, 'x', strlen(yaml));
	memset(name, 'x', strlen(name));
	free(yaml);
	free(name);
	assert_string_equal(s->file, "name.yml");
	assert_string_equal(s->status.motd, "hello");
	settings_unref(s);
}

enum { REF_ROUNDS = 20000 };

static void *ref_and_unref(void *arg)
{
	for (int i = 0; i < REF_ROUNDS; i++)
		settings_unref(settings_ref(arg));
	settings_unref(arg);
	return NULL;
}

static void test_references_of_threads(void **state)
{
	struct settings *s = load_text("status: {motd: hello}\n");
	pthread_t threads[3];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ref_and_unref, settings_ref(s)),
				 0);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(s->refs, 1);
	assert_string_equal(s->status.motd, "hello");
	settings_unref(s);
}

static int setup(void **state)
{
	(void)state;
	return setenv("MOONBRIDGE_TEST_SECRET", "hunter2-secret", 1) |
	       unsetenv("MOONBRIDGE_TEST_UNSET") | unsetenv("SKY_HOST");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example_network),
		cmocka_unit_test(test_example_cdn),
		cmocka_unit_test(test_broken_files),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_owns_its_texts),
		cmocka_unit_test(test_references_of_threads),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
