#include "crypto/digest.h"

#include <openssl/evp.h>

/* Into a buffer of its own first: an output is written only on success. */
static bool digest_of(uint8_t *ret, size_t bytes, struct slice data, const EVP_MD *md)
{
	uint8_t out[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (EVP_Digest(data.p, data.len, out, &n, md, NULL) != 1 || n != bytes)
		return false;
	memcpy(ret, out, bytes);
	return true;
}

bool digest_md5(uint8_t ret[MD5_BYTES], struct slice data)
{
	return digest_of(ret, MD5_BYTES, data, EVP_md5());
}

bool digest_sha1(uint8_t ret[SHA1_BYTES], struct slice data)
{
	return digest_of(ret, SHA1_BYTES, data, EVP_sha1());
}

bool digest_sha256(uint8_t ret[SHA256_BYTES], struct slice data)
{
	return digest_of(ret, SHA256_BYTES, data, EVP_sha256());
}
