#include "app/limits_of_process.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Player and backend for each, a candidate for some, and the proxy's own. */
enum { PER_PLAYER = 2, OWN = 128 };

void process_raise_limits(const struct settings *s)
{
	unsigned long long want = (unsigned long long)s->max_connections * PER_PLAYER + OWN;
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return;
	r.rlim_cur = r.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_max < want)
		(void)fprintf(
			stderr,
			"moonbridge: maxConnections %u may need %llu file descriptors, but the limit is %llu; "
			"raise it (LimitNOFILE= in the unit, ulimit -n) or lower maxConnections\n",
			s->max_connections, want, (unsigned long long)r.rlim_max);
}

void process_fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
}
