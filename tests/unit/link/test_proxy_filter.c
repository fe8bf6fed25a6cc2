/* Case 41 of the field: what stands behind a header in the same segment, cut at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "link/proxy_filter.h"
#include "link/rig.h"

enum { POOL = 1 << 20 };

static const char v1[] = "PROXY TCP4 192.0.2.7 10.0.0.1 4000 25565\r\n";
static const uint8_t v2[] = {0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54,
			     0x0A, 0x21, 0x11, 0x00, 0x0F, 192,  0,    2,    7,    10,   0,
			     0,    1,    0x0F, 0xA0, 0x63, 0xDD, 0x04, 0x00, 0x00};
static const char local[] = "\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00";
static const char tail[] = "\x0F\x00\x05\x09localhost\x63\xDD\x02 and more";

static struct addr told;
static unsigned times;
static size_t in_before; /* what had gone up when the source was told */
static bool drop_when_told;

static void on_source(struct link *l, const struct addr *source)
{
	struct rig *r = l->owner;

	times++;
	told = *source;
	in_before = r->in.len;
	if (drop_when_told) {
		link_drop(l);
		r->over = true;
	}
}

static void begin(struct rig *r)
{
	struct sim_options o = {.seed = 5};

	rig_open(r, &o, POOL);
	times = 0;
	told = (struct addr){.kind = 99};
	link_enable(r->l, proxy_filter_new(on_source), (struct slice){0});
}

static void expect_told(const struct rig *r, const char *source)
{
	char text[ADDR_TEXT_MAX];

	assert_int_equal(times, 1);
	assert_int_equal(in_before, 0);
	addr_format(&told, text);
	assert_string_equal(text, source);
	assert_true(slice_eq(buf_slice(&r->in), SLICE_LIT(tail)));
	assert_null(r->l->filters);
	assert_int_equal(r->eofs, 0);
}

static void expect_cut_everywhere(struct slice header, const char *source)
{
	struct buf all = {0};

	assert_true(buf_append(&all, header) && buf_append(&all, SLICE_LIT(tail)));
	for (size_t cut = 0; cut <= all.len; cut++) {
		struct rig r;

		begin(&r);
		rig_far_send(&r, slice_of(all.p, cut));
		if (cut < header.len)
			assert_int_equal(times, 0);
		rig_far_send(&r, slice_of(all.p + cut, all.len - cut));
		rig_settle(&r);
		expect_told(&r, source);
		rig_close(&r, true);
	}
	buf_fini(&all);
}

static void test_cut_at_every_byte(void **state)
{
	(void)state;
	expect_cut_everywhere(SLICE_LIT(v1), "192.0.2.7:4000");
	expect_cut_everywhere(slice_of(v2, sizeof(v2)), "192.0.2.7:4000");
	expect_cut_everywhere(SLICE_LIT(local), "-");
	expect_cut_everywhere(SLICE_LIT("PROXY UNKNOWN\r\n"), "-");
}

static void test_byte_by_byte(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	for (size_t i = 0; i < sizeof(v2); i++)
		rig_far_send(&r, slice_of(v2 + i, 1));
	rig_far_send(&r, SLICE_LIT(tail));
	rig_settle(&r);
	expect_told(&r, "192.0.2.7:4000");
	rig_close(&r, true);
}

/* The beginning came before the filter: what had been read is fed in. */
static void test_rest_is_fed_in(void **state)
{
	(void)state;
	for (size_t cut = 0; cut <= sizeof(v1) - 1; cut++) {
		struct sim_options o = {.seed = 5};
		struct rig r;

		rig_open(&r, &o, POOL);
		times = 0;
		link_enable(r.l, proxy_filter_new(on_source), slice_of(v1, cut));
		rig_far_send(&r, slice_of(v1 + cut, sizeof(v1) - 1 - cut));
		rig_far_send(&r, SLICE_LIT(tail));
		rig_settle(&r);
		expect_told(&r, "192.0.2.7:4000");
		rig_close(&r, true);
	}
}

static void test_no_header(void **state)
{
	static const char *const bad[] = {"PROXY TCP9 1 2 3 4\r\n", "GET / HTTP/1.1\r\n",
					  "\r\n\r\n\x01"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		for (size_t cut = 0; cut < strlen(bad[i]); cut++) {
			struct rig r;

			begin(&r);
			rig_far_send(&r, slice_of(bad[i], cut));
			rig_far_send(&r, slice_str(bad[i] + cut));
			rig_settle(&r);
			assert_int_equal(times, 0);
			assert_int_equal(r.in.len, 0);
			assert_int_equal(r.eofs, 1);
			assert_int_equal(r.eof_err, -EPROTO);
			assert_non_null(link_complaint(r.l));
			rig_close(&r, true);
		}
	}
}

static void test_fin_within_the_header(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	rig_far_send(&r, slice_of(v2, 20));
	far_shutdown(&r.far);
	rig_settle(&r);
	assert_int_equal(times, 0);
	assert_int_equal(r.eofs, 1);
	assert_int_equal(r.eof_err, 0);
	rig_close(&r, true);
}

/* The owner may end the link when it hears the address: a limit. */
static void test_dropped_when_told(void **state)
{
	(void)state;
	drop_when_told = true;
	for (unsigned in_two = 0; in_two < 2; in_two++) {
		struct rig r;

		begin(&r);
		if (in_two)
			rig_far_send(&r, slice_of(v1, 10));
		rig_far_send(&r, slice_str(v1 + (in_two ? 10 : 0)));
		rig_settle(&r);
		assert_int_equal(times, 1);
		assert_int_equal(r.in.len, 0);
		rig_close(&r, false);
	}
	drop_when_told = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_rest_is_fed_in),
		cmocka_unit_test(test_no_header),
		cmocka_unit_test(test_fin_within_the_header),
		cmocka_unit_test(test_dropped_when_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
