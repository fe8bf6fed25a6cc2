#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>

#include "io/mailbox.h"

enum { SENDERS = 4, MAILS = 20000 };

struct letter {
	struct mail mail;
	unsigned number;
};

static unsigned freed;

static void letter_free(struct mail *m)
{
	freed++;
	free(CONTAINER_OF(m, struct letter, mail));
}

static struct mail *letter_new(unsigned kind, unsigned number)
{
	struct letter *l = calloc(1, sizeof(*l));

	if (l == NULL)
		abort();
	l->mail = (struct mail){.kind = (uint16_t)kind, .free_fn = letter_free};
	l->number = number;
	return &l->mail;
}

struct reader {
	struct mailbox box;
	unsigned next[SENDERS];
	unsigned all, batches;
};

static void read_all(void *arg)
{
	struct reader *r = arg;
	struct mail *m = mailbox_drain(&r->box);

	r->batches += m != NULL;
	while (m != NULL) {
		struct mail *next = m->next;
		struct letter *l = CONTAINER_OF(m, struct letter, mail);

		assert_int_equal(l->number, r->next[m->kind]);
		r->next[m->kind]++;
		r->all++;
		free(l);
		m = next;
	}
}

struct sender {
	pthread_t thread;
	unsigned id;
	struct mailbox *box;
};

static void *send_all(void *arg)
{
	struct sender *s = arg;

	for (unsigned i = 0; i < MAILS; i++)
		mailbox_take(s->box, letter_new(s->id, i));
	return NULL;
}

/* A wake-up that got lost would leave the reader in a wait of a minute. */
static void test_threads(void **state)
{
	struct sys *sys = sys_linux_new();
	struct loop *l = loop_new(sys);
	struct reader r = {.all = 0};
	struct sender senders[SENDERS];

	(void)state;
	mailbox_init(&r.box, l);
	loop_set_hooks(l, (struct loop_hooks){.on_mail = read_all, .arg = &r});
	for (unsigned i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){.id = i, .box = &r.box};
		assert_int_equal(pthread_create(&senders[i].thread, NULL, send_all, &senders[i]),
				 0);
	}
	while (r.all < SENDERS * MAILS)
		assert_int_equal(loop_turn(l, 60 * 1000000), 0);
	for (unsigned i = 0; i < SENDERS; i++)
		assert_int_equal(pthread_join(senders[i].thread, NULL), 0);
	assert_null(mailbox_drain(&r.box));
	mailbox_fini(&r.box);
	loop_free(l);
	sys_linux_free(sys);
}

/* Two loops that answer each other, so that both fall asleep between mails. */
struct player {
	struct sys *sys;
	struct loop *loop;
	struct mailbox box;
	struct player *other;
	unsigned left;
};

static void hit_back(void *arg)
{
	struct player *p = arg;
	struct mail *m = mailbox_drain(&p->box);

	while (m != NULL) {
		struct mail *next = m->next;

		p->left--;
		mailbox_take(&p->other->box, m);
		m = next;
	}
}

static void *play(void *arg)
{
	struct player *p = arg;

	while (p->left > 0) {
		if (loop_turn(p->loop, 60 * 1000000) != 0)
			abort();
	}
	return NULL;
}

static void player_init(struct player *p, struct player *other)
{
	*p = (struct player){.sys = sys_linux_new(), .other = other, .left = 5000};
	p->loop = loop_new(p->sys);
	mailbox_init(&p->box, p->loop);
	loop_set_hooks(p->loop, (struct loop_hooks){.on_mail = hit_back, .arg = p});
}

static void player_fini(struct player *p)
{
	mailbox_fini(&p->box);
	loop_free(p->loop);
	sys_linux_free(p->sys);
}

static void test_ping_pong(void **state)
{
	struct player a, b;
	pthread_t thread;

	(void)state;
	freed = 0;
	player_init(&a, &b);
	player_init(&b, &a);
	mailbox_take(&a.box, letter_new(0, 0));
	assert_int_equal(pthread_create(&thread, NULL, play, &b), 0);
	(void)play(&a);
	assert_int_equal(pthread_join(thread, NULL), 0);
	player_fini(&a);
	player_fini(&b);
	assert_int_equal(freed, 1);
}

/* One wake for a batch; and mail before the first turn is seen in it. */
static unsigned wakes;
static void (*real_wake)(struct sys *sys);

static void counting_wake(struct sys *sys)
{
	wakes++;
	real_wake(sys);
}

static void test_one_wake_per_batch(void **state)
{
	struct sys *sys = sys_linux_new();
	struct sys_ops ops = *sys->ops;
	struct loop *l;
	struct reader r = {.all = 0};

	(void)state;
	real_wake = ops.wake;
	ops.wake = counting_wake;
	sys->ops = &ops;
	l = loop_new(sys);
	mailbox_init(&r.box, l);
	loop_set_hooks(l, (struct loop_hooks){.on_mail = read_all, .arg = &r});
	mailbox_take(&r.box, letter_new(0, 0));
	assert_int_equal(loop_turn(l, -1), 0);
	assert_int_equal(r.all, 1);
	assert_int_equal(wakes, 0);
	for (unsigned i = 1; i < 10; i++)
		mailbox_take(&r.box, letter_new(0, i));
	assert_int_equal(wakes, 1);
	assert_int_equal(loop_turn(l, -1), 0);
	assert_int_equal(r.all, 10);
	assert_int_equal(r.batches, 2);
	mailbox_fini(&r.box);
	loop_free(l);
	sys_linux_free(sys);
}

static void test_fini_frees(void **state)
{
	struct sys *sys = sys_linux_new();
	struct loop *l = loop_new(sys);
	struct mailbox box;
	struct mail on_stack = {.kind = 1};

	(void)state;
	freed = 0;
	mailbox_init(&box, l);
	mailbox_take(&box, letter_new(0, 0));
	mailbox_take(&box, &on_stack);
	mailbox_take(&box, letter_new(0, 1));
	mailbox_fini(&box);
	assert_int_equal(freed, 2);
	mailbox_fini(&box);
	loop_free(l);
	sys_linux_free(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_ping_pong),
		cmocka_unit_test(test_one_wake_per_batch),
		cmocka_unit_test(test_fini_frees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
