/* A small regular file, read at once. */
#ifndef CONFIG_WHOLE_FILE_H
#define CONFIG_WHOLE_FILE_H

#include <errno.h>

#include "base/attr.h"
#include "base/buf.h"

/* Appends the bytes. 0, -EFBIG (more than max_bytes), -EINVAL (a directory, pipe or device: nothing
 * that could block is opened), -ENOMEM, or what the system says. */
must_check int whole_file_read(struct buf *io, const char *path, size_t max_bytes);

#endif
