#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "session/first_bytes.h"
#include "minecraft/handshake.h"

static enum first_bytes of(uint8_t a, uint8_t b, uint8_t c, size_t n)
{
	uint8_t bytes[3] = {a, b, c};

	return first_bytes_of(slice_of(bytes, n));
}

/* By the wire, not by our table: is this the beginning of a frame whose id, in its shortest form,
 * is 0 (the handshake's)? *ret_known: enough was seen to say so. */
static bool begins_a_handshake(const uint8_t *p, size_t n, bool *ret_known)
{
	size_t i = 0;

	*ret_known = false;
	while (i < n && i < 3 && p[i] >= 0x80)
		i++;
	if (i == n)
		return true;
	if (i + 1 >= n)
		return true;
	*ret_known = true;
	return p[i + 1] == 0;
}

static bool is_start(const uint8_t *p, const char *text)
{
	return p[0] == (uint8_t)text[0] && p[1] == (uint8_t)text[1];
}

/* What two bytes must be taken for when they are none of Minecraft's. */
static enum first_bytes foreign(const uint8_t *p)
{
	static const char *const verbs[] = {"GE", "PO", "PU", "HE", "OP", "DE"};

	if (is_start(p, "PR") || is_start(p, "\r\n"))
		return FIRST_PROXY;
	if (is_start(p, "\x16\x03"))
		return FIRST_TLS;
	for (size_t i = 0; i < COUNT_OF(verbs); i++) {
		if (is_start(p, verbs[i]))
			return FIRST_HTTP;
	}
	return FIRST_MINECRAFT;
}

static void check(const uint8_t *p, size_t n)
{
	enum first_bytes is = first_bytes_of(slice_of(p, n));
	bool known;
	bool handshake = begins_a_handshake(p, n, &known);

	if (p[0] == 0xFE) {
		bool legacy = n == 1 || (n == 2 && p[1] == 1);

		assert_int_equal(is, legacy                                ? FIRST_MORE_OR_LEGACY
				     : n == 3 && p[1] == 1 && p[2] == 0xFA ? FIRST_LEGACY
									   : FIRST_MINECRAFT);
		return;
	}
	if (n >= 2)
		assert_int_equal(is, foreign(p));
	else
		assert_int_equal(is, strchr("P\r\x16GHOD", p[0]) != NULL && p[0] != 0
					     ? FIRST_MORE
					     : FIRST_MINECRAFT);
	/* No handshake is ever taken for something else. */
	if (handshake && known)
		assert_int_equal(is, FIRST_MINECRAFT);
}

/* Every beginning of one, two and three bytes. */
static void test_all_beginnings(void **state)
{
	(void)state;
	assert_int_equal(first_bytes_of((struct slice){0}), FIRST_MORE);
	for (unsigned i = 0; i < 1u << 24; i++) {
		uint8_t p[3] = {(uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};

		if ((i & 0xFFFF) == 0)
			check(p, 1);
		if ((i & 0xFF) == 0)
			check(p, 2);
		check(p, 3);
	}
}

/* Handshakes of every length that a host may have, to every cut: Minecraft, or more is wanted. */
static void test_real_handshakes(void **state)
{
	static const uint8_t host[4096];
	uint8_t memory[4200];

	(void)state;
	for (size_t n = 0; n <= 4000; n++) {
		struct writer w = writer_of(memory, sizeof(memory));
		struct handshake h = {.protocol = 5, .host = slice_of(host, n), .next = NEXT_LOGIN};

		handshake_write(&w, &h);
		assert_false(w.full);
		for (size_t cut = 1; cut <= FIRST_BYTES_MAX; cut++) {
			enum first_bytes is = first_bytes_of(slice_of(memory, cut));

			assert_true(is == FIRST_MINECRAFT ||
				    (cut < 3 && (is == FIRST_MORE || is == FIRST_MORE_OR_LEGACY)));
		}
	}
}

static void test_by_name(void **state)
{
	(void)state;
	assert_int_equal(of('P', 'R', 'O', 3), FIRST_PROXY);
	assert_int_equal(of('\r', '\n', '\r', 3), FIRST_PROXY);
	assert_int_equal(of(0x16, 3, 1, 3), FIRST_TLS);
	assert_int_equal(of('G', 'E', 'T', 3), FIRST_HTTP);
	assert_int_equal(of(0xFE, 1, 0xFA, 3), FIRST_LEGACY);
	assert_int_equal(of(0xFE, 1, 0, 3), FIRST_MINECRAFT); /* a frame of 254 bytes */
	assert_int_equal(of(0x50, 0, 5, 3), FIRST_MINECRAFT); /* one of 80, not P */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_beginnings),
		cmocka_unit_test(test_real_handshakes),
		cmocka_unit_test(test_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
