#include "config/nearest.h"
#include "config_help.h"

static const char *best(const char *want, const char *const *names, size_t n)
{
	struct nearest near;

	nearest_init(&near, slice_str(want));
	for (size_t i = 0; i < n; i++)
		nearest_try(&near, names[i]);
	return near.best;
}

static void test_best(void **state)
{
	static const char *const names[] = {"hub", "survival", "survival-2", "sky", "factory"};
	static const char *const cases[][2] = {{"hub", "hub"},
					       {"HUB", "hub"},
					       {"hbu", "hub"},
					       {"huub", "hub"},
					       {"survial", "survival"},
					       {"survival2", "survival-2"},
					       {"survival_2", "survival-2"},
					       {"survivla", "survival"},
					       {"skyy", "sky"},
					       {"fctory", "factory"},
					       {"zzzzz", NULL},
					       {"", NULL},
					       {"abcdefgh", NULL},
					       {"x", NULL}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *got = best(cases[i][0], names, COUNT_OF(names));

		if (cases[i][1] == NULL)
			assert_null(got);
		else
			assert_string_equal(got, cases[i][1]);
	}
}

static void test_first_of_equals(void **state)
{
	static const char *const names[] = {"aab", "aac"};

	(void)state;
	assert_ptr_equal(best("aad", names, 2), names[0]);
}

static void test_long_names(void **state)
{
	static const char x65[] =
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	const char *const names[] = {x65, x65 + 1};

	(void)state;
	assert_null(best(x65, names, 2));
	assert_ptr_equal(best(x65 + 1, names, 2), names[1]);
	assert_ptr_equal(best(x65 + 2, names, 2), names[1]);
}

/* Against the textbook recursion, for all words of up to 5 letters from an alphabet of 2. */
static unsigned slow(const char *a, const char *b)
{
	unsigned least = 99, d;

	if (*a == '\0' || *b == '\0')
		return (unsigned)(strlen(a) + strlen(b));
	d = slow(a + 1, b + 1) + (*a != *b);
	least = d < least ? d : least;
	d = slow(a + 1, b) + 1;
	least = d < least ? d : least;
	d = slow(a, b + 1) + 1;
	least = d < least ? d : least;
	if (a[1] != '\0' && b[1] != '\0' && a[0] == b[1] && a[1] == b[0]) {
		d = slow(a + 2, b + 2) + 1;
		least = d < least ? d : least;
	}
	return least;
}

static void word(unsigned n, char ret[8])
{
	for (; n > 1; n /= 2)
		*ret++ = (char)('a' + n % 2);
	*ret = '\0';
}

/* The common tail changes no distance, and keeps all of them within reach. */
static void check_pair(const char *a, const char *b)
{
	char long_a[32], long_b[32];
	struct nearest near;

	(void)snprintf(long_a, sizeof(long_a), "%s0123456789", a);
	(void)snprintf(long_b, sizeof(long_b), "%s0123456789", b);
	nearest_init(&near, slice_str(long_a));
	near.distance = 10;
	nearest_try(&near, long_b);
	assert_ptr_equal(near.best, long_b);
	assert_int_equal(near.distance, slow(a, b));
}

static void test_against_model(void **state)
{
	(void)state;
	for (unsigned i = 1; i < 64; i++) {
		for (unsigned k = 1; k < 64; k++) {
			char a[8], b[8];

			word(i, a);
			word(k, b);
			check_pair(a, b);
		}
	}
}

static void test_same(void **state)
{
	(void)state;
	assert_true(nearest_is_same(SLICE_LIT("kickOld"), SLICE_LIT("KICK_OLD")));
	assert_true(nearest_is_same(SLICE_LIT("kick-old-"), SLICE_LIT("kickOld")));
	assert_false(nearest_is_same(SLICE_LIT("kickOld"), SLICE_LIT("kickOl")));
	assert_false(nearest_is_same(SLICE_LIT("kick old"), SLICE_LIT("kickOld")));
	assert_true(nearest_is_same(SLICE_LIT(""), SLICE_LIT("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_best),       cmocka_unit_test(test_first_of_equals),
		cmocka_unit_test(test_long_names), cmocka_unit_test(test_against_model),
		cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
