/* --print-config: the schema table walked from struct to YAML, which loads again as the same. */
#include "base/utf8.h"
#include "config/schema.h"
#include "config/settings.h"

enum { COMMENT_COLUMNS = 100, LINE_MAX_BYTES = 1024 };

struct printer {
	FILE *out;
	unsigned indent;
	bool dash;  /* the next line begins an item */
	bool plain; /* no comments: they stood above the first item */
};

static void start_line(struct printer *p)
{
	(void)fprintf(p->out, "%*s%s", (int)p->indent - (p->dash ? 2 : 0), "", p->dash ? "- " : "");
	p->dash = false;
}

/* Words of `text` in lines of comment. */
static void put_comment(struct printer *p, const char *text)
{
	int column = 0;

	while (*text != '\0') {
		int word = (int)strcspn(text, " ");

		if (column == 0 || column + 1 + word > COMMENT_COLUMNS) {
			(void)fprintf(p->out, "%s%*s#", column == 0 ? "" : "\n", (int)p->indent,
				      "");
			column = (int)p->indent + 1;
		}
		(void)fprintf(p->out, " %.*s", word, text);
		column += 1 + word;
		text += word + (text[word] == ' ');
	}
	(void)fputc('\n', p->out);
}

static void put_doc(struct printer *p, const struct schema_field *d)
{
	char memory[LINE_MAX_BYTES];
	struct text t = text_of(memory, sizeof(memory));

	if (p->plain)
		return;
	text_puts(&t, d->doc);
	if (d->sub == NULL) {
		text_puts(&t, " (");
		schema_put_wants(&t, d);
		if (d->otherwise != NULL)
			text_printf(&t, "; without it: %s", d->otherwise);
		else if (d->fallback != NULL)
			text_printf(&t, "; default: %s", d->fallback);
		text_puts(&t, ")");
	}
	put_comment(p, t.p);
}

/* What needs no quotes anywhere in YAML. */
static bool is_bare(struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (!letter && (i == 0 || ((c < '0' || c > '9') && c != '.' && c != '_')))
			return false;
	}
	return s.len > 0 && !slice_eq_nocase(s, SLICE_LIT("null"));
}

/* Controls, separators and what YAML does not let pass as it is. */
static bool is_unprintable(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
	       code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
}

static void put_quoted(FILE *out, struct slice s)
{
	(void)fputc('"', out);
	while (s.len > 0) {
		struct slice rest = s;
		uint32_t code = 0;

		if (!utf8_next(&rest, &code))
			slice_cut(&rest, 1);
		if (code == '\n')
			(void)fputs("\\n", out);
		else if (code == '"' || code == '\\')
			(void)fprintf(out, "\\%c", (char)code);
		else if (is_unprintable(code))
			(void)fprintf(out, "\\u%04X", code);
		else
			(void)fprintf(out, "%s%.*s", slice_starts(s, SLICE_LIT("${")) ? "$" : "",
				      (int)(s.len - rest.len), (const char *)s.p);
		s = rest;
	}
	(void)fputc('"', out);
}

static void put_text(FILE *out, const char *text)
{
	struct slice s = slice_str(text);

	if (is_bare(s))
		(void)fputs(text, out);
	else
		put_quoted(out, s);
}

static void put_texts(FILE *out, const struct string_list *list)
{
	(void)fputc('[', out);
	for (size_t i = 0; i < list->n; i++) {
		(void)fputs(i == 0 ? "" : ", ", out);
		put_text(out, list->v[i]);
	}
	(void)fputc(']', out);
}

static void put_networks(FILE *out, const struct cidr_list *list)
{
	(void)fputc('[', out);
	for (size_t i = 0; i < list->n; i++) {
		const struct cidr *c = &list->v[i];
		struct addr a = {.kind = c->kind};
		char ip[ADDR_TEXT_MAX];

		memcpy(a.ip, c->ip, sizeof(a.ip));
		addr_format_ip(&a, ip);
		(void)fputs(i == 0 ? "" : ", ", out);
		if (c->kind == ADDR_UNIX)
			(void)fputs(ip, out);
		else
			(void)fprintf(out, "\"%s/%u\"", ip, c->bits);
	}
	(void)fputc(']', out);
}

static void put_choice(FILE *out, const struct schema_field *d, const void *at)
{
	unsigned value = d->width == sizeof(bool) ? *(const bool *)at : *(const unsigned *)at;
	const struct schema_choice *c = d->choices;

	while (c[1].name != NULL && c->value != value)
		c++;
	(void)fputs(c->name, out);
}

static void put_choices(FILE *out, const struct schema_field *d, unsigned bits)
{
	const char *comma = "";

	(void)fputc('[', out);
	for (const struct schema_choice *c = d->choices; c->name != NULL; c++) {
		if ((bits & c->value) == 0)
			continue;
		(void)fprintf(out, "%s%s", comma, c->name);
		comma = ", ";
	}
	(void)fputc(']', out);
}

static void put_quantity(FILE *out, const struct schema_field *d, uint64_t v)
{
	char memory[64];
	struct text t = text_of(memory, sizeof(memory));

	if (d->type == SCHEMA_SIZE)
		text_put_size(&t, v);
	else if (v == 0 && (d->flags & SCHEMA_MAY_BE_OFF) != 0)
		text_puts(&t, "off");
	else
		text_put_duration(&t, v);
	(void)fputs(t.p, out);
}

/* Everything that fits into one line behind its key. */
static void put_value(FILE *out, const struct schema_field *d, const void *at)
{
	switch (d->type) {
	case SCHEMA_SWITCH:
		(void)fputs(*(const bool *)at ? "true" : "false", out);
		return;
	case SCHEMA_NUMBER:
		(void)fprintf(out, "%u", *(const uint32_t *)at);
		return;
	case SCHEMA_SIZE:
	case SCHEMA_DURATION:
		put_quantity(out, d, *(const uint64_t *)at);
		return;
	case SCHEMA_CHOICE:
		put_choice(out, d, at);
		return;
	case SCHEMA_CHOICES:
		put_choices(out, d, *(const unsigned *)at);
		return;
	case SCHEMA_NETWORKS:
		put_networks(out, at);
		return;
	case SCHEMA_TEXTS:
		put_texts(out, at);
		return;
	case SCHEMA_LISTEN:
	case SCHEMA_ADDRESS:
		put_text(out, ((const struct place *)at)->text);
		return;
	case SCHEMA_TEXT:
	case SCHEMA_ICON:
		put_text(out, *(const char *const *)at);
		return;
	case SCHEMA_ROUTES:
	case SCHEMA_SECTION:
	case SCHEMA_ITEMS:
	case SCHEMA_TYPES:
		return;
	}
}

static void put_routes(struct printer *p, const struct schema_field *d, const void *base)
{
	const struct route_settings *const *routes = (const void *)((const char *)base + d->offset);
	size_t n = *(const size_t *)(const void *)((const char *)base + d->second);

	(void)fputs(n == 0 ? ": {}\n" : ":\n", p->out);
	p->indent += 2;
	for (size_t i = 0; i < n; i++) {
		start_line(p);
		put_quoted(p->out, slice_str((*routes)[i].host));
		(void)fputs(": ", p->out);
		put_texts(p->out, &(*routes)[i].servers);
		(void)fputc('\n', p->out);
	}
	p->indent -= 2;
}

static void put_section(struct printer *p, const struct schema *s, const void *base);

static void put_items(struct printer *p, const struct schema_field *d, const void *base)
{
	const char *const *items = (const void *)((const char *)base + d->offset);
	size_t n = *(const size_t *)(const void *)((const char *)base + d->second);

	(void)fputs(n == 0 ? ": []\n" : ":\n", p->out);
	p->indent += 4;
	for (size_t i = 0; i < n; i++) {
		p->plain = i > 0;
		p->dash = true;
		put_section(p, d->sub, *items + i * d->sub->size);
	}
	p->plain = false;
	p->indent -= 4;
}

static bool is_unset(const struct schema_field *d, const void *at)
{
	return (d->type == SCHEMA_TEXT || d->type == SCHEMA_ICON) &&
	       *(const char *const *)at == NULL;
}

static void put_line(struct printer *p, const struct schema_field *d, const void *at)
{
	if (is_unset(d, at) && d->null_word == NULL) {
		(void)fprintf(p->out, "# %s: %s\n", d->key, d->sample);
		return;
	}
	(void)fprintf(p->out, "%s: ", d->key);
	if (is_unset(d, at))
		(void)fputs(d->null_word, p->out);
	else
		put_value(p->out, d, at);
	(void)fputc('\n', p->out);
}

static void put_field(struct printer *p, const struct schema_field *d, const void *base)
{
	put_doc(p, d);
	start_line(p);
	if (d->type != SCHEMA_SECTION && d->type != SCHEMA_ITEMS && d->type != SCHEMA_ROUTES) {
		put_line(p, d, (const char *)base + d->offset);
		return;
	}
	(void)fputs(d->key, p->out);
	if (d->type == SCHEMA_ROUTES) {
		put_routes(p, d, base);
	} else if (d->type == SCHEMA_ITEMS) {
		put_items(p, d, base);
	} else {
		(void)fputs(":\n", p->out);
		p->indent += 2;
		put_section(p, d->sub, base);
		p->indent -= 2;
	}
}

static void put_section(struct printer *p, const struct schema *s, const void *base)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (p->indent == 0)
			(void)fputc('\n', p->out);
		put_field(p, &s->fields[i], base);
	}
}

void settings_print(FILE *out, const struct settings *s)
{
	struct printer p = {.out = out};

	(void)fprintf(out, "# MoonBridge %s: every key with the value in effect (%s).\n",
		      MOONBRIDGE_VERSION,
		      s->file == NULL ? "the defaults" : "from the config file");
	(void)fputs(
		"# Saved to a file, this loads again as it is; keys that are left out have their "
		"defaults.\n",
		out);
	put_section(&p, &schema_settings, s);
}
