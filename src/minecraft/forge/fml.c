#include "minecraft/forge/fml.h"

#include "base/format.h"
#include "minecraft/reader.h"

enum { MOD_TEXT_MAX_UNITS = 1024, VERSION_WITH_DIMENSION = 2 };

enum fml_kind fml_kind_of(struct slice data)
{
	static const enum fml_kind known[] = {FML_SERVER_HELLO, FML_CLIENT_HELLO, FML_MOD_LIST,
					      FML_MOD_IDS,      FML_RESET,        FML_ACK};

	for (size_t i = 0; i < COUNT_OF(known) && data.len > 0; i++) {
		if (data.p[0] == known[i])
			return known[i];
	}
	return FML_OTHER;
}

int fml_ack_phase(struct slice data)
{
	return fml_kind_of(data) == FML_ACK && data.len >= 2 ? data.p[1] : -1;
}

bool fml_server_hello_parse(struct fml_hello *ret, struct slice data)
{
	struct reader r = reader_of(data);
	struct fml_hello h = {0};

	if (read_u8(&r) != FML_SERVER_HELLO)
		return false;
	h.version = read_u8(&r);
	h.has_dimension = h.version >= VERSION_WITH_DIMENSION;
	if (h.has_dimension)
		h.dimension = read_i32(&r);
	if (r.bad)
		return false;
	*ret = h;
	return true;
}

/* The fourth number of "10.13.4.1614"; 0 when there is none. */
static uint32_t fourth_number(struct slice version)
{
	uint64_t n;

	for (int i = 0; i < 3; i++) {
		size_t dot = slice_find(version, '.');

		if (dot == version.len)
			return 0;
		slice_cut(&version, dot + 1);
	}
	version.len = slice_find(version, '.');
	return u64_parse(version, &n) && n <= UINT32_MAX ? (uint32_t)n : 0;
}

uint32_t fml_build_of_mods(struct slice mod_list)
{
	struct reader r = reader_of(mod_list);
	struct slice fml = {0}, forge = {0};
	int32_t n;

	if (read_u8(&r) != FML_MOD_LIST)
		return 0;
	n = read_varint(&r);
	for (int32_t i = 0; i < n && !r.bad; i++) {
		struct slice id = read_str(&r, MOD_TEXT_MAX_UNITS);
		struct slice version = read_str(&r, MOD_TEXT_MAX_UNITS);

		if (slice_eq(id, SLICE_LIT("FML")))
			fml = version;
		else if (slice_eq(id, SLICE_LIT("Forge")))
			forge = version;
	}
	if (r.bad)
		return 0;
	return fourth_number(slice_eq(fml, SLICE_LIT("7.10.99.99")) ? forge : fml);
}

bool register_has(struct slice names, struct slice name)
{
	while (names.len > 0) {
		struct slice one = slice_cut(&names, slice_find(names, '\0'));

		if (slice_eq(one, name))
			return true;
		if (names.len > 0)
			slice_cut(&names, 1);
	}
	return false;
}

void fml_reset_write(struct writer *w)
{
	static const uint8_t reset[] = {FML_RESET, 0};
	struct plugin_message m = {SLICE_LIT(FML_CHANNEL), slice_of(reset, sizeof(reset))};

	plugin_s_write(w, &m);
}
