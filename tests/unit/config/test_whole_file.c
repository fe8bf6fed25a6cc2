#include <sys/stat.h>
#include <unistd.h>

#include "config/whole_file.h"
#include "config_help.h"

static char path[] = "/tmp/mb-whole-XXXXXX";

static void expect_size(size_t bytes, size_t max, int want)
{
	FILE *file = fopen(path, "wb");
	struct buf b = {0};

	assert_non_null(file);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(fputc((int)(i % 251), file), (int)(i % 251));
	assert_int_equal(fclose(file), 0);
	assert_true(buf_append(&b, SLICE_LIT("x")));
	assert_int_equal(whole_file_read(&b, path, max), want);
	if (want == 0) {
		assert_int_equal(b.len, bytes + 1);
		assert_int_equal(b.p[0], 'x');
		for (size_t i = 0; i < bytes; i++)
			assert_int_equal(b.p[i + 1], i % 251);
	}
	buf_fini(&b);
}

static void test_sizes(void **state)
{
	(void)state;
	expect_size(0, 10, 0);
	expect_size(10, 10, 0);
	expect_size(11, 10, -EFBIG);
	expect_size(16 * 1024, 16 * 1024, 0);
	expect_size(16 * 1024 + 1, 16 * 1024, -EFBIG);
	expect_size(100000, 1 << 20, 0);
}

static void test_no_regular_file(void **state)
{
	char fifo[64];
	struct buf b = {0};

	(void)state;
	assert_int_equal(whole_file_read(&b, "/nowhere/at/all", 10), -ENOENT);
	assert_int_equal(whole_file_read(&b, "/tmp", 10), -EINVAL);
	assert_int_equal(whole_file_read(&b, "/dev/zero", 10), -EINVAL);
	/* a pipe that nobody writes to must not hang the start */
	(void)snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(whole_file_read(&b, fifo, 10), -EINVAL);
	(void)unlink(fifo);
	assert_int_equal(b.len, 0);
	buf_fini(&b);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_no_regular_file),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
