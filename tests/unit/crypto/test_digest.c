#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/format.h"
#include "crypto/digest.h"

static void check(const uint8_t *got, size_t n, const char *want)
{
	char text[2 * SHA256_BYTES + 1];

	hex_encode(text, slice_of(got, n));
	assert_string_equal(text, want);
}

/* RFC 1321, RFC 3174, FIPS 180-4. */
static void test_published_digests(void **state)
{
	uint8_t md5[MD5_BYTES], sha1[SHA1_BYTES], sha256[SHA256_BYTES];

	(void)state;
	assert_true(digest_md5(md5, SLICE_LIT("abc")));
	check(md5, sizeof(md5), "900150983cd24fb0d6963f7d28e17f72");
	assert_true(digest_sha1(sha1, SLICE_LIT("abc")));
	check(sha1, sizeof(sha1), "a9993e364706816aba3e25717850c26c9cd0d89d");
	assert_true(digest_sha256(sha256, SLICE_LIT("abc")));
	check(sha256, sizeof(sha256),
	      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_nothing(void **state)
{
	uint8_t md5[MD5_BYTES];

	(void)state;
	assert_true(digest_md5(md5, slice_of(NULL, 0)));
	check(md5, sizeof(md5), "d41d8cd98f00b204e9800998ecf8427e");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_digests),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
