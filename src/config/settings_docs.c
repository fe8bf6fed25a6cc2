/* docs/config.md, printed from the schema table: what is said about a key is said once. */
#include "config/schema.h"

#include "config/settings.h"

static const char *const intro[] = {
	"# Configuration",
	"",
	"MoonBridge reads one YAML file: `moonbridge --config FILE`. Without a file it runs with the",
	"defaults: it listens on 127.0.0.1:25577, offline, and players land in the built-in lobby.",
	"",
	"- `moonbridge --check FILE` reads the file and says what is wrong with it, without starting.",
	"- `moonbridge --print-config` prints every key with the value in effect, with comments; saved",
	"  to a file, that is a complete config to edit.",
	"- [`examples/moonbridge.yml`](examples/moonbridge.yml) is a small modded network,",
	"  [`examples/behind-cdn.yml`](examples/behind-cdn.yml) one that is reached through a CDN.",
	"",
	"This page is made by `moonbridge --print-config-docs` from the table that also reads the file.",
	"",
	"## Example",
	"",
	"```yaml",
};

static const char *const example[] = {
	"listen:",
	"  - \"0.0.0.0:25565\"",
	"  - address: \"127.0.0.1:25577\"",
	"    accept: [webSocket]",
	"authentication: offline",
	"allowOfflinePublicAccess: true",
	"",
	"status:",
	"  motd: \"A modded network\\nnow with WebSocket\"",
	"  maxPlayers: 200",
	"",
	"backends:",
	"  - {name: hub, address: \"127.0.0.1:25566\"}",
	"  - {name: sky, address: \"${SKY_HOST:sky.internal}:25565\", tags: [modded]}",
	"  - {name: modern, address: \"127.0.0.1:25600\", mode: passthrough}",
	"",
	"initialRouting:",
	"  servers: [hub, lobby]",
	"  forcedHosts:",
	"    \"sky.example.org\": sky",
	"  otherVersions: modern",
	"",
	"timeouts:",
	"  firstPlay: 5m",
};

static const char *const form[] = {
	"```",
	"",
	"## How values are written",
	"",
	"- **Sizes** have a unit: `512b`, `64kb`, `8mb`, `1gb` (1 kb is 1,024 bytes).",
	"- **Durations** have a unit: `250ms`, `5s`, `10m`, `2h`.",
	"- **Words** such as `hold` or `sameAddress` are read in any case, with or without dashes:",
	"  `SAME_ADDRESS` is the same.",
	"- **Lists** of one value may be written as that value: `servers: hub`.",
	"- **Networks** are `10.0.0.0/8`, `fd00::/8`, a single address, or `unix` for every peer of a",
	"  unix socket.",
	"- **Quotes** are needed around a value or key that starts with `*`, `[`, `{` or `&`, and around",
	"  `${...}` inside brackets.",
	"- **Environment variables**: `${NAME}` is the variable's value, `${NAME:default}` has a default",
	"  for when it is not set (set but empty counts as set); `$${` stands for the two characters",
	"  `${`. They work in values, not in keys. No error message shows a value that came from a",
	"  variable.",
	"- Indent with spaces, not tabs. Anchors, aliases, merge keys and tags of YAML are not used. A",
	"  file has at most 1 MiB.",
	"",
	"## Errors",
	"",
	"A file with an error is not used at all. All errors are told at once (the first 50), each with",
	"file, line, key, what is wrong, and what to do:",
	"",
	"```",
	"moonbridge.yml:3: maxConections: is not a key; did you mean maxConnections? (allowed here: ...)",
	"moonbridge.yml:9: backends[1].address: \"10.0.0.7\" has no port; write it as host:port",
	"moonbridge.yml:14: timeouts.login: \"5000s\" is out of range; write a duration from 10ms to 10m",
	"```",
	"",
	"Unknown keys are errors, too: a misspelt key would otherwise do nothing, silently. Keys of",
	"other proxies that this version lacks are named with what to do instead.",
};

static void put_lines(FILE *out, const char *const *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)fprintf(out, "%s\n", lines[i]);
}

/* A cell of a table: no line ends in it, and a bar would end it. */
static void put_cell(FILE *out, const char *text)
{
	for (; *text != '\0'; text++)
		(void)fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

static void put_default(FILE *out, const struct schema_field *d)
{
	if ((d->flags & SCHEMA_REQUIRED) != 0)
		put_cell(out, "required");
	else if (d->otherwise != NULL)
		put_cell(out, d->otherwise);
	else if (d->fallback != NULL)
		(void)fprintf(out, "`%s`", d->fallback);
	else
		put_cell(out, "none");
}

static void put_type(FILE *out, const struct schema_field *d)
{
	char memory[256];
	struct text t = text_of(memory, sizeof(memory));

	if (d->type == SCHEMA_ITEMS)
		text_puts(&t, d->sub->brief == NULL ? "a list of sections, see below"
						    : "an address, or a list, see below");
	else
		schema_put_wants(&t, d);
	put_cell(out, t.p);
}

static void put_row(FILE *out, const struct schema_field *d)
{
	(void)fprintf(out, "| `%s` | ", d->key);
	put_type(out, d);
	(void)fputs(" | ", out);
	put_default(out, d);
	(void)fputs(" | ", out);
	put_cell(out, d->doc);
	(void)fputs(" |\n", out);
}

static void put_rows(FILE *out, const struct schema *s)
{
	(void)fputs("| key | value | default | meaning |\n|---|---|---|---|\n", out);
	for (unsigned i = 0; i < s->n; i++) {
		if (s->fields[i].type != SCHEMA_SECTION)
			put_row(out, &s->fields[i]);
	}
}

/* The sections of s below `path`, each with its own heading. Bounded by the depth of the table. */
static void put_subsections(FILE *out, const struct schema *s, const char *path)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct schema_field *d = &s->fields[i];
		char memory[128];
		struct text t = text_of(memory, sizeof(memory));

		if (d->sub == NULL)
			continue;
		text_printf(&t, "%s%s%s%s", path, path[0] == '\0' ? "" : ".", d->key,
			    d->type == SCHEMA_ITEMS ? "[]" : "");
		(void)fprintf(out, "\n### `%s`\n\n%s\n\n", t.p, d->doc);
		put_rows(out, d->sub);
		put_subsections(out, d->sub, t.p);
	}
}

void settings_print_docs(FILE *out)
{
	put_lines(out, intro, COUNT_OF(intro));
	put_lines(out, example, COUNT_OF(example));
	put_lines(out, form, COUNT_OF(form));
	(void)fputs("\n## Keys\n\n", out);
	put_rows(out, &schema_settings);
	put_subsections(out, &schema_settings, "");
}
