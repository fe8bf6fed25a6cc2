/* One-shot message digests (OpenSSL). MD5 and SHA-1 because protocols ask for them, never for
 * secrets. */
#ifndef CRYPTO_DIGEST_H
#define CRYPTO_DIGEST_H

#include "base/attr.h"
#include "base/slice.h"

enum { MD5_BYTES = 16, SHA1_BYTES = 20, SHA256_BYTES = 32 };

/* False: the library has no memory, or a policy of this machine (FIPS) forbids the algorithm. Any
 * thread. */
must_check bool digest_md5(uint8_t ret[MD5_BYTES], struct slice data);
must_check bool digest_sha1(uint8_t ret[SHA1_BYTES], struct slice data);
must_check bool digest_sha256(uint8_t ret[SHA256_BYTES], struct slice data);

#endif
