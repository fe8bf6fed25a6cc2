#include "crypto/secret.h"

#include <openssl/crypto.h>

bool secret_eq(struct slice a, struct slice b)
{
	return a.len == b.len && (a.len == 0 || CRYPTO_memcmp(a.p, b.p, a.len) == 0);
}

void secret_wipe(void *p, size_t n)
{
	OPENSSL_cleanse(p, n);
}
