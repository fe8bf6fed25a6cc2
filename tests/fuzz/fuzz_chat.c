/* Texts: any bytes become a component of valid JSON, whose plain form is the text again; any bytes
 * that a server calls a component have a plain form. */
#include <stdlib.h>

#include "base/utf8.h"
#include "minecraft/chat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice in = slice_of(data, size);
	struct buf json = {0}, plain = {0}, readable = {0};

	CHECK(chat_json(&json, in));
	CHECK(chat_plain(&plain, buf_slice(&json)));
	CHECK(plain.len == size);
	CHECK(utf8_utf16_units(buf_slice(&plain)) >= 0);
	if (utf8_utf16_units(in) >= 0)
		CHECK(slice_eq(buf_slice(&plain), in));
	CHECK(chat_plain(&readable, in));
	CHECK(readable.len <= 512 + 40 * size);
	buf_fini(&json);
	buf_fini(&plain);
	buf_fini(&readable);
	return 0;
}
