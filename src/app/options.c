#include "app/options.h"

#include <getopt.h>
#include <stdio.h>

static const char help[] =
	"MoonBridge " MOONBRIDGE_VERSION ": a Minecraft proxy for large, mostly modded networks.\n"
	"\n"
	"Usage: moonbridge [--config FILE]\n"
	"       moonbridge --check [FILE]\n"
	"       moonbridge --print-config [--config FILE]\n"
	"\n"
	"Without any argument it runs a built-in lobby on 127.0.0.1:25577 (TCP, and WebSocket at /mc): join it\n"
	"with Minecraft 1.7.10 to see that everything works, then write a config:\n"
	"\n"
	"  moonbridge --print-config > moonbridge.yml   every key with its default and what it does\n"
	"  moonbridge --check moonbridge.yml            all errors with line and remedy; changes nothing\n"
	"  moonbridge --config moonbridge.yml           run\n"
	"\n"
	"Options:\n"
	"  -c, --config FILE     read FILE instead of the built-in defaults\n"
	"      --check [FILE]    check a config and say what is wrong with it\n"
	"      --print-config    print the whole effective config as YAML, commented\n"
	"  -v, --version         print the version\n"
	"  -h, --help            this text\n"
	"\n"
	"Signals: SIGTERM and SIGINT say goodbye to every player and stop within 5 s;\n"
	"SIGUSR1 logs all counters.\n"
	"Exit code: 0 fine, 1 failed, 2 wrong usage. Documentation: docs/ beside the sources, man moonbridge.\n";

enum { OPT_CHECK = 256, OPT_PRINT_CONFIG, OPT_PRINT_DOCS };

static const struct option longs[] = {
	{"config", required_argument, NULL, 'c'},
	{"check", no_argument, NULL, OPT_CHECK},
	{"print-config", no_argument, NULL, OPT_PRINT_CONFIG},
	{"print-config-docs", no_argument, NULL, OPT_PRINT_DOCS},
	{"version", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static struct options usage(const char *why, const char *what)
{
	if (why != NULL)
		(void)fprintf(stderr, "moonbridge: %s%s\n", why, what);
	(void)fputs("Try 'moonbridge --help'.\n", stderr);
	return (struct options){.action = ACTION_USAGE};
}

static bool take(struct options *o, int c)
{
	switch (c) {
	case 'c':
		o->config = optarg;
		return true;
	case OPT_CHECK:
		o->action = ACTION_CHECK;
		return true;
	case OPT_PRINT_CONFIG:
		o->action = ACTION_PRINT_CONFIG;
		return true;
	case OPT_PRINT_DOCS:
		o->action = ACTION_PRINT_DOCS;
		return true;
	case 'v':
		(void)puts("MoonBridge " MOONBRIDGE_VERSION);
		o->action = ACTION_DONE;
		return true;
	case 'h':
		(void)fputs(help, stdout);
		o->action = ACTION_DONE;
		return true;
	default:
		return false;
	}
}

/* The file may stand alone behind --check; elsewhere a bare word is an error that names the way. */
static struct options take_word(struct options o, const char *word)
{
	if (o.config != NULL)
		return usage("one config file at a time; what is this for: ", word);
	if (o.action == ACTION_RUN)
		return usage("to run with a config use --config ", word);
	o.config = word;
	return o;
}

struct options options_parse(int argc, char **argv)
{
	struct options o = {.action = ACTION_RUN};
	int c;

	/* NOLINTNEXTLINE(concurrency-mt-unsafe): no thread is there yet */
	while ((c = getopt_long(argc, argv, "c:vh", longs, NULL)) != -1) {
		if (!take(&o, c))
			return usage(NULL, NULL);
		if (o.action == ACTION_DONE)
			return o;
	}
	for (int i = optind; i < argc && o.action != ACTION_USAGE; i++)
		o = take_word(o, argv[i]);
	return o;
}
