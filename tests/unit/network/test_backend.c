/* Who holds what: a sanitizer build sees a reference too few (use after free) or too many (leak).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "network/backend.h"
#include "network/config_of.h"

static const char yaml[] = "backends:\n"
			   "  - {name: literal, address: '10.0.0.7:1234'}\n"
			   "  - {name: named, address: 'a.example.org:25565'}\n"
			   "  - {name: local, address: 'unix:/run/mc.sock'}\n";

static const struct dns_answer two = {
	.addrs = {{.kind = ADDR_IP4, .ip = {10, 0, 0, 1}}, {.kind = ADDR_IP6, .ip = {[15] = 1}}},
	.n = 2,
};

static void test_addresses(void **state)
{
	const struct dns_answer error = {.error = "no such name"};
	struct settings *s = config_of(yaml);
	struct backend *b = backend_new(s, &s->backends[0], NULL);

	(void)state;
	assert_int_equal(b->addr_n, 1);
	assert_int_equal(b->addrs[0].port, 1234);
	assert_int_equal(b->addrs[0].ip[3], 7);
	backend_unref(b);

	b = backend_new(s, &s->backends[1], NULL);
	assert_int_equal(b->addr_n, 0);
	assert_null(b->error);
	backend_unref(b);
	b = backend_new(s, &s->backends[1], &two);
	assert_int_equal(b->addr_n, 2);
	assert_int_equal(b->addrs[0].port, 25565);
	assert_int_equal(b->addrs[1].port, 25565);
	assert_int_equal(b->addrs[1].kind, ADDR_IP6);
	backend_unref(b);
	b = backend_new(s, &s->backends[1], &error);
	assert_int_equal(b->addr_n, 0);
	assert_string_equal(b->error, "no such name");
	backend_unref(b);

	b = backend_new(s, &s->backends[2], NULL);
	assert_int_equal(b->addr_n, 0);
	backend_unref(b);
	backend_unref(NULL);
	assert_int_equal(s->refs, 1);
	settings_unref(s);
}

/* Each keeps what it stands on: settings < backend < catalog, whatever is let go first. */
static void test_references(void **state)
{
	struct settings *s = config_of(yaml);
	struct backend *v[3], *kept;
	struct catalog *c;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		v[i] = backend_new(s, &s->backends[i], &two);
	c = catalog_new(s, v);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(v[i]->refs, 2);
		backend_unref(v[i]);
	}
	settings_unref(s);
	assert_int_equal(c->n, 3);
	assert_ptr_equal(catalog_ref(c), c);
	catalog_unref(c);
	kept = backend_ref(catalog_find(c, "named"));
	assert_string_equal(kept->set->name, "named");
	catalog_unref(c);
	assert_string_equal(kept->set->name, "named");
	assert_int_equal(kept->refs, 1);
	backend_unref(kept);
	catalog_unref(NULL);
}

static void test_find(void **state)
{
	struct settings *s = config_of(yaml);
	struct backend *v[3];
	struct catalog *c;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		v[i] = backend_new(s, &s->backends[i], NULL);
	c = catalog_new(s, v);
	assert_ptr_equal(catalog_find(c, "literal"), v[0]);
	assert_ptr_equal(catalog_find(c, "local"), v[2]);
	assert_null(catalog_find(c, "lobby"));
	assert_null(catalog_find(c, ""));
	assert_null(catalog_find(c, "Literal"));
	for (size_t i = 0; i < 3; i++)
		backend_unref(v[i]);
	catalog_unref(c);
	assert_int_equal(s->refs, 1);
	settings_unref(s);
}

static void test_empty_catalog(void **state)
{
	struct settings *s = settings_default();
	struct backend *none = NULL;
	struct catalog *c = catalog_new(s, &none);

	(void)state;
	assert_int_equal(c->n, 0);
	assert_null(catalog_find(c, "lobby"));
	catalog_unref(c);
	settings_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_empty_catalog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
