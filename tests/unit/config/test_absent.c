#include "config/absent.h"
#include "config_help.h"
#include "config/schema.h"

static void test_named_keys_have_what_and_remedy(void **state)
{
	static const char *const keys[] = {"forwarding", "playerInfoForwarding",
					   "onlineMode", "encryption",
					   "tls",        "compression",
					   "webSocket",  "controlChannel",
					   "metrics",    "admin",
					   "plugins",    "sessionServer",
					   "transfers",  "health",
					   "servers",    "bind"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const char *remedy = absent_remedy(slice_str(keys[i]));

		assert_non_null(remedy);
		assert_non_null(strstr(remedy, "; "));
	}
}

static void test_spelling_of_others(void **state)
{
	(void)state;
	assert_ptr_equal(absent_remedy(SLICE_LIT("player-info-forwarding-mode")),
			 absent_remedy(SLICE_LIT("playerInfoForwardingMode")));
	assert_ptr_equal(absent_remedy(SLICE_LIT("ONLINE_MODE")),
			 absent_remedy(SLICE_LIT("onlineMode")));
	assert_null(absent_remedy(SLICE_LIT("onlinemodes")));
	assert_null(absent_remedy(SLICE_LIT("")));
}

/* A key that we do have must not be called absent where it is one. */
static void test_our_top_keys_are_not_absent(void **state)
{
	(void)state;
	for (unsigned i = 0; i < schema_settings.n; i++)
		assert_null(absent_remedy(slice_str(schema_settings.fields[i].key)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named_keys_have_what_and_remedy),
		cmocka_unit_test(test_spelling_of_others),
		cmocka_unit_test(test_our_top_keys_are_not_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
