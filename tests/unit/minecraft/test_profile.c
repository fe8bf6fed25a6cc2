#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/profile.h"

static void test_names(void **state)
{
	static const char *const good[] = {"a",   "Notch", "_x_", "a.b-c", "0123456789ABCDEF",
					   "Zz09"};
	static const char *const bad[] = {"",      "0123456789ABCDEFG", "a b", " ",  "a\n", "${x}",
					  "a\x7f", "\xC3\xA4",          "a/b", "a@", "[",   "`",
					  "{"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++)
		assert_true(player_name_is_valid(slice_str(good[i])));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(player_name_is_valid(slice_str(bad[i])));
	assert_false(player_name_is_valid(SLICE_LIT("a\0")));
}

/* The identities that every offline server gives these names. */
static void test_offline_identities(void **state)
{
	static const struct {
		const char *name, *uuid;
	} known[] = {
		{"Notch", "b50ad385-829d-3141-a216-7e7d7539ba7f"},
		{"", "fc5bc365-aedf-30a8-8b89-04e462e29bde"},
		{"J\u00e4ger", "aa191693-d15e-3b9c-b3f5-9cfb48be9799"},
	};
	uint8_t uuid[UUID_BYTES];
	char text[UUID_TEXT_BYTES + 1];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		assert_true(uuid_offline(uuid, slice_str(known[i].name)));
		uuid_format(text, uuid);
		assert_string_equal(text, known[i].uuid);
	}
}

static void test_a_name_beyond_all_bounds(void **state)
{
	uint8_t name[OFFLINE_NAME_MAX_BYTES + 1], uuid[UUID_BYTES] = {1};

	(void)state;
	memset(name, 'a', sizeof(name));
	assert_false(uuid_offline(uuid, slice_of(name, sizeof(name))));
	assert_int_equal(uuid[0], 1);
	assert_true(uuid_offline(uuid, slice_of(name, sizeof(name) - 1)));
}

static void test_format(void **state)
{
	static const uint8_t uuid[UUID_BYTES] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
						 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};
	char text[UUID_TEXT_BYTES + 1];

	(void)state;
	uuid_format(text, uuid);
	assert_string_equal(text, "00112233-4455-6677-8899-aabbccddeeff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_offline_identities),
		cmocka_unit_test(test_a_name_beyond_all_bounds),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
