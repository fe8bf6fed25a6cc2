#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "network/log_ring.h"
#include "base/dice.h"

enum { LINES = 20000 };

static struct log_line line_of(uint32_t i)
{
	return (struct log_line){
		.at_us = i * 1000003ull, .level = (uint8_t)(i % 4), .cause = (uint8_t)(i % 251)};
}

static size_t text_of_line(char *ret, uint32_t i)
{
	uint64_t seed = i + 1;
	size_t n = dice(&seed, 3) == 0 ? dice(&seed, LOG_LINE_MAX + 1) : dice(&seed, 100);

	for (size_t k = 0; k < n; k++)
		ret[k] = (char)('a' + (i + k) % 26);
	return n;
}

static bool put(struct log_ring *r, uint32_t i)
{
	char text[LOG_LINE_MAX];
	size_t n = text_of_line(text, i);

	return log_ring_put(r, line_of(i), slice_of(text, n));
}

static void expect(const struct log_line *got, const char *text, uint32_t i)
{
	char want[LOG_LINE_MAX];
	struct log_line line = line_of(i);

	assert_int_equal(got->len, text_of_line(want, i));
	assert_memory_equal(text, want, got->len);
	assert_true(got->at_us == line.at_us);
	assert_int_equal(got->level, line.level);
	assert_int_equal(got->cause, line.cause);
}

/* Many times around, nearly full and nearly empty; also over the end of the 32-bit counts. */
static void test_wraps_around(void **state)
{
	static const uint32_t starts[] = {0, LOG_RING_BYTES - 3, UINT32_MAX - 100000};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		char text[LOG_LINE_MAX];
		uint32_t in = 0, out = 0;
		uint64_t seed = 6;
		struct log_line line;
		struct log_ring r;

		assert_true(log_ring_init(&r));
		r.head = r.tail = starts[k];
		while (out < LINES) {
			for (unsigned n = dice(&seed, 3000); n > 0 && put(&r, in); n--)
				in++;
			for (unsigned n = dice(&seed, 3000);
			     n > 0 && log_ring_take(&r, &line, text); n--)
				expect(&line, text, out++);
		}
		while (log_ring_take(&r, &line, text))
			expect(&line, text, out++);
		assert_int_equal(in, out);
		log_ring_fini(&r);
	}
}

/* Full: the line is refused whole, and one that is taken makes room again. */
static void test_full(void **state)
{
	char text[LOG_LINE_MAX] = {0};
	struct log_line line;
	struct log_ring r;
	unsigned n = 0;

	(void)state;
	assert_true(log_ring_init(&r));
	while (log_ring_put(&r, (struct log_line){0}, slice_of(text, LOG_LINE_MAX)))
		n++;
	assert_int_equal(n, LOG_RING_BYTES / (LOG_LINE_MAX + sizeof(struct log_line)));
	assert_false(log_ring_put(&r, (struct log_line){0}, slice_of(text, LOG_LINE_MAX)));
	assert_true(log_ring_take(&r, &line, text));
	assert_true(log_ring_put(&r, (struct log_line){0}, slice_of(text, LOG_LINE_MAX)));
	while (n-- > 0)
		assert_true(log_ring_take(&r, &line, text));
	assert_false(log_ring_take(&r, &line, text));
	log_ring_fini(&r);
}

static void test_lengths(void **state)
{
	char text[LOG_LINE_MAX + 200], got[LOG_LINE_MAX];
	struct log_line line;
	struct log_ring r;

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_true(log_ring_init(&r));
	assert_true(log_ring_put(&r, (struct log_line){.at_us = 5}, (struct slice){0}));
	assert_true(log_ring_put(&r, (struct log_line){0}, slice_of(text, sizeof(text))));
	assert_true(log_ring_take(&r, &line, got));
	assert_int_equal(line.len, 0);
	assert_int_equal(line.at_us, 5);
	assert_true(log_ring_take(&r, &line, got));
	assert_int_equal(line.len, LOG_LINE_MAX);
	assert_memory_equal(got, text, LOG_LINE_MAX);
	log_ring_fini(&r);
}

static void *write_lines(void *arg)
{
	for (uint32_t i = 0; i < LINES;) {
		if (put(arg, i))
			i++;
		else
			(void)sched_yield();
	}
	return NULL;
}

/* A writer and a reader at the same time: every line once, whole, in order. */
static void test_two_threads(void **state)
{
	char text[LOG_LINE_MAX];
	struct log_line line;
	struct log_ring r;
	pthread_t writer;

	(void)state;
	assert_true(log_ring_init(&r));
	assert_int_equal(pthread_create(&writer, NULL, write_lines, &r), 0);
	for (uint32_t i = 0; i < LINES;) {
		if (log_ring_take(&r, &line, text))
			expect(&line, text, i++);
		else
			(void)sched_yield();
	}
	assert_int_equal(pthread_join(writer, NULL), 0);
	assert_false(log_ring_take(&r, &line, text));
	log_ring_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wraps_around),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
