#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "minecraft/handshake.h"
#include "minecraft/reader.h"

static const uint8_t golden[] = {0x0F, 0x00, 0x05, 9,   'l', 'o',  'c',  'a',
				 'l',  'h',  'o',  's', 't', 0x63, 0xDD, 0x02};

static struct slice golden_body(void)
{
	return slice_of(golden + 2, sizeof(golden) - 2);
}

static void test_golden_bytes(void **state)
{
	struct handshake h;
	uint8_t memory[64];
	struct writer w = writer_of(memory, sizeof(memory));

	(void)state;
	assert_true(handshake_parse(&h, golden_body()));
	assert_int_equal(h.protocol, 5);
	assert_true(slice_eq(h.host, SLICE_LIT("localhost")));
	assert_int_equal(h.port, 25565);
	assert_int_equal(h.next, NEXT_LOGIN);
	handshake_write(&w, &h);
	assert_true(slice_eq(writer_slice(&w), slice_of(golden, sizeof(golden))));
}

static void test_cut_anywhere_is_none(void **state)
{
	struct handshake h = {.port = 77};

	(void)state;
	for (size_t n = 0; n < golden_body().len; n++)
		assert_false(handshake_parse(&h, slice_of(golden_body().p, n)));
	assert_int_equal(h.port, 77);
}

static bool parses(int32_t next, size_t host_len, bool trailing)
{
	static uint8_t memory[6000], host[5000];
	struct writer w = writer_of(memory, sizeof(memory));
	struct handshake h;

	memset(host, 'a', sizeof(host));
	write_varint(&w, -1);
	write_str(&w, slice_of(host, host_len));
	write_u16(&w, 1);
	write_varint(&w, next);
	if (trailing)
		write_u8(&w, 0);
	assert_false(w.full);
	return handshake_parse(&h, writer_slice(&w)) && h.protocol == -1 &&
	       h.next == (enum handshake_next)next && h.host.len == host_len;
}

static void test_bounds(void **state)
{
	(void)state;
	for (int32_t next = 1; next <= 3; next++)
		assert_true(parses(next, 3, false));
	assert_false(parses(0, 3, false));
	assert_false(parses(4, 3, false));
	assert_false(parses(-1, 3, false));
	assert_false(parses(1, 3, true));
	assert_true(parses(2, 0, false));
	assert_true(parses(2, 4096, false));
	assert_false(parses(2, 4097, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_bytes),
		cmocka_unit_test(test_cut_anywhere_is_none),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
