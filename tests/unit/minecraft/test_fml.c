#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/forge/fml.h"

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(fml_kind_of(SLICE_LIT("\0\1")), FML_SERVER_HELLO);
	assert_int_equal(fml_kind_of(SLICE_LIT("\1")), FML_CLIENT_HELLO);
	assert_int_equal(fml_kind_of(SLICE_LIT("\2")), FML_MOD_LIST);
	assert_int_equal(fml_kind_of(SLICE_LIT("\3")), FML_MOD_IDS);
	assert_int_equal(fml_kind_of(SLICE_LIT("\xFE")), FML_RESET);
	assert_int_equal(fml_kind_of(SLICE_LIT("\xFF\2")), FML_ACK);
	assert_int_equal(fml_kind_of(SLICE_LIT("\4")), FML_OTHER);
	assert_int_equal(fml_kind_of(SLICE_LIT("\xFD")), FML_OTHER);
	assert_int_equal(fml_kind_of(SLICE_LIT("")), FML_OTHER);
}

static void test_ack_phases(void **state)
{
	(void)state;
	assert_int_equal(fml_ack_phase(SLICE_LIT("\xFF\5")), 5);
	assert_int_equal(fml_ack_phase(SLICE_LIT("\xFF\xFF")), 255);
	assert_int_equal(fml_ack_phase(SLICE_LIT("\xFF\2more")), 2);
	assert_int_equal(fml_ack_phase(SLICE_LIT("\xFF")), -1);
	assert_int_equal(fml_ack_phase(SLICE_LIT("\xFE\5")), -1);
	assert_int_equal(fml_ack_phase(SLICE_LIT("")), -1);
}

/* Case 2: the override is there from version 2 on. */
static void test_server_hello(void **state)
{
	struct fml_hello h = {.version = 77};

	(void)state;
	assert_false(fml_server_hello_parse(&h, SLICE_LIT("")));
	assert_false(fml_server_hello_parse(&h, SLICE_LIT("\0")));
	assert_false(fml_server_hello_parse(&h, SLICE_LIT("\1\1")));
	assert_false(fml_server_hello_parse(&h, SLICE_LIT("\0\2\0\0\0")));
	assert_int_equal(h.version, 77);
	assert_true(fml_server_hello_parse(&h, SLICE_LIT("\0\1")));
	assert_int_equal(h.version, 1);
	assert_false(h.has_dimension);
	assert_true(fml_server_hello_parse(&h, SLICE_LIT("\0\2\xFF\xFF\xFF\x96")));
	assert_int_equal(h.version, 2);
	assert_true(h.has_dimension);
	assert_int_equal(h.dimension, -106);
}

static void test_builds(void **state)
{
	(void)state;
	assert_int_equal(fml_build_of_mods(SLICE_LIT("\2\3\3mcp\4"
						     "9.05\3FML\x0A"
						     "7.10.99.99"
						     "\5Forge\x0C"
						     "10.13.4.1614")),
			 1614);
	assert_int_equal(fml_build_of_mods(SLICE_LIT("\2\2\5Forge\x0C"
						     "10.13.4.1614"
						     "\3FML\x0A"
						     "7.10.99.99")),
			 1614);
	assert_int_equal(fml_build_of_mods(SLICE_LIT("\2\2\3FML\x0C"
						     "7.2.217.1147"
						     "\5Forge\x0C"
						     "10.12.2.1161")),
			 1147);
	assert_int_equal(fml_build_of_mods(SLICE_LIT("\2\1\3FML\x0C"
						     "7.2.217.1147")),
			 1147);
	assert_int_equal(fml_build_of_mods(SLICE_LIT("\2\1\3FML\x0E"
						     "7.2.217.1147.9")),
			 1147);
}

static void test_builds_that_nobody_knows(void **state)
{
	static const struct slice lists[] = {
		SLICE_LIT(""),
		SLICE_LIT("\2"),
		SLICE_LIT("\2\0"),
		SLICE_LIT("\1\1\3FML\7"
			  "7.2.1.9"),
		SLICE_LIT("\2\1\3FML\5"
			  "7.2.1"),
		SLICE_LIT("\2\1\3FML\7"
			  "7.2.1.x"),
		SLICE_LIT("\2\1\3FML\6"
			  "7.2.1."),
		SLICE_LIT("\2\1\3FML\x13"
			  "7.2.1.9999999999999"),
		SLICE_LIT("\2\2\3FML\7"
			  "7.2.1.9"),
		SLICE_LIT("\2\1\3FML\x0A"
			  "7.10.99.99"),
		SLICE_LIT("\2\1\5Forge\x0C"
			  "10.13.4.1614"),
		SLICE_LIT("\2\xFF\xFF\xFF\xFF\x0F\3FML\7"
			  "7.2.1.9"),
		SLICE_LIT("\2\xFF\xFF\xFF\xFF\x07\3FML\7"
			  "7.2.1.9"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		assert_int_equal(fml_build_of_mods(lists[i]), 0);
}

static void test_registers(void **state)
{
	struct slice names = SLICE_LIT("FML|HS\0FML\0\0FORGE");

	(void)state;
	assert_true(register_has(names, SLICE_LIT("FML|HS")));
	assert_true(register_has(names, SLICE_LIT("FML")));
	assert_true(register_has(names, SLICE_LIT("FORGE")));
	assert_false(register_has(names, SLICE_LIT("FML|")));
	assert_false(register_has(names, SLICE_LIT("fml")));
	assert_false(register_has(names, SLICE_LIT("ORGE")));
	assert_false(register_has(SLICE_LIT(""), SLICE_LIT("FML")));
	assert_true(register_has(SLICE_LIT("FML\0"), SLICE_LIT("FML")));
	assert_false(register_has(SLICE_LIT("FML\0FML|HSX\0"), SLICE_LIT("FML|HS")));
}

static void test_reset(void **state)
{
	uint8_t memory[32];
	struct writer w = writer_of(memory, sizeof(memory));

	(void)state;
	fml_reset_write(&w);
	assert_true(slice_eq(writer_slice(&w), SLICE_LIT("\x0C\x3F\6FML|HS\0\2\xFE\0")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_ack_phases),
		cmocka_unit_test(test_server_hello),
		cmocka_unit_test(test_builds),
		cmocka_unit_test(test_builds_that_nobody_knows),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
