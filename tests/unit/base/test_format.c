#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/format.h"

static void test_text_stops_at_the_end(void **state)
{
	char memory[9] = "########";
	struct text t = text_of(memory, 8);

	(void)state;
	assert_string_equal(memory, "");
	text_puts(&t, "abc");
	text_printf(&t, "%d", 4567);
	assert_false(t.cut);
	assert_string_equal(memory, "abc4567");
	text_puts(&t, "");
	text_printf(&t, "%s", "");
	assert_false(t.cut);
	text_put(&t, SLICE_LIT("x"));
	assert_true(t.cut);
	text_printf(&t, "yz");
	assert_int_equal(t.len, 7);
	assert_string_equal(memory, "abc4567");
	assert_int_equal(memory[8], 0);
}

/* Every room, both ways of writing: what fits is there, and cut tells the truth. */
static void test_text_every_room(void **state)
{
	static const char want[] = "0123456789";

	(void)state;
	for (size_t cap = 1; cap <= 12; cap++) {
		for (int printed = 0; printed <= 1; printed++) {
			char memory[16];
			struct text t = text_of(memory, cap);
			size_t fits = cap - 1 < 10 ? cap - 1 : 10;

			memset(memory + 1, '#', sizeof(memory) - 1);
			if (printed)
				text_printf(&t, "%s", want);
			else
				text_puts(&t, want);
			assert_int_equal(t.len, fits);
			assert_int_equal(t.cut, fits < 10);
			assert_memory_equal(memory, want, fits);
			assert_int_equal(memory[fits], 0);
			assert_int_equal(memory[cap], '#');
		}
	}
}

static void expect_logged(struct slice in, const char *out)
{
	char memory[200];
	struct text t = text_of(memory, sizeof(memory));

	text_put_value(&t, in);
	assert_string_equal(memory, out);
}

static void test_values(void **state)
{
	(void)state;
	expect_logged(SLICE_LIT("Notch_1"), "Notch_1");
	expect_logged(SLICE_LIT("10.0.0.1:25565"), "10.0.0.1:25565");
	expect_logged(SLICE_LIT(""), "\"\"");
	expect_logged(SLICE_LIT("two words"), "\"two words\"");
	expect_logged(SLICE_LIT("a=b"), "\"a=b\"");
	expect_logged(SLICE_LIT("say \"hi\""), "\"say \\\"hi\\\"\"");
	expect_logged(SLICE_LIT("back\\slash"), "\"back\\\\slash\"");
	expect_logged(SLICE_LIT("line\nend\r\x1b[31m\0"), "\"line\\x0aend\\x0d\\x1b[31m\\x00\"");
	expect_logged(SLICE_LIT("caf\xC3\xA9 \xF0\x9F\x8E\x89"),
		      "\"caf\xC3\xA9 \xF0\x9F\x8E\x89\"");
	expect_logged(SLICE_LIT("\xC2\x85\xC2\x9B"), "\"\\x85\\x9b\""); /* C1 */
	expect_logged(SLICE_LIT("\xE2\x80\xA8\xE2\x80\xA9"), "\"\\u2028\\u2029\"");
	expect_logged(SLICE_LIT("\xFF\xC3"), "\"\\xff\\xc3\"");
	expect_logged(SLICE_LIT("\xED\xA0\x80"), "\"\\xed\\xa0\\x80\""); /* a surrogate */
	expect_logged(SLICE_LIT("${HOME}"), "${HOME}");
}

/* Whatever the byte: one line, printable, and quotes only where they belong. */
static void test_values_every_byte(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		uint8_t in[3] = {'a', (uint8_t)c, 'z'};
		char memory[64];
		struct text t = text_of(memory, sizeof(memory));

		text_put_value(&t, slice_of(in, 3));
		for (size_t i = 0; i < t.len; i++)
			assert_true(memory[i] >= ' ' && memory[i] < 0x7F);
		if (memory[0] == '"')
			assert_int_equal(memory[t.len - 1], '"');
		else
			assert_memory_equal(memory, in, 3);
		for (size_t i = 1; i + 1 < t.len; i++)
			assert_true(memory[i] != '"' || memory[i - 1] == '\\');
	}
}

/* Cut anywhere, a quoted value is still one: else the rest of its line would belong to it. */
static void test_values_that_are_cut_keep_their_quote(void **state)
{
	const struct slice in = SLICE_LIT("a \"b\" \\ \n\xE2\x80\xA8\xC3\xA9 z");

	(void)state;
	for (size_t cap = 3; cap < 40; cap++) {
		char memory[64];
		struct text t = text_of(memory, cap);
		size_t backslashes = 0;

		text_put_value(&t, in);
		assert_true(t.len >= 2 && memory[0] == '"' && memory[t.len - 1] == '"');
		while (memory[t.len - 2 - backslashes] == '\\')
			backslashes++;
		assert_int_equal(backslashes % 2, 0);
		assert_int_equal(t.cut, cap < 28);
	}
}

static void test_u64(void **state)
{
	static const char *const bad[] = {"",
					  "-1",
					  "+1",
					  " 1",
					  "1 ",
					  "0x1",
					  "1.0",
					  "1e3",
					  "18446744073709551616",
					  "99999999999999999999"};
	uint64_t v = 77;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(u64_parse(slice_str(bad[i]), &v));
	assert_int_equal(v, 77);
	assert_true(u64_parse(SLICE_LIT("18446744073709551615"), &v));
	assert_true(v == UINT64_MAX);
	assert_true(u64_parse(SLICE_LIT("000"), &v));
	assert_true(v == 0);
}

static void test_sizes(void **state)
{
	static const struct {
		const char *in, *out;
		uint64_t bytes;
	} rows[] = {
		{"8mb", "8mb", 8u << 20},
		{"64KB", "64kb", 65536},
		{"512b", "512b", 512},
		{"512", "512b", 512},
		{"1024", "1kb", 1024},
		{"1500", "1500b", 1500},
		{"2Gb", "2gb", 1ull << 31},
		{"0", "0b", 0},
		{"0mb", "0b", 0},
		{"1048577", "1048577b", 1048577},
		{"17179869183gb", "17179869183gb", 17179869183ull << 30},
		{"18446744073709551615", "18446744073709551615b", UINT64_MAX},
	};
	static const char *const bad[] = {"",
					  "mb",
					  "8 mb",
					  "8m",
					  "8kib",
					  "-8mb",
					  "8.5mb",
					  "8mbx",
					  "b",
					  "0x8b",
					  "mb8",
					  "17179869184gb",
					  "18446744073709551616b"};
	uint64_t v = 77;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(size_parse(slice_str(bad[i]), &v));
	assert_int_equal(v, 77); /* written only on success, overflow included */
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char memory[40];
		struct text t = text_of(memory, sizeof(memory));

		assert_true(size_parse(slice_str(rows[i].in), &v));
		assert_true(v == rows[i].bytes);
		text_put_size(&t, v);
		assert_string_equal(memory, rows[i].out);
		assert_true(size_parse(slice_str(memory), &v));
		assert_true(v == rows[i].bytes);
	}
}

static void test_durations(void **state)
{
	static const struct {
		const char *in, *out;
		uint64_t us;
	} rows[] = {
		{"250ms", "250ms", 250000},
		{"5s", "5s", 5000000},
		{"10M", "10m", 600000000},
		{"2h", "2h", 7200000000ull},
		{"0", "0", 0},
		{"0s", "0", 0},
		{"60s", "1m", 60000000},
		{"90s", "90s", 90000000},
		{"1500ms", "1500ms", 1500000},
		{"1500us", "1500us", 1500},
		{"3600000ms", "1h", 3600000000ull},
	};
	static const char *const bad[] = {"",     "5",   "00",          "s",
					  "-5s",  "5 s", "5sec",        "1d",
					  "1.5s", "5s ", "5124095577h", "18446744073709551616us"};
	uint64_t v = 77;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(duration_parse(slice_str(bad[i]), &v));
	assert_int_equal(v, 77);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char memory[40];
		struct text t = text_of(memory, sizeof(memory));

		assert_true(duration_parse(slice_str(rows[i].in), &v));
		assert_true(v == rows[i].us);
		text_put_duration(&t, v);
		assert_string_equal(memory, rows[i].out);
		assert_true(duration_parse(slice_str(memory), &v));
		assert_true(v == rows[i].us);
	}
}

static void test_hex(void **state)
{
	uint8_t all[256];
	char got[513], want[513];

	(void)state;
	for (unsigned i = 0; i < 256; i++) {
		all[i] = (uint8_t)i;
		(void)snprintf(want + 2 * i, 3, "%02x", i);
	}
	hex_encode(got, slice_of(all, 256));
	assert_string_equal(got, want);
	hex_encode(got, (struct slice){0});
	assert_string_equal(got, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_stops_at_the_end),
		cmocka_unit_test(test_text_every_room),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_values_every_byte),
		cmocka_unit_test(test_values_that_are_cut_keep_their_quote),
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_hex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
