/*
 *   bytes -> libyaml events -> take_event() -> nodes
 *                  \-> explain_syntax(): libyaml's words, our remedy
 *
 * No recursion: `open` is the way from the root to the section or list that is being read.
 */
#include "config/yaml_tree.h"

#include <stdio.h>
#include <yaml.h>

#include "config/keep.h"
#include "config/yaml_syntax.h"

enum { BUCKETS = 4096 };

struct builder {
	struct arena *memory;
	struct problems *problems;
	struct yaml_node *root;
	struct yaml_node *open[YAML_DEPTH_MAX];
	unsigned depth;
	const char *key; /* read, its value not yet */
	unsigned key_line;
	unsigned nodes, documents;
	struct yaml_node *
		*seen; /* BUCKETS chains of nodes with keys: no twin is found by walking */
	bool ended;
};

static const char *keep(struct builder *b, struct slice s)
{
	const char *text = keep_text(b->memory, s);

	b->problems->out_of_memory = b->problems->out_of_memory || text == NULL;
	return text;
}

static unsigned line_of(const yaml_event_t *e)
{
	return (unsigned)e->start_mark.line + 1;
}

static struct yaml_node *innermost(const struct builder *b)
{
	return b->depth == 0 ? NULL : b->open[b->depth - 1];
}

static bool wants_key(const struct builder *b)
{
	const struct yaml_node *at = innermost(b);

	return at != NULL && at->kind == NODE_MAP && b->key == NULL;
}

/* The bucket of a key in the section `up` (FNV-1a). */
static struct yaml_node **bucket(const struct builder *b, const struct yaml_node *up,
				 const char *key)
{
	uint32_t hash = 2166136261u ^ (uint32_t)((uintptr_t)up >> 4);

	for (; *key != '\0'; key++)
		hash = (hash ^ (uint8_t)*key) * 16777619u;
	return &b->seen[(hash ^ hash >> 16) % BUCKETS];
}

/* The node of that key in that section, or NULL after remembering n as it. */
static const struct yaml_node *find_twin(const struct builder *b, struct yaml_node *n)
{
	struct yaml_node **chain = bucket(b, n->up, n->key);

	for (const struct yaml_node *c = *chain; c != NULL; c = c->same_bucket) {
		if (c->up == n->up && strcmp(c->key, n->key) == 0)
			return c;
	}
	n->same_bucket = *chain;
	*chain = n;
	return NULL;
}

/* A key that is there twice keeps its first value; the second one stays outside the tree. */
static void hang(struct builder *b, struct yaml_node *n)
{
	struct yaml_node *up = innermost(b);
	const struct yaml_node *twin = NULL;

	n->up = up;
	n->index = up->n;
	if (n->key != NULL)
		twin = find_twin(b, n);
	if (twin != NULL) {
		problem_add(b->problems, n, "is already set in line %u; keep one of the two",
			    twin->line);
		return;
	}
	if (up->last == NULL)
		up->first = n;
	else
		up->last->next = n;
	up->last = n;
	up->n++;
}

static struct yaml_node *add_node(struct builder *b, enum yaml_kind kind, const yaml_event_t *e)
{
	struct yaml_node *n = NULL;

	if (++b->nodes > YAML_NODES_MAX) {
		problem_add_line(b->problems, line_of(e),
				 "the file has more than %d values; make it smaller",
				 YAML_NODES_MAX);
		return NULL;
	}
	n = arena_alloc(b->memory, sizeof(*n));
	if (n == NULL) {
		b->problems->out_of_memory = true;
		return NULL;
	}
	*n = (struct yaml_node){.kind = kind, .line = line_of(e), .text = SLICE_LIT("")};
	if (b->key != NULL) {
		n->key = b->key;
		n->line = b->key_line;
		b->key = NULL;
	}
	if (b->depth == 0)
		b->root = n;
	else
		hang(b, n);
	return n;
}

static bool is_clean(struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((s.p[i] < ' ' && s.p[i] != '\n' && s.p[i] != '\t') || s.p[i] == 0x7F)
			return false;
	}
	return true;
}

static bool take_key(struct builder *b, struct slice key, const yaml_event_t *e)
{
	unsigned line = line_of(e);

	if (slice_eq(key, SLICE_LIT("<<"))) {
		problem_add_line(b->problems, line,
				 "merge keys (<<) are not used here; write the keys out");
		return false;
	}
	if (key.len == 0 || key.len > YAML_KEY_MAX || !is_clean(key) ||
	    slice_find(key, '\n') < key.len) {
		problem_add_line(b->problems, line,
				 "this key is empty, too long or has control characters in it; "
				 "write a line as 'key: value'");
		return false;
	}
	b->key = keep(b, key);
	b->key_line = line;
	return b->key != NULL;
}

static bool take_scalar(struct builder *b, const yaml_event_t *e)
{
	struct slice s = slice_of(e->data.scalar.value, e->data.scalar.length);
	struct yaml_node *n = NULL;
	const char *copy = NULL;

	if (wants_key(b))
		return take_key(b, s, e);
	n = add_node(b, NODE_TEXT, e);
	copy = n == NULL ? NULL : keep(b, s);
	if (copy == NULL)
		return false;
	n->text = slice_of(copy, s.len);
	n->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (!is_clean(s)) {
		problem_add(b->problems, n, "has a control character in it; take it out");
		n->failed = true;
	}
	return true;
}

static bool open_node(struct builder *b, enum yaml_kind kind, const yaml_event_t *e)
{
	struct yaml_node *n = NULL;

	if (wants_key(b)) {
		problem_add_line(b->problems, line_of(e),
				 "a section or list stands where a key belongs; "
				 "put quotes around a value that contains { or [");
		return false;
	}
	if (b->depth >= YAML_DEPTH_MAX) {
		problem_add_line(b->problems, line_of(e),
				 "more than %d levels of sections and lists; no key lies that deep",
				 YAML_DEPTH_MAX);
		return false;
	}
	n = add_node(b, kind, e);
	if (n == NULL)
		return false;
	b->open[b->depth++] = n;
	return true;
}

static bool refuse(struct builder *b, const yaml_event_t *e, const char *what)
{
	problem_add_line(b->problems, line_of(e),
			 "%s not used here; write the value out, or put quotes around it", what);
	return false;
}

/* False when the node has an anchor or a tag. */
static bool check_extras(struct builder *b, const yaml_event_t *e, const void *anchor,
			 const void *tag)
{
	if (anchor != NULL)
		return refuse(b, e, "anchors (&name) are");
	return tag == NULL || refuse(b, e, "tags (!name) are");
}

static bool take_document(struct builder *b, const yaml_event_t *e)
{
	if (++b->documents == 1)
		return true;
	problem_add_line(b->problems, line_of(e),
			 "a second document begins here (---); keep one in the file");
	return false;
}

static bool take_event(struct builder *b, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return check_extras(b, e, e->data.scalar.anchor, e->data.scalar.tag) &&
		       take_scalar(b, e);
	case YAML_SEQUENCE_START_EVENT:
		return check_extras(b, e, e->data.sequence_start.anchor,
				    e->data.sequence_start.tag) &&
		       open_node(b, NODE_LIST, e);
	case YAML_MAPPING_START_EVENT:
		return check_extras(b, e, e->data.mapping_start.anchor,
				    e->data.mapping_start.tag) &&
		       open_node(b, NODE_MAP, e);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--;
		return true;
	case YAML_ALIAS_EVENT:
		return refuse(b, e, "aliases (*name) are");
	case YAML_DOCUMENT_START_EVENT:
		return take_document(b, e);
	case YAML_STREAM_END_EVENT:
		b->ended = true;
		return true;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return true;
	}
	return true;
}

static bool read_events(struct builder *b, yaml_parser_t *parser, struct slice yaml)
{
	while (!b->ended) {
		yaml_event_t e;
		bool ok = false;

		if (!yaml_parser_parse(parser, &e)) {
			yaml_syntax_explain(parser, yaml, b->problems);
			return false;
		}
		ok = take_event(b, &e);
		yaml_event_delete(&e);
		if (!ok)
			return false;
	}
	return true;
}

static struct yaml_node *finish(struct builder *b)
{
	static const yaml_event_t nowhere;

	if (b->root == NULL)
		return add_node(b, NODE_MAP, &nowhere);
	if (yaml_is_nothing(b->root))
		b->root->kind = NODE_MAP;
	if (b->root->kind == NODE_MAP)
		return b->root;
	problem_add_line(b->problems, b->root->line,
			 "the file is no list of keys; write lines as 'key: value'");
	return NULL;
}

struct yaml_node *yaml_tree_read(struct slice yaml, struct arena *memory, struct problems *p)
{
	struct builder b = {.memory = memory, .problems = p};
	yaml_parser_t parser;
	bool ok = false;

	if (yaml.len > YAML_BYTES_MAX) {
		problem_add_line(p, 0, "the file is larger than 1 MiB; make it smaller");
		return NULL;
	}
	/* libyaml would count the mark as a column when the encoding is not guessed. */
	if (slice_starts(yaml, SLICE_LIT("\xEF\xBB\xBF")))
		slice_cut(&yaml, 3);
	b.seen = keep_zeroed(memory, BUCKETS, sizeof(void *));
	if (b.seen == NULL || !yaml_parser_initialize(&parser)) {
		p->out_of_memory = true;
		return NULL;
	}
	/* Not guessed: a file in UTF-16 is an error, not a surprise. */
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, yaml.p, yaml.len);
	ok = read_events(&b, &parser, yaml);
	yaml_parser_delete(&parser);
	return ok ? finish(&b) : NULL;
}

const struct yaml_node *yaml_child(const struct yaml_node *n, const char *key)
{
	const struct yaml_node *c = n == NULL || n->kind != NODE_MAP ? NULL : n->first;

	while (c != NULL && strcmp(c->key, key) != 0)
		c = c->next;
	return c;
}

unsigned yaml_item_n(const struct yaml_node *n)
{
	if (n == NULL || yaml_is_nothing(n))
		return 0;
	return n->kind == NODE_LIST ? n->n : 1;
}

const struct yaml_node *yaml_item(const struct yaml_node *n)
{
	if (yaml_item_n(n) == 0)
		return NULL;
	return n->kind == NODE_LIST ? n->first : n;
}

const struct yaml_node *yaml_item_next(const struct yaml_node *n, const struct yaml_node *item)
{
	return n->kind == NODE_LIST ? item->next : NULL;
}

bool yaml_is_nothing(const struct yaml_node *n)
{
	return n->kind == NODE_TEXT && n->plain &&
	       (n->text.len == 0 || slice_eq(n->text, SLICE_LIT("~")) ||
		slice_eq_nocase(n->text, SLICE_LIT("null")));
}

static bool is_plain_key(const char *key)
{
	for (; *key != '\0'; key++) {
		if (*key <= ' ' || *key >= 0x7F || strchr("\"\\:;.", *key) != NULL)
			return false;
	}
	return true;
}

static void put_step(const struct yaml_node *n, struct text *t)
{
	if (n->key == NULL) {
		text_printf(t, "[%u]", n->index);
		return;
	}
	if (t->len > 0)
		text_puts(t, ".");
	if (is_plain_key(n->key))
		text_puts(t, n->key);
	else
		problem_put_quoted(t, slice_str(n->key));
}

void yaml_path(const struct yaml_node *n, struct text *t)
{
	const struct yaml_node *way[YAML_DEPTH_MAX + 2];
	unsigned depth = 0;

	for (; n->up != NULL && depth < COUNT_OF(way); n = n->up)
		way[depth++] = n;
	while (depth > 0)
		put_step(way[--depth], t);
}
