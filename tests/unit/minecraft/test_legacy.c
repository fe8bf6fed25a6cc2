#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/status.h"

enum { ANSWER_MAX = 1024 };

static struct slice answer(uint8_t memory[ANSWER_MAX], const char *motd, bool modern)
{
	struct status s = {
		.version_name = "V", .protocol = 5, .motd = motd, .max_players = 20, .online = 3};
	struct writer w = writer_of(memory, ANSWER_MAX);

	legacy_answer_write(&w, &s, modern);
	assert_false(w.full);
	return writer_slice(&w);
}

/* want: the text in UTF-16 units, n of them. */
static void check(const char *motd, bool modern, const uint16_t *want, size_t n)
{
	uint8_t memory[ANSWER_MAX];
	struct slice got = answer(memory, motd, modern);

	assert_int_equal(got.len, 3 + 2 * n);
	assert_int_equal(got.p[0], 0xFF);
	assert_int_equal(got.p[1] << 8 | got.p[2], n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got.p[3 + 2 * i] << 8 | got.p[4 + 2 * i], want[i]);
}

#define CHECK(motd, modern, want) check(motd, modern, want, COUNT_OF(want) - 1)

static void test_modern(void **state)
{
	(void)state;
	CHECK("\u00a7aHi\nsecond", true,
	      u"\u00a71\0"
	      u"127\0V\0\u00a7aHi\0"
	      u"3\0"
	      u"20");
	CHECK("", true,
	      u"\u00a71\0"
	      u"127\0V\0\0"
	      u"3\0"
	      u"20");
	CHECK("\U0001F600\xFF", true,
	      u"\u00a71\0"
	      u"127\0V\0\U0001F600?\0"
	      u"3\0"
	      u"20");
}

static void test_the_oldest(void **state)
{
	(void)state;
	CHECK("\u00a7aHi \u00a7lthere\nsecond", false,
	      u"Hi there\u00a7"
	      u"3\u00a7"
	      u"20");
	CHECK("x\u00a7", false,
	      u"x\u00a7"
	      u"3\u00a7"
	      u"20");
	CHECK("\u00a7\u00a7y", false,
	      u"y\u00a7"
	      u"3\u00a7"
	      u"20");
	CHECK("", false,
	      u"\u00a7"
	      u"3\u00a7"
	      u"20");
}

/* Old clients refuse more than 256 units. */
static void test_long_fields_are_cut(void **state)
{
	char text[3000];
	struct status s = {.version_name = text,
			   .motd = text,
			   .max_players = UINT32_MAX,
			   .online = UINT32_MAX};
	uint8_t memory[ANSWER_MAX];

	(void)state;
	for (size_t i = 0; i + 4 < sizeof(text); i += 4)
		memcpy(text + i, "\xF0\x9F\x98\x80", 5);
	for (int modern = 0; modern <= 1; modern++) {
		struct writer w = writer_of(memory, sizeof(memory));

		legacy_answer_write(&w, &s, modern != 0);
		assert_false(w.full);
		assert_true(w.len > 200 && w.len <= 3 + 2 * 256);
	}
}

static void test_what_does_not_fit_is_full(void **state)
{
	uint8_t memory[ANSWER_MAX], little[ANSWER_MAX];
	struct status s = {.version_name = "V", .motd = "m"};
	size_t need = answer(memory, "m", true).len;

	(void)state;
	for (size_t cap = 0; cap + 2 < need; cap++) {
		struct writer w = writer_of(little, cap);

		legacy_answer_write(&w, &s, true);
		assert_true(w.full);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modern),
		cmocka_unit_test(test_the_oldest),
		cmocka_unit_test(test_long_fields_are_cut),
		cmocka_unit_test(test_what_does_not_fit_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
