#include "network/logbook.h"

#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/format.h"

static const char *const level_names[] = {
	[LOG_DEBUG] = "debug", [LOG_INFO] = "info", [LOG_WARN] = "warn", [LOG_ERROR] = "error"};

uint64_t wall_clock_us(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

void logbook_init(struct logbook *lb, int fd, enum log_level level)
{
	*lb = (struct logbook){.fd = fd, .level = level};
}

static bool can_write(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) == 1;
}

/* Never waits: a line is shorter than what a pipe that can be written takes at once. */
static void put(struct logbook *lb, uint64_t at_us, unsigned level, struct slice body)
{
	char memory[LOG_LINE_MAX + 128];
	struct text t = text_of(memory, sizeof(memory) - 1);
	time_t s = (time_t)(at_us / 1000000);
	struct tm tm;

	if (!can_write(lb->fd)) {
		lb->lost++;
		return;
	}
	(void)gmtime_r(&s, &tm);
	text_printf(&t, "time=%04d-%02d-%02dT%02d:%02d:%02d.%03uZ level=%s ", tm.tm_year + 1900,
		    tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		    (unsigned)(at_us / 1000 % 1000), level_names[level]);
	text_put(&t, body);
	memory[t.len] = '\n';
	/* A terminal that is gone is no reason to end: the line is lost, nothing else. */
	if (write(lb->fd, memory, t.len + 1) < 0)
		return;
}

static void put_count(struct logbook *lb, unsigned cause, uint64_t at_us)
{
	char memory[160];
	struct text t = text_of(memory, sizeof(memory));
	uint32_t n = lb->causes[cause].n - LOG_SAME_MAX;

	text_printf(&t, "msg=\"%u more of the same in 10s\" cause=%s count=%u", n,
		    cause < lb->cause_n && lb->cause_names[cause] != NULL ? lb->cause_names[cause]
									  : "other",
		    n);
	put(lb, at_us, LOG_INFO, slice_of(memory, t.len));
}

static void put_lost(struct logbook *lb, uint64_t at_us)
{
	char memory[96];
	struct text t = text_of(memory, sizeof(memory));

	if (lb->lost == 0 || !can_write(lb->fd))
		return;
	text_printf(&t, "msg=\"log lines lost: their reader was too slow\" count=%u", lb->lost);
	lb->lost = 0;
	put(lb, at_us, LOG_WARN, slice_of(memory, t.len));
}

static void close_window(struct logbook *lb, unsigned cause, uint64_t at_us)
{
	struct log_cause *c = &lb->causes[cause];

	if (c->n > LOG_SAME_MAX)
		put_count(lb, cause, at_us);
	c->n = 0;
}

/* Also when the wall clock was set back by more than a window: no cause is mute for hours. */
static bool window_is_over(const struct log_cause *c, uint64_t at_us)
{
	return c->n > 0 && (at_us >= c->since_us + LOG_SAME_WINDOW_US ||
			    at_us + LOG_SAME_WINDOW_US <= c->since_us);
}

static bool is_one_too_many(struct logbook *lb, unsigned cause, uint64_t at_us)
{
	struct log_cause *c = &lb->causes[cause];

	if (cause == 0)
		return false;
	if (window_is_over(c, at_us))
		close_window(lb, cause, at_us);
	if (c->n++ == 0)
		c->since_us = at_us;
	return c->n > LOG_SAME_MAX;
}

void logbook_write(struct logbook *lb, const struct log_line *line, struct slice text)
{
	if (line->level < lb->level || is_one_too_many(lb, line->cause, line->at_us))
		return;
	put(lb, line->at_us, line->level, text);
}

void logbook_drain(struct logbook *lb, struct log_ring *from)
{
	char text[LOG_LINE_MAX];
	struct log_line line;

	while (can_write(lb->fd) && log_ring_take(from, &line, text))
		logbook_write(lb, &line, slice_of(text, line.len));
}

void logbook_tick(struct logbook *lb, uint64_t wall_us)
{
	put_lost(lb, wall_us);
	for (unsigned i = 1; i < LOG_CAUSES; i++) {
		if (window_is_over(&lb->causes[i], wall_us))
			close_window(lb, i, wall_us);
	}
}

void logbook_finish(struct logbook *lb, uint64_t wall_us)
{
	put_lost(lb, wall_us);
	for (unsigned i = 1; i < LOG_CAUSES; i++)
		close_window(lb, i, wall_us);
}
