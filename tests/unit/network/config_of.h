/* Settings from a few lines of YAML. Include <cmocka.h> before. */
#ifndef TEST_NETWORK_CONFIG_OF_H
#define TEST_NETWORK_CONFIG_OF_H

#include "config/settings.h"

static inline struct settings *config_of(const char *yaml)
{
	struct config_errors errs = {0};
	struct settings *s = settings_parse("test.yml", slice_str(yaml), &errs);

	if (s == NULL)
		fail_msg("%.*s", (int)errs.text.len, (const char *)errs.text.p);
	config_errors_fini(&errs);
	return s;
}

#endif
