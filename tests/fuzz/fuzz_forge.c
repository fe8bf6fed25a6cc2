/* FML|HS payloads and REGISTER lists: any bytes, and what the parsers say of them must agree. */
#include <stdlib.h>

#include "minecraft/forge/fml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice in = slice_of(data, size);
	enum fml_kind kind = fml_kind_of(in);
	struct fml_hello hello;

	CHECK(kind == FML_OTHER || (size > 0 && data[0] == (uint8_t)kind));
	CHECK((fml_ack_phase(in) >= 0) == (kind == FML_ACK && size >= 2));
	if (fml_server_hello_parse(&hello, in)) {
		CHECK(kind == FML_SERVER_HELLO);
		CHECK(hello.has_dimension == (hello.version > 1));
		CHECK(size >= (hello.has_dimension ? 6u : 2u));
	}
	CHECK(fml_build_of_mods(in) == 0 || kind == FML_MOD_LIST);
	CHECK(register_has(in, slice_of(data, slice_find(in, '\0'))) == (size > 0));
	CHECK(!register_has(in, SLICE_LIT("a\0b")));
	return 0;
}
