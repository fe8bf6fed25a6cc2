#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include <jansson.h>

#include "minecraft/reader.h"
#include "minecraft/status.h"

static struct status plain_status(void)
{
	return (struct status){
		.version_name = "MoonBridge 1.7.2-1.7.10",
		.protocol = 5,
		.motd = "A \u00a7anice\u00a7r server\nof ours",
		.max_players = 100,
		.online = 7,
	};
}

static void check_build(const struct status *s, const char *want)
{
	struct buf b = {0};

	assert_true(status_build(&b, s));
	assert_true(buf_append(&b, SLICE_LIT("\0")));
	assert_string_equal((const char *)b.p, want);
	buf_fini(&b);
}

static void test_the_least(void **state)
{
	struct status s = plain_status();

	(void)state;
	check_build(&s, "{\"version\":{\"name\":\"MoonBridge 1.7.2-1.7.10\",\"protocol\":5},"
			"\"players\":{\"max\":100,\"online\":7,\"sample\":[]},"
			"\"description\":{\"text\":\"A \u00a7anice\u00a7r server\\nof ours\"}}");
}

static void test_everything(void **state)
{
	static const char *const names[] = {"Ann", "B\"ob"};
	struct status s = plain_status();

	(void)state;
	s.motd = "x";
	s.max_players = UINT32_MAX;
	s.icon_png_base64 = "iVBOR/+==";
	s.sample = names;
	s.sample_n = 2;
	s.modinfo = true;
	check_build(&s, "{\"version\":{\"name\":\"MoonBridge 1.7.2-1.7.10\",\"protocol\":5},"
			"\"players\":{\"max\":4294967295,\"online\":7,\"sample\":["
			"{\"name\":\"Ann\",\"id\":\"00000000-0000-0000-0000-000000000000\"},"
			"{\"name\":\"B\\\"ob\",\"id\":\"00000000-0000-0000-0000-000000000000\"}]},"
			"\"description\":{\"text\":\"x\"},"
			"\"favicon\":\"data:image/png;base64,iVBOR/+==\","
			"\"modinfo\":{\"type\":\"FML\",\"modList\":["
			"{\"modid\":\"FML\",\"version\":\"7.10.99.99\"},"
			"{\"modid\":\"Forge\",\"version\":\"10.13.4.1614\"}]}}");
}

static void check_motd(const char *motd, const char *want)
{
	struct status s = plain_status();
	struct buf b = {0};
	json_t *j;

	s.motd = motd;
	assert_true(status_build(&b, &s));
	j = json_loadb((const char *)b.p, b.len, 0, NULL);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(j, "description"), "text")),
		want);
	json_decref(j);
	buf_fini(&b);
}

static void test_a_motd_cannot_lock_mods_out(void **state)
{
	(void)state;
	check_motd("hello:NOFML\u00a7r", "hello");
	check_motd("hello:NOFML", "hello");
	check_motd(":NOFML\u00a7r", "");
	check_motd("a :NOFML b", "a :NOFML b");
	check_motd("NOFML", "NOFML");
	check_motd("", "");
	check_motd("bad \xFF", "bad ?");
}

static long fail_at;

static void *failing_malloc(size_t n)
{
	return fail_at-- == 0 ? NULL : malloc(n);
}

/* Whichever request of jansson's fails: false, the buffer as it was, nothing lost. */
static void test_no_memory(void **state)
{
	static const char *const names[] = {"Ann", "Bob"};
	struct status s = plain_status();
	struct buf b = {0};
	bool ok = false;
	long n;

	(void)state;
	s.icon_png_base64 = "AAAA";
	s.sample = names;
	s.sample_n = 2;
	s.modinfo = true;
	assert_true(buf_append(&b, SLICE_LIT("x")));
	json_set_alloc_funcs(failing_malloc, free);
	for (n = 0; !ok && n < 1000; n++) {
		assert_int_equal(b.len, 1);
		fail_at = n;
		ok = status_build(&b, &s);
	}
	json_set_alloc_funcs(malloc, free);
	assert_true(ok && n > 20);
	buf_fini(&b);
}

static void test_frames(void **state)
{
	static const uint8_t want[] = {4, 0, 2, '{', '}', 9, 1, 0x80, 0, 0, 0, 0, 0, 0, 2};
	uint8_t memory[sizeof(want) + 2];
	struct writer w = writer_of(memory, sizeof(memory));
	int64_t payload = 1;

	(void)state;
	status_response_write(&w, SLICE_LIT("{}"));
	status_pong_write(&w, INT64_MIN + 2);
	assert_true(slice_eq(writer_slice(&w), slice_of(want, sizeof(want))));
	assert_true(status_ping_parse(&payload, slice_of(want + 7, 8)));
	assert_true(payload == INT64_MIN + 2);
	assert_false(status_ping_parse(&payload, slice_of(want + 7, 7)));
	assert_false(status_ping_parse(&payload, slice_of(want + 6, 9)));
	assert_true(payload == INT64_MIN + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_least),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_a_motd_cannot_lock_mods_out),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
