#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/list.h"

enum { N = 5 };

struct item {
	int name;
	struct list_node node;
};

struct rig {
	struct list_node a, b;
	struct item v[N];
};

static void begin(struct rig *r)
{
	list_init(&r->a);
	list_init(&r->b);
	for (int i = 0; i < N; i++) {
		r->v[i].name = i;
		list_init(&r->v[i].node);
		list_append(&r->a, &r->v[i].node);
	}
}

/* The names in order, as decimal digits: 0 for none, with a 1 in front. Also walks backwards. */
static int names(struct list_node *head)
{
	int forth = 1, back = 0, n = 0, scale = 1;

	LIST_EACH(at, head)
	{
		forth = forth * 10 + LIST_ENTRY(at, struct item, node)->name;
		n++;
	}
	for (struct list_node *at = head->prev; at != head; at = at->prev) {
		back += scale * LIST_ENTRY(at, struct item, node)->name;
		scale *= 10;
	}
	assert_int_equal(forth, back + scale);
	assert_int_equal(list_is_empty(head), n == 0);
	return forth;
}

static void test_append_remove_move(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	assert_int_equal(names(&r.a), 101234);
	list_remove(&r.v[2].node);
	list_remove(&r.v[2].node); /* harmless */
	assert_int_equal(names(&r.a), 10134);
	list_move(&r.v[0].node, &r.a);
	assert_int_equal(names(&r.a), 11340);
	list_move(&r.v[2].node, &r.b);
	list_move(&r.v[4].node, &r.b);
	assert_int_equal(names(&r.a), 1130);
	assert_int_equal(names(&r.b), 124);
}

static void test_take_first(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	for (int i = 0; i < N; i++) {
		struct list_node *n = list_take_first(&r.a);

		assert_ptr_equal(n, &r.v[i].node);
		assert_true(list_is_empty(&r.v[i].node)); /* it is in no list now */
	}
	assert_null(list_take_first(&r.a));
	assert_int_equal(names(&r.a), 1);
}

static void test_splice(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	list_splice(&r.a, &r.b);
	assert_int_equal(names(&r.a), 101234);
	list_move(&r.v[1].node, &r.b);
	list_move(&r.v[3].node, &r.b);
	list_splice(&r.b, &r.a);
	assert_int_equal(names(&r.a), 1);
	assert_int_equal(names(&r.b), 113024);
	list_splice(&r.a, &r.b);
	assert_int_equal(names(&r.a), 113024);
	assert_int_equal(names(&r.b), 1);
}

/* The body may take out the node it is at, or put it elsewhere. */
static void test_each_while_removing(void **state)
{
	struct rig r;
	int seen = 0;

	(void)state;
	begin(&r);
	LIST_EACH(n, &r.a)
	{
		seen++;
		if (LIST_ENTRY(n, struct item, node)->name % 2 == 0)
			list_move(n, &r.b);
	}
	assert_int_equal(seen, N);
	assert_int_equal(names(&r.a), 113);
	assert_int_equal(names(&r.b), 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_append_remove_move),
		cmocka_unit_test(test_take_first),
		cmocka_unit_test(test_splice),
		cmocka_unit_test(test_each_while_removing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
