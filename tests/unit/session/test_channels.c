/* The channel names of a client: each once, in order, within limits, in linear time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "session/channels.h"

static struct buf channels;

static int start_empty(void **state)
{
	(void)state;
	buf_fini(&channels);
	return 0;
}

static void expect(struct slice want)
{
	assert_int_equal(channels.len, want.len);
	if (want.len > 0)
		assert_memory_equal(channels.p, want.p, want.len);
}

static void test_each_name_once(void **state)
{
	(void)state;
	channels_add(&channels, SLICE_LIT("FML\0FORGE\0FML"));
	expect(SLICE_LIT("FML\0FORGE"));
	channels_add(&channels, SLICE_LIT("\0FORGE\0\0MC|x\0"));
	expect(SLICE_LIT("FML\0FORGE\0MC|x"));
	channels_add(&channels, (struct slice){0});
	expect(SLICE_LIT("FML\0FORGE\0MC|x"));
}

static void test_removed_names(void **state)
{
	(void)state;
	channels_add(&channels, SLICE_LIT("a\0b\0c\0ab"));
	channels_remove(&channels, SLICE_LIT("b\0nobody\0a\0a"));
	expect(SLICE_LIT("c\0ab"));
	channels_remove(&channels, SLICE_LIT("ab\0c"));
	expect((struct slice){0});
	channels_add(&channels, SLICE_LIT("b"));
	expect(SLICE_LIT("b"));
}

static struct buf many_names(unsigned n, int digits)
{
	struct buf b = {0};

	for (unsigned i = 0; i < n; i++)
		assert_true(buf_printf(&b, "%0*u", digits, i) && buf_append(&b, SLICE_LIT("\0")));
	return b;
}

static unsigned count(void)
{
	unsigned n = channels.len > 0;

	for (size_t i = 0; i < channels.len; i++)
		n += channels.p[i] == 0;
	return n;
}

static void test_limits(void **state)
{
	struct buf many = many_names(8000, 1), large = many_names(1000, 40);

	(void)state;
	channels_add(&channels, buf_slice(&many));
	assert_int_equal(count(), CHANNELS_MAX);
	channels_add(&channels, SLICE_LIT("one more"));
	assert_int_equal(count(), CHANNELS_MAX);
	channels_remove(&channels, buf_slice(&many));
	expect((struct slice){0});
	channels_add(&channels, buf_slice(&large));
	assert_in_range(channels.len, CHANNELS_MAX_BYTES - 41, CHANNELS_MAX_BYTES);
	channels_remove(&channels, SLICE_LIT("nobody"));
	assert_in_range(channels.len, CHANNELS_MAX_BYTES - 41, CHANNELS_MAX_BYTES);
	buf_fini(&many);
	buf_fini(&large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_name_once, start_empty, start_empty),
		cmocka_unit_test_setup_teardown(test_removed_names, start_empty, start_empty),
		cmocka_unit_test_setup_teardown(test_limits, start_empty, start_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
