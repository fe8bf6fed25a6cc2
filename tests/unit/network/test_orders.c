#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "network/orders.h"
#include "network/backend.h"
#include "network/config_of.h"
#include "network/listing.h"

/* An order that is freed, or left lying in a box, drops what it carries. */
static void test_references(void **state)
{
	struct settings *s = settings_default();
	struct sys *sys = sys_linux_new();
	struct loop *l = loop_new(sys);
	struct roster *r = roster_new();
	struct backend *none = NULL;
	struct catalog *c = catalog_new(s, &none);
	struct listing *li = listing_new(s, r);
	struct mailbox box;

	(void)state;
	mailbox_init(&box, l);
	for (unsigned i = 0; i < 3; i++) {
		struct order *o = order_new(ORDER_CATALOG, i);

		assert_int_equal(o->conn, i);
		assert_int_equal(o->mail.kind, ORDER_CATALOG);
		o->catalog = catalog_ref(c);
		o->listing = listing_ref(li);
		if (i == 0)
			order_free(o);
		else
			order_send(&box, o);
	}
	assert_int_equal(c->refs, 3);
	mailbox_fini(&box);
	assert_int_equal(c->refs, 1);
	assert_int_equal(li->refs, 1);
	order_free(NULL);
	catalog_unref(c);
	listing_unref(li);
	roster_free(r);
	settings_unref(s);
	loop_free(l);
	sys_linux_free(sys);
}

static void test_in_order(void **state)
{
	struct sys *sys = sys_linux_new();
	struct loop *l = loop_new(sys);
	struct mailbox box;
	struct mail *m;
	uint64_t next = 1;

	(void)state;
	mailbox_init(&box, l);
	for (uint64_t i = 1; i <= 20; i++)
		order_send(&box, order_new(ORDER_LEAVE, i));
	for (m = mailbox_drain(&box); m != NULL;) {
		struct order *o = order_of(m);

		m = m->next;
		assert_int_equal(o->conn, next++);
		order_free(o);
	}
	assert_int_equal(next, 21);
	mailbox_fini(&box);
	loop_free(l);
	sys_linux_free(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
