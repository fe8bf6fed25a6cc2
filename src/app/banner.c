#include "app/banner.h"

#include <stdio.h>

#include "minecraft/version.h"

static void print_listener(const struct sockets *all, unsigned i)
{
	const struct listener_settings *set = all->sets[i].set;
	char at[ADDR_UNIX_PATH_MAX + 16];

	sockets_text(all, i, at, sizeof(at));
	if (set->accept & ACCEPT_MINECRAFT)
		(void)printf("  Minecraft %s   %s\n", version_span_text(), at);
	if (set->accept & ACCEPT_WEBSOCKET)
		(void)printf("  WebSocket                 ws://%s%s\n", at, set->ws_path);
}

void banner_print(const struct settings *s, const struct sockets *sockets)
{
	(void)printf("MoonBridge " MOONBRIDGE_VERSION "%s%s\n",
		     s->file == NULL ? ": the built-in lobby" : ", config ",
		     s->file == NULL ? "" : s->file);
	for (unsigned i = 0; i < sockets->n; i++)
		print_listener(sockets, i);
	if (s->file == NULL)
		(void)puts(
			"  Next: moonbridge --print-config > moonbridge.yml, then moonbridge --config moonbridge.yml");
	(void)puts("  Ctrl-C stops it.");
	(void)fflush(stdout);
}
