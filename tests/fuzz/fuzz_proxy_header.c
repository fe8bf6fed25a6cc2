/* PROXY headers: a longer input never takes back what a shorter one said, and BAD or MORE write
 * nothing. */
#include "link/proxy_header.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool what)
{
	if (!what)
		abort();
}

static bool same(const struct proxy_header *a, const struct proxy_header *b)
{
	return a->bytes == b->bytes && a->source.port == b->source.port &&
	       addr_same_ip(&a->source, &b->source);
}

static void require_sane(const struct proxy_header *h, size_t have)
{
	char text[ADDR_TEXT_MAX];

	require(h->bytes > 0 && h->bytes <= have && h->bytes <= PROXY_V2_MAX_BYTES);
	require(h->source.kind == ADDR_NONE || h->source.kind == ADDR_IP4 ||
		h->source.kind == ADDR_IP6);
	addr_format(&h->source, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proxy_header first = {0};
	enum progress known = MORE;

	for (size_t have = 0; have <= size && have < PROXY_V2_MAX_BYTES + 64; have++) {
		struct proxy_header h = {.bytes = SIZE_MAX};
		uint8_t *copy = malloc(have + 1);
		enum progress now;

		require(copy != NULL);
		if (have > 0)
			memcpy(copy + 1, data, have);
		now = proxy_header_parse(&h, slice_of(copy + 1, have));
		free(copy);
		require(known == MORE || now == known);
		require((now == DONE) == (h.bytes != SIZE_MAX));
		if (now == DONE && known == MORE) {
			require_sane(&h, have);
			first = h;
		}
		require(now != DONE || same(&h, &first));
		known = now;
	}
	require(known != MORE || size < PROXY_V2_MAX_BYTES);
	return 0;
}
