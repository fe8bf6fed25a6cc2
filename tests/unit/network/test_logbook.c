#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "network/logbook.h"

enum { S = 1000000 };

/* 2026-03-04T05:06:07.089Z */
#define AT 1772600767089000ull

static const char *const causes[] = {NULL, "gone", NULL, "bad"};

struct rig {
	struct logbook book;
	int read_fd;
	char got[65536];
};

static void begin(struct rig *r, enum log_level level)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	r->read_fd = fds[0];
	logbook_init(&r->book, fds[1], level);
	r->book.cause_names = causes;
	r->book.cause_n = COUNT_OF(causes);
}

static void finish(struct rig *r)
{
	close(r->read_fd);
	close(r->book.fd);
}

/* What was written since the last call. */
static const char *written(struct rig *r)
{
	ssize_t n = read(r->read_fd, r->got, sizeof(r->got) - 1);

	r->got[n > 0 ? n : 0] = '\0';
	return r->got;
}

static unsigned lines(struct rig *r)
{
	unsigned n = 0;

	for (const char *p = written(r); *p != '\0'; p++)
		n += *p == '\n';
	return n;
}

static void say(struct rig *r, enum log_level level, uint8_t cause, uint64_t at_us)
{
	struct log_line line = {.at_us = at_us, .level = (uint8_t)level, .cause = cause};

	logbook_write(&r->book, &line, SLICE_LIT("msg=hello"));
}

static void test_a_line(void **state)
{
	static struct rig r;

	(void)state;
	begin(&r, LOG_INFO);
	say(&r, LOG_INFO, 0, AT);
	assert_string_equal(written(&r), "time=2026-03-04T05:06:07.089Z level=info msg=hello\n");
	say(&r, LOG_WARN, 0, AT);
	assert_string_equal(written(&r), "time=2026-03-04T05:06:07.089Z level=warn msg=hello\n");
	say(&r, LOG_ERROR, 0, 999999);
	assert_string_equal(written(&r), "time=1970-01-01T00:00:00.999Z level=error msg=hello\n");
	say(&r, LOG_DEBUG, 0, AT);
	assert_string_equal(written(&r), "");
	finish(&r);
}

/* The longest line is whole, and ends in one line end. */
static void test_long_line(void **state)
{
	static char text[LOG_LINE_MAX];
	static struct rig r;
	struct log_line line = {.at_us = AT, .level = LOG_INFO};
	size_t n;

	(void)state;
	memset(text, 'x', sizeof(text));
	begin(&r, LOG_DEBUG);
	logbook_write(&r.book, &line, slice_of(text, sizeof(text)));
	n = strlen(written(&r));
	assert_int_equal(n, strlen("time=2026-03-04T05:06:07.089Z level=info ") + LOG_LINE_MAX + 1);
	assert_int_equal(r.got[n - 1], '\n');
	finish(&r);
}

static void test_same_cause(void **state)
{
	static struct rig r;

	(void)state;
	begin(&r, LOG_INFO);
	for (unsigned i = 0; i < 100; i++)
		say(&r, LOG_WARN, 1, AT + i);
	assert_int_equal(lines(&r), LOG_SAME_MAX);
	/* Other causes, and lines without one, are not held back. */
	for (unsigned i = 0; i < 20; i++)
		say(&r, LOG_WARN, 0, AT + i);
	say(&r, LOG_WARN, 3, AT);
	assert_int_equal(lines(&r), 21);
	logbook_tick(&r.book, AT + 10ull * S - 1);
	assert_int_equal(lines(&r), 0);
	logbook_tick(&r.book, AT + 10ull * S);
	assert_string_equal(written(&r),
			    "time=2026-03-04T05:06:17.089Z level=info msg=\"95 more of the same in "
			    "10s\" cause=gone count=95\n");
	/* And then it begins anew. */
	for (unsigned i = 0; i < 6; i++)
		say(&r, LOG_WARN, 1, AT + 11ull * S);
	assert_int_equal(lines(&r), LOG_SAME_MAX);
	finish(&r);
}

/* Without a tick the next line of the cause closes the window: the count stands before it. */
static void test_window_closed_by_a_line(void **state)
{
	static struct rig r;

	(void)state;
	begin(&r, LOG_INFO);
	for (unsigned i = 0; i < 7; i++)
		say(&r, LOG_WARN, 2, AT);
	assert_int_equal(lines(&r), 5);
	say(&r, LOG_WARN, 2, AT + 12ull * S);
	assert_non_null(strstr(written(&r), "cause=other count=2\n"));
	assert_non_null(strstr(r.got, "level=warn msg=hello\n"));
	/* Five and no more: there is nothing to count. */
	for (unsigned i = 0; i < 4; i++)
		say(&r, LOG_WARN, 2, AT + 12ull * S);
	(void)written(&r);
	logbook_tick(&r.book, AT + 60ull * S);
	assert_int_equal(lines(&r), 0);
	finish(&r);
}

/* Lines below the level count for nothing. */
static void test_level_comes_first(void **state)
{
	static struct rig r;

	(void)state;
	begin(&r, LOG_WARN);
	for (unsigned i = 0; i < 50; i++)
		say(&r, LOG_INFO, 1, AT);
	say(&r, LOG_WARN, 1, AT);
	assert_int_equal(lines(&r), 1);
	logbook_tick(&r.book, AT + 20ull * S);
	assert_int_equal(lines(&r), 0);
	finish(&r);
}

/* A wall clock that was set back made a cause mute until it had caught up. */
static void test_clock_set_back(void **state)
{
	static struct rig r;

	(void)state;
	begin(&r, LOG_INFO);
	for (unsigned i = 0; i < 7; i++)
		say(&r, LOG_WARN, 1, AT);
	assert_int_equal(lines(&r), 5);
	say(&r, LOG_WARN, 1, AT - 1000); /* workers' lines cross a little: the same window */
	assert_int_equal(lines(&r), 0);
	say(&r, LOG_WARN, 1, AT - 3600ull * S);
	assert_int_equal(lines(&r), 2);
	finish(&r);
}

/* At the end every count is written, with a time of its own. */
static void test_finish(void **state)
{
	static struct rig r;

	(void)state;
	begin(&r, LOG_INFO);
	for (unsigned i = 0; i < 8; i++)
		say(&r, LOG_WARN, 3, AT);
	assert_int_equal(lines(&r), 5);
	logbook_finish(&r.book, AT + S);
	assert_string_equal(written(&r),
			    "time=2026-03-04T05:06:08.089Z level=info msg=\"3 more of the same in "
			    "10s\" cause=bad count=3\n");
	finish(&r);
}

/* A descriptor that takes nothing keeps lines in the ring; one that is gone loses them, and nothing
 * else. */
static void test_drain(void **state)
{
	static struct rig r;
	struct log_ring ring;
	struct log_line line = {.at_us = AT, .level = LOG_INFO};
	static char text[LOG_LINE_MAX];
	unsigned in = 0, out = 0;

	(void)state;
	memset(text, 'y', sizeof(text));
	begin(&r, LOG_INFO);
	assert_true(log_ring_init(&ring));
	assert_true(fcntl(r.book.fd, F_SETPIPE_SZ, 4096) >= 4096);
	while (log_ring_put(&ring, line, slice_of(text, 1000)))
		in++;
	logbook_drain(&r.book, &ring);
	assert_true(ring.head != ring.tail);
	while (ring.head != ring.tail) {
		out += lines(&r);
		logbook_drain(&r.book, &ring);
	}
	out += lines(&r);
	assert_int_equal(in, out);
	log_ring_fini(&ring);
	finish(&r);
}

/* Nobody reads the pipe, and it blocks: writing to it would end the test by its time limit. */
static void test_full_pipe(void **state)
{
	static struct rig r;

	(void)state;
	begin(&r, LOG_INFO);
	assert_int_equal(fcntl(r.book.fd, F_SETPIPE_SZ, 4096), 4096);
	assert_int_equal(fcntl(r.book.fd, F_SETFL, 0), 0);
	for (unsigned i = 0; i < 2000; i++)
		say(&r, LOG_INFO, 0, AT);
	logbook_tick(&r.book, AT + 1);
	logbook_finish(&r.book, AT + 2);
	assert_in_range(r.book.lost, 1, 1999);
	assert_int_equal(lines(&r) + r.book.lost, 2000);
	logbook_tick(&r.book, AT + 3);
	assert_non_null(strstr(written(&r), " level=warn msg=\"log lines lost: "));
	assert_int_equal(r.book.lost, 0);
	logbook_tick(&r.book, AT + 4);
	assert_string_equal(written(&r), "");
	finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_same_cause),
		cmocka_unit_test(test_window_closed_by_a_line),
		cmocka_unit_test(test_level_comes_first),
		cmocka_unit_test(test_clock_set_back),
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_full_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
