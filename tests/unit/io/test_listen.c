#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/listen.h"

static const struct addr loopback = {.kind = ADDR_IP4, .ip = {127, 0, 0, 1}};

static bool can_connect(const struct addr *to)
{
	struct sockaddr_storage sa;
	socklen_t len = addr_to_sockaddr(to, &sa);
	int fd = socket(sa.ss_family, SOCK_STREAM, 0);
	bool ok = connect(fd, (struct sockaddr *)&sa, len) == 0;

	close(fd);
	return ok;
}

static void test_tcp(void **state)
{
	int fd = listen_tcp(&loopback, false);
	struct addr at;

	(void)state;
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	at = listen_addr(fd);
	assert_int_equal(at.kind, ADDR_IP4);
	assert_int_not_equal(at.port, 0);
	assert_true(can_connect(&at));
	assert_int_equal(listen_tcp(&at, false), -EADDRINUSE);
	close(fd);
}

/* A restart at once: connections that this side closed first are still in TIME_WAIT. */
static void test_binds_again_over_time_wait(void **state)
{
	int fd = listen_tcp(&loopback, false), client, server;
	struct addr at = listen_addr(fd);
	struct sockaddr_storage sa;
	socklen_t len = addr_to_sockaddr(&at, &sa);
	char c;

	(void)state;
	client = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&sa, len), 0);
	server = accept(fd, NULL, NULL);
	assert_true(server >= 0);
	close(server);
	assert_int_equal(read(client, &c, 1), 0);
	close(client);
	close(fd);
	fd = listen_tcp(&at, false);
	assert_true(fd >= 0);
	close(fd);
}

static void test_reuse_port(void **state)
{
	int a = listen_tcp(&loopback, true), b;
	struct addr at = listen_addr(a);

	(void)state;
	b = listen_tcp(&at, true);
	assert_true(b >= 0);
	close(a);
	assert_true(can_connect(&at));
	close(b);
}

static void test_probe_sees_shared_listeners(void **state)
{
	int fd = listen_tcp(&loopback, true);
	struct addr at = listen_addr(fd);

	(void)state;
	assert_int_equal(listen_tcp_probe(&at), -EADDRINUSE);
	close(fd);
	assert_int_equal(listen_tcp_probe(&at), 0);
	assert_int_equal(listen_tcp_probe(&at), 0); /* it keeps nothing */
}

static void test_ip6_takes_both(void **state)
{
	struct addr any = {.kind = ADDR_IP6};
	int fd = listen_tcp(&any, false);
	struct addr at = loopback;

	(void)state;
	if (fd == -EAFNOSUPPORT)
		skip(); /* a kernel without IPv6 */
	assert_true(fd >= 0);
	at.port = listen_addr(fd).port;
	assert_true(can_connect(&at));
	close(fd);
}

static void test_refuses_other_kinds(void **state)
{
	struct addr none = {.kind = ADDR_NONE}, un = {.kind = ADDR_UNIX};

	(void)state;
	assert_int_equal(listen_tcp(&none, false), -EAFNOSUPPORT);
	assert_int_equal(listen_tcp(&un, false), -EAFNOSUPPORT);
	assert_int_equal(listen_addr(-1).kind, ADDR_NONE);
}

static char dir[32], path[64];

static int make_dir(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof(dir), "/tmp/test-listen-XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/socket", dir);
	return 0;
}

static int drop_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void test_unix_replaces_only_the_dead(void **state)
{
	int fd = listen_unix(path), next;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(listen_addr(fd).kind, ADDR_UNIX);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(listen_unix(path), -EADDRINUSE);
	close(fd); /* the file stays, and is dead */
	next = listen_unix(path);
	assert_true(next >= 0);
	assert_int_equal(listen_unix(path), -EADDRINUSE);
	close(next);
}

/* A backlog that is full is no corpse. */
static void test_unix_with_a_full_backlog_is_alive(void **state)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), clients[3];

	(void)state;
	(void)snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	assert_int_equal(listen(fd, 0), 0);
	for (int i = 0; i < 3; i++) {
		clients[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(clients[i], (struct sockaddr *)&un, sizeof(un));
	}
	assert_int_equal(listen_unix(path), -EADDRINUSE);
	for (int i = 0; i < 3; i++)
		close(clients[i]);
	close(fd);
}

static void test_unix_keeps_other_files(void **state)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	struct stat st;

	(void)state;
	assert_int_equal(write(fd, "precious", 8), 8);
	close(fd);
	assert_int_equal(listen_unix(path), -ENOTSOCK);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 8);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(listen_unix(path), -ENOTSOCK);
}

static void test_unix_mode(void **state)
{
	static const mode_t masks[] = {0, 022, 077, 0177};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(masks); i++) {
		mode_t kept = umask(masks[i]);
		int fd = listen_unix(path);
		struct stat st;

		umask(kept);
		assert_true(fd >= 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0666 & ~masks[i]);
		close(fd);
		unlink(path);
	}
}

static void test_unix_bad_paths(void **state)
{
	char long_path[ADDR_UNIX_PATH_MAX + 1];

	(void)state;
	memset(long_path, 'x', sizeof(long_path));
	long_path[ADDR_UNIX_PATH_MAX] = 0;
	assert_int_equal(listen_unix(""), -EINVAL);
	assert_int_equal(listen_unix(long_path), -ENAMETOOLONG);
	assert_int_equal(listen_unix("/nonexistent/socket"), -ENOENT);
}

static unsigned tcp_option(int fd, int name)
{
	unsigned value = 0;
	socklen_t len = sizeof(value);

	assert_int_equal(getsockopt(fd, IPPROTO_TCP, name, &value, &len), 0);
	return value;
}

static void test_tune(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), pair[2];

	(void)state;
	socket_tune(fd, 30000);
	assert_int_not_equal(tcp_option(fd, TCP_NODELAY), 0);
	assert_int_equal(tcp_option(fd, TCP_USER_TIMEOUT), 30000);
	close(fd);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	socket_tune(pair[0], 30000);
	assert_int_equal(write(pair[0], "x", 1), 1);
	socket_tune(-1, 1);
	close(pair[0]);
	close(pair[1]);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, drop_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_binds_again_over_time_wait),
		cmocka_unit_test(test_reuse_port),
		cmocka_unit_test(test_probe_sees_shared_listeners),
		cmocka_unit_test(test_ip6_takes_both),
		cmocka_unit_test(test_refuses_other_kinds),
		IN_DIR(test_unix_replaces_only_the_dead),
		IN_DIR(test_unix_with_a_full_backlog_is_alive),
		IN_DIR(test_unix_keeps_other_files),
		IN_DIR(test_unix_mode),
		IN_DIR(test_unix_bad_paths),
		cmocka_unit_test(test_tune),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
