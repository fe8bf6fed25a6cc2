#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/phase.h"

/* What may follow what, written down a second time: first the phase, then all its followers. */
static const char *const table[PHASE_COUNT] = {
	"GREET STATUS PASS LOGIN DRAIN GONE",
	"STATUS DRAIN GONE",
	"PASS STATUS DRAIN GONE",
	"LOGIN PLACE DRAIN GONE",
	"PLACE MOVE HOLD DRAIN GONE",
	"MOVE PLAY HOLD DRAIN GONE",
	"PLAY MOVE HOLD DRAIN GONE",
	"HOLD MOVE DRAIN GONE",
	"DRAIN GONE",
	"GONE",
};

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(list, word); p != NULL; p = strstr(p + 1, word)) {
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	}
	return false;
}

static void test_which_may_follow_which(void **state)
{
	(void)state;
	for (unsigned from = 0; from < PHASE_COUNT; from++) {
		const char *followers = table[from] + strlen(phase_name((enum phase)from));

		assert_memory_equal(table[from], phase_name((enum phase)from),
				    strlen(phase_name((enum phase)from)));
		for (unsigned to = 0; to < PHASE_COUNT; to++) {
			bool want = has_word(followers, phase_name((enum phase)to));

			if (phase_allows((enum phase)from, (enum phase)to) != want)
				fail_msg("%s to %s", phase_name((enum phase)from),
					 phase_name((enum phase)to));
		}
	}
}

/* Every phase leads to its end, and none back to the beginning. */
static void test_all_end(void **state)
{
	(void)state;
	for (unsigned p = 0; p < PHASE_COUNT; p++) {
		assert_false(phase_allows((enum phase)p, PHASE_GREET));
		assert_false(phase_allows((enum phase)p, (enum phase)p));
		assert_int_equal(phase_allows((enum phase)p, PHASE_GONE), p != PHASE_GONE);
	}
}

static void test_in_game(void **state)
{
	(void)state;
	for (unsigned p = 0; p < PHASE_COUNT; p++)
		assert_int_equal(phase_is_in_game((enum phase)p),
				 has_word("PLACE MOVE PLAY HOLD", phase_name((enum phase)p)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_may_follow_which),
		cmocka_unit_test(test_all_end),
		cmocka_unit_test(test_in_game),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
