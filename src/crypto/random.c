#include "crypto/random.h"

#include <limits.h>
#include <openssl/rand.h>

bool random_bytes(void *p, size_t n)
{
	return n <= INT_MAX && RAND_bytes(p, (int)n) == 1;
}
