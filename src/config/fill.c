/*
 * fill_section: for each key of the schema: the file's node, or its default as a node -> readers[]
 *
 * fill_scalar.c: readers of one text; fill_list.c: readers of lists; fill_unknown.c: keys that
 * nobody knows.
 */
#include "config/fill.h"

#include "config/fill_list.h"
#include "config/fill_scalar.h"
#include "config/fill_unknown.h"
#include "config/keep.h"

static void read_section(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
			 void *base);
static void read_items(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		       void *base);

/* Each gets the struct that the field lies in. */
typedef void reader_fn(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		       void *base);

static reader_fn *const readers[SCHEMA_TYPES] = {
	[SCHEMA_SWITCH] = fill_switch,   [SCHEMA_NUMBER] = fill_number,
	[SCHEMA_SIZE] = fill_quantity,   [SCHEMA_DURATION] = fill_quantity,
	[SCHEMA_TEXT] = fill_text,       [SCHEMA_CHOICE] = fill_choice,
	[SCHEMA_CHOICES] = fill_choices, [SCHEMA_NETWORKS] = fill_networks,
	[SCHEMA_TEXTS] = fill_texts,     [SCHEMA_LISTEN] = fill_place,
	[SCHEMA_ADDRESS] = fill_place,   [SCHEMA_ICON] = fill_icon,
	[SCHEMA_ROUTES] = fill_routes,   [SCHEMA_SECTION] = read_section,
	[SCHEMA_ITEMS] = read_items,
};

const char *fill_keep(struct fill *f, struct slice s)
{
	const char *text = keep_text(f->memory, s);

	f->problems->out_of_memory = f->problems->out_of_memory || text == NULL;
	return text;
}

void fill_complain(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		   const char *what)
{
	char value[PROBLEM_VALUE_MAX], wants_memory[256];
	struct text wants = text_of(wants_memory, sizeof(wants_memory));

	if (n->kind == NODE_TEXT)
		schema_put_item_wants(&wants, d);
	else
		schema_put_wants(&wants, d);
	problem_add(f->problems, n, "%s %s; write %s", problem_value(value, n), what, wants.p);
}

static void complain_missing(struct fill *f, const struct schema_field *d,
			     const struct yaml_node *in)
{
	char wants_memory[256];
	struct text wants = text_of(wants_memory, sizeof(wants_memory));

	schema_put_wants(&wants, d);
	problem_add_missing(f->problems, in, d->key, "is missing; write %s", wants.p);
}

static void fill_absent(struct fill *f, const struct schema_field *d, const struct yaml_node *in,
			void *base)
{
	struct yaml_node text = {.kind = NODE_TEXT, .key = d->key, .up = in};

	if ((d->flags & SCHEMA_REQUIRED) != 0) {
		complain_missing(f, d, in);
	} else if (d->type == SCHEMA_SECTION) {
		fill_section(f, d->sub, NULL, base);
	} else if (d->fallback != NULL) {
		text.text = slice_str(d->fallback);
		readers[d->type](f, d, &text, base);
	}
}

void fill_section(struct fill *f, const struct schema *s, const struct yaml_node *n, void *base)
{
	fill_unknown(f->problems, s, n);
	for (unsigned i = 0; i < s->n; i++) {
		const struct schema_field *d = &s->fields[i];
		const struct yaml_node *child = yaml_child(n, d->key);

		if (child == NULL)
			fill_absent(f, d, n, base);
		else if (!child->failed)
			readers[d->type](f, d, child, base);
	}
}

static void complain_keys(struct fill *f, const struct schema *s, const struct yaml_node *n)
{
	char value[PROBLEM_VALUE_MAX], keys_memory[256];
	struct text keys = text_of(keys_memory, sizeof(keys_memory));

	schema_put_keys(&keys, s);
	problem_add(f->problems, n, "%s is not a section; write it as keys below each other: %s",
		    problem_value(value, n), keys.p);
}

static void read_section(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
			 void *base)
{
	if (n->kind != NODE_MAP && !yaml_is_nothing(n))
		complain_keys(f, d->sub, n);
	else
		fill_section(f, d->sub, n, base);
}

/* An item that is only a text is the value of the brief key; the others have their defaults. */
static void read_brief(struct fill *f, const struct schema *s, const struct yaml_node *n,
		       void *base)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct schema_field *d = &s->fields[i];

		if (strcmp(d->key, s->brief) == 0)
			readers[d->type](f, d, n, base);
		else
			fill_absent(f, d, n, base);
	}
}

static void read_item(struct fill *f, const struct schema *s, const struct yaml_node *n, void *base)
{
	if (n->failed)
		return;
	if (n->kind == NODE_MAP)
		fill_section(f, s, n, base);
	else if (n->kind == NODE_TEXT && s->brief != NULL && !yaml_is_nothing(n))
		read_brief(f, s, n, base);
	else
		complain_keys(f, s, n);
}

static void read_items(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		       void *base)
{
	unsigned count = yaml_item_n(n);
	uint8_t *item = NULL;

	if (!fill_count_is_ok(f, d, n))
		return;
	if (n->kind != NODE_LIST && count > 0 && d->sub->brief == NULL) {
		problem_add(f->problems, n, "is not a list; begin each item with '- '");
		return;
	}
	item = keep_zeroed(f->memory, count, d->sub->size);
	if (item == NULL) {
		f->problems->out_of_memory = true;
		return;
	}
	*(void **)((char *)base + d->offset) = item;
	*(size_t *)((char *)base + d->second) = count;
	for (const struct yaml_node *c = yaml_item(n); c != NULL; c = yaml_item_next(n, c)) {
		read_item(f, d->sub, c, item);
		item += d->sub->size;
	}
}
