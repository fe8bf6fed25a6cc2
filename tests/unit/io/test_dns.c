#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/dns.h"

/*
 * A name server on loopback, in the same loop. Names say what they get: NAME.test is
 *   both   A 10.1.2.3 ttl 300, AAAA fd00::5 ttl 60        four   A only
 *   many   12 A records                                     alias  CNAME to four, ttl 7
 *   none   exists, no address                               gone   NXDOMAIN
 *   broken SERVFAIL                                         silent no answer
 */
enum { TYPE_A = 1, TYPE_CNAME = 5, TYPE_AAAA = 28, NXDOMAIN = 3, SERVFAIL = 2, HEAD = 12 };

struct server {
	struct poll poll;
	struct loop *loop;
	unsigned asked;
	char at[32];
};

struct wire {
	uint8_t p[1024];
	size_t len;
};

static void put16(struct wire *w, unsigned v)
{
	w->p[w->len++] = (uint8_t)(v >> 8);
	w->p[w->len++] = (uint8_t)v;
}

/* One record for the name in the question. */
static void put_record(struct wire *w, unsigned type, unsigned ttl, const void *data, size_t n)
{
	put16(w, 0xC000 | HEAD);
	put16(w, type);
	put16(w, 1);
	put16(w, 0);
	put16(w, ttl);
	put16(w, (unsigned)n);
	memcpy(w->p + w->len, data, n);
	w->len += n;
	w->p[7]++; /* answer count */
}

static const uint8_t ip4[4] = {10, 1, 2, 3};
static const uint8_t ip6[16] = {0xFD, [15] = 5};

static void answer_alias(struct wire *w, unsigned type)
{
	static const char target[] = "\4four\4test";

	put_record(w, TYPE_CNAME, 7, target, sizeof(target));
	if (type != TYPE_A)
		return;
	/* The record belongs to the target, which stands in the CNAME's data. */
	size_t at = w->len;
	put_record(w, TYPE_A, 99, ip4, sizeof(ip4));
	w->p[at + 1] = (uint8_t)(at - sizeof(target));
}

static void answer_many(struct wire *w, unsigned type)
{
	for (uint8_t i = 0; i < 12 && type == TYPE_A; i++) {
		const uint8_t ip[4] = {10, 0, 0, i};

		put_record(w, TYPE_A, 20 + i, ip, sizeof(ip));
	}
}

/* False: no answer at all. */
static bool answer(struct wire *w, const char *label, unsigned type)
{
	bool both = strcmp(label, "both") == 0;

	if (strcmp(label, "silent") == 0)
		return false;
	if (strcmp(label, "gone") == 0)
		w->p[3] |= NXDOMAIN;
	if (strcmp(label, "broken") == 0)
		w->p[3] |= SERVFAIL;
	if (strcmp(label, "many") == 0)
		answer_many(w, type);
	if (strcmp(label, "alias") == 0)
		answer_alias(w, type);
	if (type == TYPE_A && (both || strcmp(label, "four") == 0))
		put_record(w, TYPE_A, 300, ip4, sizeof(ip4));
	if (type == TYPE_AAAA && both)
		put_record(w, TYPE_AAAA, 60, ip6, sizeof(ip6));
	return true;
}

static void server_on_ready(struct poll *p, unsigned events)
{
	struct server *s = CONTAINER_OF(p, struct server, poll);
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	struct wire w = {0};
	char label[64];
	ssize_t n = recvfrom(p->fd, w.p, sizeof(w.p), 0, (struct sockaddr *)&from, &len);

	(void)events;
	if (n < HEAD)
		return;
	s->asked++;
	memcpy(label, w.p + HEAD + 1, w.p[HEAD]);
	label[w.p[HEAD]] = 0;
	/* The question stays, what else there is (EDNS) goes. */
	w.len = HEAD;
	while (w.p[w.len] != 0)
		w.len += w.p[w.len] + 1U;
	w.len += 5;
	unsigned type = w.p[w.len - 3];
	w.p[2] = 0x84;
	w.p[3] = 0x80;
	memset(w.p + 6, 0, 6);
	if (answer(&w, label, type))
		(void)sendto(p->fd, w.p, w.len, 0, (struct sockaddr *)&from, len);
}

static void server_open(struct server *s, struct loop *l)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*s = (struct server){.poll = {.on_ready = server_on_ready}, .loop = l};
	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	assert_int_equal(poll_open(l, &s->poll, fd, SYS_IN), 0);
	(void)snprintf(s->at, sizeof(s->at), "127.0.0.1:%u", ntohs(at.sin_port));
}

struct fixture {
	struct sys *sys;
	struct loop *loop;
	struct server server;
	struct dns *dns;
};

static void begin_with(struct fixture *f, unsigned first_timeout_ms)
{
	f->sys = sys_linux_new();
	f->loop = loop_new(f->sys);
	server_open(&f->server, f->loop);
	f->dns = dns_new_patient(f->loop, f->server.at, (struct dns_patience){first_timeout_ms, 2});
	assert_non_null(f->dns);
}

static void begin(struct fixture *f)
{
	begin_with(f, 20);
}

static void end(struct fixture *f)
{
	dns_free(f->dns);
	assert_int_equal(loop_turn(f->loop, 0), 0);
	poll_close(f->loop, &f->server.poll);
	close(f->server.poll.fd);
	assert_true(loop_next_due_us(f->loop) == UINT64_MAX);
	loop_free(f->loop);
	sys_linux_free(f->sys);
}

struct question {
	struct dns_query query;
	struct dns_answer got;
	unsigned answers;
	struct dns *ask_again;
};

static void on_answer(struct dns_query *q, const struct dns_answer *a)
{
	struct question *question = CONTAINER_OF(q, struct question, query);
	struct dns *again = question->ask_again;

	assert_false(q->running);
	question->answers++;
	question->got = *a;
	question->ask_again = NULL;
	if (again != NULL)
		dns_ask(again, q, "four.test");
}

static void ask(struct fixture *f, struct question *q, const char *name)
{
	*q = (struct question){.query = {.on_answer = on_answer}};
	dns_ask(f->dns, &q->query, name);
	for (int i = 0; i < 5000 && q->query.running; i++)
		assert_int_equal(loop_turn(f->loop, 10000), 0);
	assert_int_equal(q->answers, 1);
	if (q->got.error != NULL)
		assert_int_equal(q->got.n, 0);
	else
		assert_true(q->got.n > 0);
}

static bool has(const struct dns_answer *a, enum addr_kind kind, const uint8_t *ip, size_t n)
{
	for (unsigned i = 0; i < a->n; i++) {
		if (a->addrs[i].kind == kind && memcmp(a->addrs[i].ip, ip, n) == 0)
			return a->addrs[i].port == 0;
	}
	return false;
}

static void test_answers(void **state)
{
	struct fixture f;
	struct question q;

	(void)state;
	begin(&f);
	ask(&f, &q, "both.test");
	assert_int_equal(q.got.n, 2);
	assert_true(has(&q.got, ADDR_IP4, ip4, 4));
	assert_true(has(&q.got, ADDR_IP6, ip6, 16));
	assert_int_equal(q.got.ttl_s, 60);
	ask(&f, &q, "four.test");
	assert_int_equal(q.got.n, 1);
	assert_true(has(&q.got, ADDR_IP4, ip4, 4));
	assert_int_equal(q.got.ttl_s, 300);
	ask(&f, &q, "many.test");
	assert_int_equal(q.got.n, DNS_ADDRS_MAX);
	end(&f);
}

static void test_alias(void **state)
{
	struct fixture f;
	struct question q;

	(void)state;
	begin(&f);
	ask(&f, &q, "alias.test");
	assert_int_equal(q.got.n, 1);
	assert_true(has(&q.got, ADDR_IP4, ip4, 4));
	assert_int_equal(q.got.ttl_s, 7);
	end(&f);
}

static void test_errors(void **state)
{
	static const struct {
		const char *name, *error;
	} rows[] = {
		{"gone.test", "no such name"},
		{"none.test", "the name has no address"},
		{"silent.test", "no name server answers"},
	};
	struct fixture f;
	struct question q;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ask(&f, &q, rows[i].name);
		assert_non_null(q.got.error);
		assert_string_equal(q.got.error, rows[i].error);
	}
	ask(&f, &q, "broken.test");
	assert_non_null(q.got.error);
	end(&f);
}

/* A server that does not answer is asked again, later each time, and the loop sleeps meanwhile. */
static void test_patience(void **state)
{
	struct fixture f;
	struct question q;
	uint64_t start_us;

	(void)state;
	begin(&f);
	start_us = f.sys->ops->now_us(f.sys);
	ask(&f, &q, "silent.test");
	assert_true(f.sys->ops->now_us(f.sys) - start_us >= (20 + 40) * US_PER_MS);
	assert_int_equal(f.server.asked, 4); /* two tries for A and AAAA */
	end(&f);
}

static void test_without_a_server(void **state)
{
	struct fixture f;
	struct question q;

	(void)state;
	begin(&f);
	dns_free(f.dns);
	f.dns = dns_new_patient(f.loop, "127.0.0.1:1", (struct dns_patience){20, 2});
	assert_non_null(f.dns);
	ask(&f, &q, "four.test");
	assert_non_null(q.got.error);
	end(&f);
}

/* Literals and /etc/hosts need no server. */
static void test_local_names(void **state)
{
	static const uint8_t localhost[4] = {127, 0, 0, 1}, literal[4] = {192, 0, 2, 1};
	struct fixture f;
	struct question q;

	(void)state;
	begin(&f);
	ask(&f, &q, "192.0.2.1");
	assert_true(has(&q.got, ADDR_IP4, literal, 4));
	ask(&f, &q, "fd00::5");
	assert_true(has(&q.got, ADDR_IP6, ip6, 16));
	ask(&f, &q, "localhost");
	assert_true(has(&q.got, ADDR_IP4, localhost, 4));
	assert_int_equal(q.got.ttl_s, 0);
	assert_int_equal(f.server.asked, 0);
	end(&f);
}

static void test_odd_names(void **state)
{
	static char long_label[300];
	static const char *const names[] = {"",     "..",       "a..b", "-",
					    "%s%n", "\xFF\xFE", "a b",  long_label};
	struct fixture f;
	struct question q;

	(void)state;
	memset(long_label, 'x', sizeof(long_label) - 1);
	begin(&f);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		ask(&f, &q, names[i]);
	end(&f);
}

/* Many at once, one of them dead: the others do not wait for it. */
static void test_others_do_not_wait(void **state)
{
	enum { N = 50 };
	struct fixture f;
	static struct question q[N];
	struct question dead = {.query = {.on_answer = on_answer}};
	unsigned left = N;

	(void)state;
	begin_with(&f, 30000);
	dns_ask(f.dns, &dead.query, "silent.test");
	for (int i = 0; i < N; i++) {
		q[i] = (struct question){.query = {.on_answer = on_answer}};
		dns_ask(f.dns, &q[i].query, "both.test");
	}
	while (left > 0) {
		assert_int_equal(loop_turn(f.loop, 10000), 0);
		left = 0;
		for (int i = 0; i < N; i++)
			left += q[i].query.running;
	}
	assert_true(dead.query.running);
	for (int i = 0; i < N; i++)
		assert_int_equal(q[i].got.n, 2);
	end(&f);
	assert_int_equal(dead.answers, 1);
	assert_string_equal(dead.got.error, "shutting down");
}

static void test_ask_from_an_answer(void **state)
{
	struct fixture f;
	struct question q = {.query = {.on_answer = on_answer}};

	(void)state;
	begin(&f);
	q.ask_again = f.dns;
	dns_ask(f.dns, &q.query, "gone.test");
	while (q.query.running)
		assert_int_equal(loop_turn(f.loop, 10000), 0);
	assert_int_equal(q.answers, 2);
	assert_null(q.got.error);
	/* And while it is being freed: answered, not queued. */
	q.ask_again = f.dns;
	dns_ask(f.dns, &q.query, "silent.test");
	end(&f);
	assert_int_equal(q.answers, 4);
	assert_string_equal(q.got.error, "shutting down");
}

static void test_bad_servers(void **state)
{
	struct sys *sys = sys_linux_new();
	struct loop *l = loop_new(sys);

	(void)state;
	struct dns *system_servers = dns_new(l, NULL);

	assert_null(dns_new(l, "not an address"));
	assert_non_null(system_servers);
	dns_free(system_servers);
	dns_free(NULL);
	loop_free(l);
	sys_linux_free(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_alias),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_patience),
		cmocka_unit_test(test_without_a_server),
		cmocka_unit_test(test_local_names),
		cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_others_do_not_wait),
		cmocka_unit_test(test_ask_from_an_answer),
		cmocka_unit_test(test_bad_servers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
