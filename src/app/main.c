/* moonbridge: reads the command line and the config, and runs. */
#include "app/options.h"

#include <stdio.h>

#include "app/limits_of_process.h"
#include "app/proxy.h"

static struct settings *load(const char *path)
{
	struct config_errors errs = {0};
	struct settings *s;

	if (path == NULL) {
		s = settings_default();
		if (s == NULL)
			(void)fputs("moonbridge: out of memory\n", stderr);
		return s;
	}
	s = settings_load(path, &errs);
	if (s == NULL && errs.text.len == 0)
		(void)fputs("moonbridge: out of memory\n", stderr);
	if (s == NULL)
		(void)fwrite(errs.text.p, 1, errs.text.len, stderr);
	config_errors_fini(&errs);
	return s;
}

static int act(const struct options *o, struct settings *s)
{
	switch (o->action) {
	case ACTION_RUN:
		return proxy_run(s);
	case ACTION_CHECK:
		(void)printf("%s is fine: %zu listeners, %zu backends\n",
			     o->config == NULL ? "the built-in config" : o->config, s->listener_n,
			     s->backend_n);
		return 0;
	case ACTION_PRINT_CONFIG:
		settings_print(stdout, s);
		return 0;
	case ACTION_PRINT_DOCS:
	case ACTION_DONE:
	case ACTION_USAGE:
		break;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options o;
	struct settings *s;
	int code;

	process_fill_standard_descriptors();
	o = options_parse(argc, argv);
	if (o.action == ACTION_USAGE)
		return 2;
	if (o.action == ACTION_DONE)
		return 0;
	if (o.action == ACTION_PRINT_DOCS) {
		settings_print_docs(stdout);
		return 0;
	}
	s = load(o.config);
	if (s == NULL)
		return 1;
	code = act(&o, s);
	settings_unref(s);
	return code;
}
