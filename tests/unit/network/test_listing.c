#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "network/listing.h"
#include "minecraft/reader.h"
#include "network/config_of.h"

static const char yaml[] = "status:\n  motd: \"Hello §aworld\\nsecond line\"\n  maxPlayers: 77\n";

static void add_players(struct roster *r, unsigned n)
{
	struct claim_holder kick;
	struct order *displaced;

	for (unsigned i = 0; i < n; i++) {
		struct order *o = order_new(ORDER_CLAIM, i + 1);

		(void)snprintf(o->name, sizeof(o->name), "Player%u", i);
		assert_int_equal(roster_claim(r, o, DUPLICATE_REFUSE, &kick, &displaced),
				 CLAIM_GRANTED);
		order_free(o);
	}
}

static struct listing *listing_of(const char *text, unsigned players)
{
	struct settings *s = config_of(text);
	struct roster *r = roster_new();
	struct listing *l;

	add_players(r, players);
	l = listing_new(s, r);
	assert_non_null(l);
	/* It stands alone. */
	roster_free(r);
	settings_unref(s);
	return l;
}

/* The JSON of one whole status response frame, without blanks; what it means to a parser is the
 * business of minecraft/status. */
static const char *json_of(struct slice frame)
{
	static char json[4096];
	struct reader r = reader_of(frame);
	int32_t len = read_varint(&r), id;
	struct slice text;
	size_t n = 0;

	assert_int_equal((size_t)len, r.rest.len);
	id = read_varint(&r);
	assert_int_equal(id, 0);
	text = read_str(&r, 32767);
	assert_true(reader_done(&r));
	assert_true(text.len < sizeof(json));
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] != ' ' && text.p[i] != '\n')
			json[n++] = (char)text.p[i];
	}
	json[n] = '\0';
	return json;
}

static void expect_in(const char *json, const char *part)
{
	if (strstr(json, part) == NULL)
		fail_msg("no %s in %s", part, json);
}

static unsigned count_in(const char *json, const char *part)
{
	unsigned n = 0;

	while ((json = strstr(json, part)) != NULL) {
		json++;
		n++;
	}
	return n;
}

static void test_modern(void **state)
{
	struct listing *l = listing_of(yaml, 3);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *json = json_of(l->answers[i == 0 ? LISTING_1_7_2 : LISTING_1_7_6]);

		expect_in(json, i == 0 ? "\"protocol\":4" : "\"protocol\":5");
		expect_in(json, "\"max\":77");
		expect_in(json, "\"online\":3");
		expect_in(json, "\"sample\":[{");
		expect_in(json, "\"name\":\"Player2\"");
		expect_in(json, "\"name\":\"Player0\"");
		expect_in(json, "\"modinfo\":{");
		expect_in(json, "\"type\":\"FML\"");
		expect_in(json, "\"description\":");
	}
	listing_unref(l);
}

/* A sample of the config's stands instead of names; of names there are twelve at most. */
static void test_sample(void **state)
{
	struct listing *l = listing_of("status: {sample: [Welcome, to_us]}\n", 3);
	const char *json = json_of(l->answers[LISTING_1_7_6]);

	(void)state;
	expect_in(json, "\"name\":\"Welcome\"");
	expect_in(json, "\"name\":\"to_us\"");
	assert_int_equal(count_in(json, "Player"), 0);
	listing_unref(l);
	l = listing_of(yaml, 40);
	json = json_of(l->answers[LISTING_1_7_6]);
	expect_in(json, "\"online\":40");
	assert_int_equal(count_in(json, "\"name\":\"Player"), 12);
	listing_unref(l);
}

/* FF, the number of UTF-16 units, and as many; as plain text with NUL and the sign as they are. */
static size_t legacy_text(struct slice answer, char *ret, size_t cap)
{
	size_t units, n = 0;

	assert_true(answer.len >= 3);
	assert_int_equal(answer.p[0], 0xFF);
	units = (size_t)answer.p[1] << 8 | answer.p[2];
	assert_int_equal(answer.len, 3 + 2 * units);
	assert_true(units < cap);
	for (size_t i = 0; i < units; i++) {
		assert_int_equal(answer.p[3 + 2 * i], 0); /* nothing but Latin-1 here */
		ret[n++] = (char)answer.p[4 + 2 * i];
	}
	ret[n] = '\0';
	return n;
}

static void test_legacy(void **state)
{
	struct listing *l = listing_of(yaml, 3);
	char text[300];
	size_t n;

	(void)state;
	legacy_text(l->answers[LISTING_LEGACY], text, sizeof(text));
	assert_string_equal(text, "Hello world\xA7"
				  "3\xA7"
				  "77");
	n = legacy_text(l->answers[LISTING_LEGACY_MODERN], text, sizeof(text));
	assert_true(n > 8);
	assert_memory_equal(text, "\xA7\x31\0\x31\x32\x37\0", 7);
	assert_memory_equal(text + n - 4 - 1, "\0003\00077", 5);
	listing_unref(l);
}

/* All answers are parts of one block, one behind the other, and nothing overlaps. */
static void test_packed(void **state)
{
	struct listing *l = listing_of(yaml, 1);
	const uint8_t *next = l->bytes;

	(void)state;
	for (unsigned i = 0; i < LISTING_KINDS; i++) {
		assert_ptr_equal(l->answers[i].p, next);
		assert_true(l->answers[i].len > 0);
		next += l->answers[i].len;
	}
	assert_ptr_equal(listing_ref(l), l);
	listing_unref(l);
	assert_int_equal(l->refs, 1);
	listing_unref(l);
	listing_unref(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modern),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_legacy),
		cmocka_unit_test(test_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
