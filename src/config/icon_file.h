/* The server icon: read and checked when the config is loaded, kept as the base64 that the status
 * answer wants. */
#ifndef CONFIG_ICON_FILE_H
#define CONFIG_ICON_FILE_H

#include "base/arena.h"
#include "base/attr.h"
#include "base/slice.h"

enum icon_result { ICON_OK, ICON_WRONG, ICON_MEMORY };

/* A PNG of 64x64 in at most 64 KiB. *ret_why: what is wrong; the remedy. Blocks for a disk read. */
must_check enum icon_result icon_file_load(const char **ret_base64, const char *path,
					   struct arena *memory, const char **ret_why);

/* The bytes alone. */
must_check bool icon_file_check(struct slice png, const char **ret_why);

#endif
