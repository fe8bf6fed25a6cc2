#include "config/fill_scalar.h"

#include <limits.h>
#include <stdlib.h>

#include "config/endpoint.h"
#include "config/icon_file.h"
#include "config/keep.h"
#include "config/nearest.h"
#include "config/settings.h"

static void *field_at(void *base, const struct schema_field *d)
{
	return (char *)base + d->offset;
}

bool fill_is_text(struct fill *f, const struct schema_field *d, const struct yaml_node *n)
{
	char wants_memory[256];
	struct text wants = text_of(wants_memory, sizeof(wants_memory));

	if (n->kind != NODE_TEXT) {
		fill_complain(f, d, n, "does not belong here");
		return false;
	}
	if (!yaml_is_nothing(n))
		return true;
	schema_put_item_wants(&wants, d);
	problem_add(f->problems, n, "has no value; write %s, or remove the key", wants.p);
	return false;
}

bool fill_keeps_rule(struct fill *f, const struct schema_field *d, const struct yaml_node *n)
{
	if (d->rule->is_ok(n->text))
		return true;
	fill_complain(f, d, n, "is not possible");
	return false;
}

void fill_switch(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		 void *base)
{
	static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};

	if (!fill_is_text(f, d, n))
		return;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (slice_eq_nocase(n->text, slice_str(words[i]))) {
			*(bool *)field_at(base, d) = i % 2 == 1;
			return;
		}
	}
	fill_complain(f, d, n, "is neither");
}

void fill_number(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		 void *base)
{
	uint64_t v;

	if (!fill_is_text(f, d, n))
		return;
	if (!u64_parse(n->text, &v))
		fill_complain(f, d, n, "is not a whole number");
	else if (v < d->min || v > d->max)
		fill_complain(f, d, n, "is out of range");
	else
		*(uint32_t *)field_at(base, d) = (uint32_t)v;
}

static bool is_off(const struct schema_field *d, struct slice s)
{
	return (d->flags & SCHEMA_MAY_BE_OFF) != 0 &&
	       (slice_eq_nocase(s, SLICE_LIT("off")) || slice_eq(s, SLICE_LIT("0")));
}

void fill_quantity(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		   void *base)
{
	bool is_size = d->type == SCHEMA_SIZE;
	uint64_t v;

	if (!fill_is_text(f, d, n))
		return;
	if (is_off(d, n->text))
		*(uint64_t *)field_at(base, d) = 0;
	else if (is_size ? !size_parse(n->text, &v) : !duration_parse(n->text, &v))
		fill_complain(f, d, n,
			      is_size ? "is not a size (b, kb, mb, gb)"
				      : "is not a duration with its unit (ms, s, m, h)");
	else if (v < d->min || v > d->max)
		fill_complain(f, d, n, "is out of range");
	else
		*(uint64_t *)field_at(base, d) = v;
}

void fill_text(struct fill *f, const struct schema_field *d, const struct yaml_node *n, void *base)
{
	if (!fill_is_text(f, d, n))
		return;
	if (d->null_word != NULL && slice_eq_nocase(n->text, slice_str(d->null_word)))
		*(const char **)field_at(base, d) = NULL;
	else if (fill_keeps_rule(f, d, n))
		*(const char **)field_at(base, d) = fill_keep(f, n->text);
}

static void complain_choice(struct fill *f, const struct schema_field *d, const struct yaml_node *n)
{
	char what[160];
	struct nearest near;

	nearest_init(&near, n->text);
	for (const struct schema_choice *c = d->choices; c->name != NULL; c++)
		nearest_try(&near, c->name);
	(void)snprintf(what, sizeof(what), "is unknown%s%s%s",
		       near.best == NULL || n->variable != NULL ? "" : " (did you mean ",
		       near.best == NULL || n->variable != NULL ? "" : near.best,
		       near.best == NULL || n->variable != NULL ? "" : "?)");
	fill_complain(f, d, n, what);
}

const struct schema_choice *fill_find_choice(struct fill *f, const struct schema_field *d,
					     const struct yaml_node *n)
{
	if (!fill_is_text(f, d, n))
		return NULL;
	for (const struct schema_choice *c = d->choices; c->name != NULL; c++) {
		if (!nearest_is_same(n->text, slice_str(c->name)))
			continue;
		if (c->refused == NULL)
			return c;
		problem_add(f->problems, n, "%s", c->refused);
		return NULL;
	}
	complain_choice(f, d, n);
	return NULL;
}

void fill_choice(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		 void *base)
{
	const struct schema_choice *c = fill_find_choice(f, d, n);

	if (c == NULL)
		return;
	if (d->width == sizeof(bool))
		*(bool *)field_at(base, d) = c->value != 0;
	else
		*(unsigned *)field_at(base, d) = c->value;
}

void fill_place(struct fill *f, const struct schema_field *d, const struct yaml_node *n, void *base)
{
	char value[PROBLEM_VALUE_MAX];
	enum endpoint_result result;
	const char *why = NULL;

	if (!fill_is_text(f, d, n))
		return;
	result = d->type == SCHEMA_LISTEN
			 ? endpoint_parse_listen(field_at(base, d), n->text, f->memory, &why)
			 : endpoint_parse_backend(field_at(base, d), n->text, f->memory, &why);
	if (result == ENDPOINT_MEMORY)
		f->problems->out_of_memory = true;
	else if (result == ENDPOINT_WRONG)
		problem_add(f->problems, n, "%s %s", problem_value(value, n), why);
}

/* Relative paths are seen from the config's folder. NULL: too long. */
static const char *path_from(const char *file, const char *path, char ret[PATH_MAX])
{
	const char *slash = file == NULL ? NULL : strrchr(file, '/');
	int folder = path[0] == '/' || slash == NULL ? 0 : (int)(slash - file) + 1;
	int n = snprintf(ret, PATH_MAX, "%.*s%s", folder, file == NULL ? "" : file, path);

	return n > 0 && n < PATH_MAX ? ret : NULL;
}

/* Kept as an absolute path, so that what --print-config shows is true wherever it is saved. */
void fill_icon(struct fill *f, const struct schema_field *d, const struct yaml_node *n, void *base)
{
	char path[PATH_MAX], absolute[PATH_MAX], value[PROBLEM_VALUE_MAX];
	const char **base64 = (const char **)((char *)base + d->second);
	const char *why = "cannot be read; correct the path or the permissions";
	enum icon_result result = ICON_WRONG;

	if (!fill_is_text(f, d, n) || !fill_keeps_rule(f, d, n))
		return;
	if (path_from(f->file, (const char *)n->text.p, path) != NULL &&
	    realpath(path, absolute) != NULL)
		result = icon_file_load(base64, absolute, f->memory, &why);
	if (result == ICON_MEMORY)
		f->problems->out_of_memory = true;
	else if (result == ICON_WRONG)
		problem_add(f->problems, n, "%s %s", problem_value(value, n), why);
	else
		*(const char **)field_at(base, d) = fill_keep(f, slice_str(absolute));
}
