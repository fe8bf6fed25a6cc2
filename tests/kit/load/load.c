/*
 * mbload: loads a Minecraft 1.7.10 proxy or server from one thread, and is a fake server too.
 * Offline, protocol 5. One line of JSON on stdout; progress on stderr; exit 0 when all went well, 1
 * when not, 2 on wrong usage.
 */
#include "load.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

volatile int load_is_stopped;

static const char usage[] =
	"usage: mbload COMMAND [OPTION VALUE]...\n"
	"\n"
	"  join     --players N join and stay for --seconds S\n"
	"  echo     --players N join, each sends --messages M frames of\n"
	"           --payload B bytes and checks the echoes\n"
	"  status   status requests over --players N connections at once for --seconds S\n"
	"  churn    --count C times connect and close, --players N at once\n"
	"           [--junk B bytes first] [--reset]\n"
	"  backend  a server on --port (0: any) or --unix; echoes, until SIGTERM\n"
	"\n"
	"  --host A --port P | --unix PATH    where to [127.0.0.1]\n"
	"  --websocket PATH                   as WebSocket\n"
	"  --sources K                        come from K addresses 127.0.0.2...\n"
	"  --prefix NAME                      players are NAME0, NAME1, ... [load]\n"
	"  --server-host NAME                 host in the handshake [localhost]\n"
	"  --parallel N                       joins in flight [64]\n"
	"  --timeout S                        limit of joining, of each echo phase, of churn [60]\n"
	"  --warmup M --window K --burst F    echo: untimed frames, bursts at once, their frames\n"
	"  --keep-alive S --tab N             backend: keep-alives [10, 0: none], tab entries\n";

enum option_kind {
	OPT_HOST = 256,
	OPT_PORT,
	OPT_UNIX,
	OPT_WEBSOCKET,
	OPT_SOURCES,
	OPT_PREFIX,
	OPT_SERVER_HOST,
	OPT_PLAYERS,
	OPT_PARALLEL,
	OPT_SECONDS,
	OPT_TIMEOUT,
	OPT_MESSAGES,
	OPT_WARMUP,
	OPT_PAYLOAD,
	OPT_WINDOW,
	OPT_BURST,
	OPT_COUNT,
	OPT_JUNK,
	OPT_RESET,
	OPT_KEEP_ALIVE,
	OPT_TAB
};

static const struct option names[] = {
	{"host", 1, NULL, OPT_HOST},         {"port", 1, NULL, OPT_PORT},
	{"unix", 1, NULL, OPT_UNIX},         {"websocket", 1, NULL, OPT_WEBSOCKET},
	{"sources", 1, NULL, OPT_SOURCES},   {"prefix", 1, NULL, OPT_PREFIX},
	{"players", 1, NULL, OPT_PLAYERS},   {"server-host", 1, NULL, OPT_SERVER_HOST},
	{"parallel", 1, NULL, OPT_PARALLEL}, {"seconds", 1, NULL, OPT_SECONDS},
	{"timeout", 1, NULL, OPT_TIMEOUT},   {"messages", 1, NULL, OPT_MESSAGES},
	{"warmup", 1, NULL, OPT_WARMUP},     {"payload", 1, NULL, OPT_PAYLOAD},
	{"window", 1, NULL, OPT_WINDOW},     {"burst", 1, NULL, OPT_BURST},
	{"count", 1, NULL, OPT_COUNT},       {"junk", 1, NULL, OPT_JUNK},
	{"reset", 0, NULL, OPT_RESET},       {"keep-alive", 1, NULL, OPT_KEEP_ALIVE},
	{"tab", 1, NULL, OPT_TAB},           {NULL, 0, NULL, 0},
};

/* The numeric options: where they go and what is allowed. */
struct number {
	enum option_kind kind;
	unsigned *to;
	unsigned min, max;
};

static void on_signal(int sig)
{
	(void)sig;
	load_is_stopped = 1;
}

static bool read_number(unsigned *ret, const char *text, unsigned min, unsigned max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || text[0] == '-' || value < min || value > max)
		return false;
	*ret = (unsigned)value;
	return true;
}

static bool set_number(struct options *o, unsigned *port, int kind, const char *text)
{
	const struct number numbers[] = {
		{OPT_PORT, port, 0, 65535},
		{OPT_SOURCES, &o->to.sources, 1, 60000},
		{OPT_PLAYERS, &o->players, 1, 60000},
		{OPT_PARALLEL, &o->parallel, 1, 60000},
		{OPT_SECONDS, &o->seconds, 0, 3600},
		{OPT_TIMEOUT, &o->timeout_s, 1, 3600},
		{OPT_MESSAGES, &o->messages, 1, 100000000},
		{OPT_WARMUP, &o->warmup, 0, 100000000},
		{OPT_PAYLOAD, &o->payload, 6, 2097151},
		{OPT_WINDOW, &o->window, 1, 1024},
		{OPT_BURST, &o->burst, 1, 1024},
		{OPT_COUNT, &o->count, 1, 10000000},
		{OPT_JUNK, &o->junk, 0, 65536},
		{OPT_KEEP_ALIVE, &o->keep_alive_s, 0, 3600},
		{OPT_TAB, &o->tab, 0, 10000},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if ((int)numbers[i].kind == kind)
			return read_number(numbers[i].to, text, numbers[i].min, numbers[i].max);
	return false;
}

static bool set_text(struct options *o, int kind, const char *text)
{
	switch (kind) {
	case OPT_HOST:
		o->to.host = text;
		return true;
	case OPT_UNIX:
		o->to.unix_path = text;
		return true;
	case OPT_WEBSOCKET:
		o->to.ws_path = text;
		return true;
	case OPT_PREFIX:
		o->prefix = text;
		return true;
	case OPT_SERVER_HOST:
		o->server_host = text;
		return true;
	case OPT_RESET:
		o->reset = true;
		return true;
	default:
		return false;
	}
}

static bool read_options(struct options *o, int argc, char **argv)
{
	unsigned port = 0;
	int kind;

	while ((kind = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (kind == '?')
			return false;
		if (!set_text(o, kind, optarg) && !set_number(o, &port, kind, optarg)) {
			fprintf(stderr, "mbload: %s is out of range\n", optarg ? optarg : "value");
			return false;
		}
	}
	o->to.port = (uint16_t)port;
	/* Whole bursts only, so that every burst's time ends at its last frame. */
	o->messages = (o->messages + o->burst - 1) / o->burst * o->burst;
	o->warmup = (o->warmup + o->burst - 1) / o->burst * o->burst;
	return optind == argc - 1;
}

static void raise_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

void add_handshake(struct bytes *out, const struct options *o, unsigned next)
{
	struct bytes b = {0};

	bytes_add_u8(&b, 0x00);
	bytes_add_varint(&b, 5);
	bytes_add_str(&b, o->server_host);
	bytes_add_be(&b, 25565, 2);
	bytes_add_varint(&b, next);
	bytes_add_frame(out, &b);
	bytes_free(&b);
}

static int run_command(const char *command, const struct options *o)
{
	if (strcmp(command, "join") == 0)
		return run_players(o, false);
	if (strcmp(command, "echo") == 0)
		return run_players(o, true);
	if (strcmp(command, "status") == 0)
		return run_status(o);
	if (strcmp(command, "churn") == 0)
		return run_churn(o);
	if (strcmp(command, "backend") == 0)
		return run_backend(o);
	fputs(usage, stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct options o = {.to = {.host = "127.0.0.1"},
			    .players = 1,
			    .parallel = 64,
			    .prefix = "load",
			    .server_host = "localhost",
			    .timeout_s = 60,
			    .messages = 1000,
			    .payload = 1024,
			    .window = 1,
			    .burst = 1,
			    .keep_alive_s = 10};

	if (!read_options(&o, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	raise_descriptors();
	conn_init();
	return run_command(argv[optind], &o);
}
