/* Case 17 of the field, for passthrough: which tail of a host goes on when tails are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "session/tunnel.h"
#include "base/attr.h"

#define ROW(in, out)                          \
	{                                     \
		SLICE_LIT(in), SLICE_LIT(out) \
	}

static void test_hosts(void **state)
{
	const struct {
		struct slice in, out;
	} rows[] = {
		ROW("mc.example.org", "mc.example.org"),
		ROW("", ""),
		ROW("mc.example.org\0FML\0", "mc.example.org\0FML\0"),
		ROW("mc.example.org\0FML2\0", "mc.example.org\0FML2\0"),
		ROW("mc.example.org\0FML3\0", "mc.example.org\0FML3\0"),
		/* the marker stays, what hangs behind it does not */
		ROW("mc\0FML\0\0001.2.3.4\0uuid", "mc\0FML\0"),
		ROW("mc\0FML2\0001.2.3.4", "mc\0FML2\0"),
		/* a forwarding tail, in either form */
		ROW("mc\0001.2.3.4\0001234", "mc"),
		ROW("mc///1.2.3.4:99///1234", "mc"),
		ROW("mc///1.2.3.4\0FML\0", "mc"),
		ROW("mc\0", "mc"),
		ROW("\0FML\0", "\0FML\0"),
		/* no marker we know */
		ROW("mc\0FML", "mc"),
		ROW("mc\0FML4\0", "mc"),
		ROW("mc\0fml\0", "mc"),
		ROW("mc\0x\0FML\0", "mc"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char *in = malloc(rows[i].in.len + 1), *memory = malloc(rows[i].out.len + 1);
		struct slice got;

		memcpy(in, rows[i].in.p, rows[i].in.len);
		/* Exactly as much room as it needs, and one byte less. */
		assert_true(
			tunnel_host(slice_of(in, rows[i].in.len), memory, rows[i].out.len, &got));
		if (!slice_eq(got, rows[i].out))
			fail_msg("row %zu", i);
		if (rows[i].out.len > 0)
			assert_false(tunnel_host(slice_of(in, rows[i].in.len), memory,
						 rows[i].out.len - 1, &got));
		free(in);
		free(memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
