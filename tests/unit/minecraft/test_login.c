#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/login.h"

static const uint8_t uuid[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
				 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};

static void test_start(void **state)
{
	uint8_t memory[32];
	struct writer w = writer_of(memory, sizeof(memory));
	struct slice name = SLICE_LIT("untouched");

	(void)state;
	login_start_write(&w, SLICE_LIT("Ann"));
	assert_true(slice_eq(writer_slice(&w), SLICE_LIT("\5\0\3Ann")));
	assert_false(login_start_parse(&name, SLICE_LIT("\3An")));
	assert_false(login_start_parse(&name, SLICE_LIT("")));
	assert_false(login_start_parse(&name, SLICE_LIT("\2\xC3\x28")));
	assert_true(slice_eq(name, SLICE_LIT("untouched")));
	assert_true(login_start_parse(&name, SLICE_LIT("\3Ann")));
	assert_true(slice_eq(name, SLICE_LIT("Ann")));
	assert_true(login_start_parse(&name, SLICE_LIT("\3Bob\1more of later protocols")));
	assert_true(slice_eq(name, SLICE_LIT("Bob")));
}

/* A name that is too long is read, so that it can be answered; one beyond all bounds is not. */
static void test_long_names(void **state)
{
	uint8_t body[80];
	struct slice name;

	(void)state;
	memset(body, 'a', sizeof(body));
	body[0] = 64;
	assert_true(login_start_parse(&name, slice_of(body, 65)));
	assert_int_equal(name.len, 64);
	body[0] = 65;
	assert_false(login_start_parse(&name, slice_of(body, 66)));
}

static void test_success(void **state)
{
	uint8_t memory[128];
	struct writer w = writer_of(memory, sizeof(memory));

	(void)state;
	login_success_write(&w, VERSION_1_7_6, uuid, SLICE_LIT("Ann"));
	assert_true(
		slice_eq(writer_slice(&w), SLICE_LIT("\x2A\2\x24"
						     "00112233-4455-6677-8899-aabbccddeeff\3Ann")));
	w = writer_of(memory, sizeof(memory));
	login_success_write(&w, VERSION_1_7_2, uuid, SLICE_LIT("Ann"));
	assert_true(slice_eq(writer_slice(&w), SLICE_LIT("\x26\2\x20"
							 "00112233445566778899aabbccddeeff\3Ann")));
}

static void test_disconnect(void **state)
{
	uint8_t memory[32];
	struct writer w = writer_of(memory, sizeof(memory));
	struct slice json = SLICE_LIT("untouched");

	(void)state;
	login_disconnect_write(&w, SLICE_LIT("{}"));
	assert_true(slice_eq(writer_slice(&w), SLICE_LIT("\4\0\2{}")));
	assert_false(login_disconnect_parse(&json, SLICE_LIT("\3{}")));
	assert_true(slice_eq(json, SLICE_LIT("untouched")));
	assert_true(login_disconnect_parse(&json, SLICE_LIT("\2{}")));
	assert_true(slice_eq(json, SLICE_LIT("{}")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_success),
		cmocka_unit_test(test_disconnect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
