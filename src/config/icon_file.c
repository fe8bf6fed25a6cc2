#include "config/icon_file.h"

#include "base/base64.h"
#include "config/whole_file.h"

/* In base64 this leaves room for the rest of a status answer, which holds 32,767 characters. */
enum { ICON_BYTES_MAX = 24000, ICON_SIDE = 64, HEAD_BYTES = 24 };

static uint32_t u32_at(struct slice s, size_t at)
{
	return (uint32_t)s.p[at] << 24 | (uint32_t)s.p[at + 1] << 16 | (uint32_t)s.p[at + 2] << 8 |
	       s.p[at + 3];
}

/* PNG: 8 bytes of signature, then the IHDR chunk (length 13): it begins with width and height. */
bool icon_file_check(struct slice png, const char **ret_why)
{
	static const uint8_t start[16] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n',
					  0,    0,   0,   13,  'I',  'H',  'D',  'R'};

	if (png.len > ICON_BYTES_MAX)
		*ret_why = "is larger than 24,000 bytes; save it smaller";
	else if (png.len < HEAD_BYTES || memcmp(png.p, start, sizeof(start)) != 0)
		*ret_why = "is no PNG; save the picture as PNG";
	else if (u32_at(png, 16) != ICON_SIDE || u32_at(png, 20) != ICON_SIDE)
		*ret_why = "is not 64x64 pixels; scale it to 64x64";
	else
		return true;
	return false;
}

enum icon_result icon_file_load(const char **ret_base64, const char *path, struct arena *memory,
				const char **ret_why)
{
	struct buf png = {0};
	int err = whole_file_read(&png, path, ICON_BYTES_MAX);
	enum icon_result result = ICON_WRONG;

	if (err == -ENOMEM) {
		result = ICON_MEMORY;
	} else if (err != 0) {
		*ret_why = err == -EFBIG ? "is larger than 24,000 bytes; save it smaller"
					 : "cannot be read; correct the path or the permissions";
	} else if (icon_file_check(buf_slice(&png), ret_why)) {
		char *text = arena_alloc(memory, base64_len(png.len) + 1);

		result = text == NULL ? ICON_MEMORY : ICON_OK;
		if (text != NULL) {
			base64_encode(text, buf_slice(&png));
			*ret_base64 = text;
		}
	}
	buf_fini(&png);
	return result;
}
