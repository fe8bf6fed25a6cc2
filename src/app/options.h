/* The command line. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>

#include "base/attr.h"

enum action {
	ACTION_RUN,
	ACTION_CHECK,
	ACTION_PRINT_CONFIG,
	ACTION_PRINT_DOCS,
	ACTION_DONE, /* --help or --version were printed */
	ACTION_USAGE /* the line was wrong, and said so on stderr */
};

struct options {
	enum action action;
	const char *config; /* NULL: none given */
};

struct options options_parse(int argc, char **argv);

#endif
