/* The server icon: clients show nothing, and some complain, when it is not a PNG of 64 x 64. */
#include "minecraft/reader.h"
#include "minecraft/status.h"

enum { ICON_SIDE = 64, IHDR_BYTES = 13, ICON_MAX_BYTES = 24000 };

bool icon_check(struct slice png, const char **ret_why)
{
	static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
	struct reader r = reader_of(png);
	bool is_png = slice_eq(read_bytes(&r, sizeof(signature)),
			       slice_of(signature, sizeof(signature))) &&
		      read_i32(&r) == IHDR_BYTES && slice_eq(read_bytes(&r, 4), SLICE_LIT("IHDR"));
	int32_t width = read_i32(&r);
	int32_t height = read_i32(&r);

	if (r.bad || !is_png)
		*ret_why = "it is not a PNG file";
	else if (width != ICON_SIDE || height != ICON_SIDE)
		*ret_why = "it is not 64 x 64 pixels";
	else if (png.len > ICON_MAX_BYTES)
		*ret_why = "it is larger than 24,000 bytes, more than a server list answer carries";
	else
		return true;
	return false;
}
