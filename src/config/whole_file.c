#include "config/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP_BYTES = 16 * 1024 };

static int read_step(struct buf *io, int fd)
{
	ssize_t n = 0;

	if (!buf_reserve(io, STEP_BYTES))
		return -ENOMEM;
	do {
		n = read(fd, io->p + io->len, STEP_BYTES);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	io->len += (size_t)n;
	return (int)n;
}

static int read_all(struct buf *io, int fd, size_t max_bytes)
{
	size_t start = io->len;
	struct stat st;
	int n = 0;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	do {
		n = read_step(io, fd);
		if (io->len - start > max_bytes)
			return -EFBIG;
	} while (n > 0);
	return n;
}

int whole_file_read(struct buf *io, const char *path, size_t max_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err = 0;

	if (fd < 0)
		return -errno;
	err = read_all(io, fd, max_bytes);
	(void)close(fd);
	return err;
}
