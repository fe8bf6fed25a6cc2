/* Listening sockets and the options of connected ones. Straight system calls: no simulation goes
 * through here. */
#include "io/listen.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Kernels clamp it to net.core.somaxconn. */
enum { BACKLOG = 4096 };

static int bind_and_listen(int fd, const void *sa, socklen_t len)
{
	if (bind(fd, sa, len) < 0 || listen(fd, BACKLOG) < 0)
		return -errno;
	return 0;
}

static int stream_socket(int family)
{
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static void set_flag(int fd, int level, int name, int value)
{
	(void)setsockopt(fd, level, name, &value, sizeof(value));
}

/* A bound socket, not listening yet. */
static int bound_tcp(const struct addr *at, bool reuse_port)
{
	struct sockaddr_storage sa = {0};
	socklen_t len;
	int fd, err;

	if (at->kind != ADDR_IP4 && at->kind != ADDR_IP6)
		return -EAFNOSUPPORT;
	len = addr_to_sockaddr(at, &sa);
	fd = stream_socket(sa.ss_family);
	if (fd < 0)
		return fd;
	set_flag(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (reuse_port)
		set_flag(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	/* "::" means everybody, whatever the machine's default is. */
	if (at->kind == ADDR_IP6)
		set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (bind(fd, (const struct sockaddr *)&sa, len) == 0)
		return fd;
	err = -errno;
	(void)close(fd);
	return err;
}

int listen_tcp(const struct addr *at, bool reuse_port)
{
	int fd = bound_tcp(at, reuse_port), err;

	if (fd < 0 || listen(fd, BACKLOG) == 0)
		return fd;
	err = -errno;
	(void)close(fd);
	return err;
}

int listen_tcp_probe(const struct addr *at)
{
	int fd = bound_tcp(at, false);

	if (fd < 0)
		return fd;
	(void)close(fd);
	return 0;
}

/* A full backlog (EAGAIN) is a sign of life too. */
static bool unix_is_dead(const struct sockaddr_un *un)
{
	int fd = stream_socket(AF_UNIX);
	bool dead;

	if (fd < 0)
		return false;
	dead = connect(fd, (const struct sockaddr *)un, sizeof(*un)) < 0 && errno == ECONNREFUSED;
	(void)close(fd);
	return dead;
}

static int remove_dead_socket(const struct sockaddr_un *un)
{
	struct stat st;

	if (lstat(un->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	if (!unix_is_dead(un))
		return -EADDRINUSE;
	return unlink(un->sun_path) < 0 && errno != ENOENT ? -errno : 0;
}

static int bind_unix(int fd, const struct sockaddr_un *un)
{
	int err = bind_and_listen(fd, un, sizeof(*un));
	struct stat st;

	if (err == -EADDRINUSE) {
		err = remove_dead_socket(un);
		if (err == 0)
			err = bind_and_listen(fd, un, sizeof(*un));
	}
	/* The kernel made it 0777 & ~umask. */
	if (err == 0 && (stat(un->sun_path, &st) < 0 || chmod(un->sun_path, st.st_mode & 0666) < 0))
		err = -errno;
	return err;
}

int listen_unix(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	size_t len = strlen(path);
	int fd, err;

	if (len == 0)
		return -EINVAL;
	if (len >= sizeof(un.sun_path))
		return -ENAMETOOLONG;
	memcpy(un.sun_path, path, len + 1);
	fd = stream_socket(AF_UNIX);
	if (fd < 0)
		return fd;
	err = bind_unix(fd, &un);
	if (err < 0) {
		(void)close(fd);
		return err;
	}
	return fd;
}

struct addr listen_addr(int fd)
{
	struct sockaddr_storage sa = {0};
	socklen_t len = sizeof(sa);

	if (getsockname(fd, (struct sockaddr *)&sa, &len) < 0)
		return (struct addr){.kind = ADDR_NONE};
	return addr_from_sockaddr(&sa);
}

/* Where it does not apply (unix, the simulation) the kernel refuses, and that is fine. */
void socket_tune(int fd, unsigned user_timeout_ms)
{
	set_flag(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (user_timeout_ms > 0)
		set_flag(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)user_timeout_ms);
}
