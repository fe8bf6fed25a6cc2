#include "config/expand.h"

#include <stdlib.h>

#include "config/keep.h"
#include "config/text_rules.h"

enum { NAME_MAX_BYTES = 128 };

static bool is_name_byte(uint8_t c, bool first)
{
	bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';

	return letter || (!first && c >= '0' && c <= '9');
}

static bool is_name(struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!is_name_byte(s.p[i], i == 0))
			return false;
	}
	return s.len > 0 && s.len < NAME_MAX_BYTES;
}

static const char *environment(struct slice name)
{
	char text[NAME_MAX_BYTES];

	memcpy(text, name.p, name.len);
	text[name.len] = '\0';
	/* Nothing in this program changes the environment. NOLINTNEXTLINE(concurrency-mt-unsafe) */
	return getenv(text);
}

/* `in` stands behind "${"; afterwards behind "}". */
static enum expand_result expand_one(struct buf *io, struct slice *in, struct slice *ret_name)
{
	size_t end = slice_find(*in, '}');
	struct slice inside = slice_of(in->p, end);
	struct slice name = slice_of(in->p, slice_find(inside, ':'));
	bool has_default = name.len < inside.len;
	const char *value = NULL;

	*ret_name = name;
	if (end == in->len)
		return EXPAND_UNCLOSED;
	if (!is_name(name))
		return EXPAND_NAME;
	slice_cut(in, end + 1);
	value = environment(name);
	if (value == NULL && !has_default)
		return EXPAND_UNSET;
	if (value != NULL)
		return buf_append(io, slice_str(value)) ? EXPAND_OK : EXPAND_MEMORY;
	slice_cut(&inside, name.len + 1);
	return buf_append(io, inside) ? EXPAND_OK : EXPAND_MEMORY;
}

enum expand_result expand(struct buf *io, struct slice in, struct slice *ret_name)
{
	enum expand_result result = EXPAND_OK;

	*ret_name = slice_of(in.p, 0);
	while (in.len > 0 && result == EXPAND_OK) {
		size_t plain = slice_find(in, '$');

		if (!buf_append(io, slice_cut(&in, plain)))
			return EXPAND_MEMORY;
		if (slice_starts(in, SLICE_LIT("$${"))) {
			slice_cut(&in, 3);
			result = buf_append(io, SLICE_LIT("${")) ? EXPAND_OK : EXPAND_MEMORY;
		} else if (slice_starts(in, SLICE_LIT("${"))) {
			slice_cut(&in, 2);
			result = expand_one(io, &in, ret_name);
		} else if (in.len > 0 && !buf_append(io, slice_cut(&in, 1))) {
			return EXPAND_MEMORY;
		}
	}
	return result;
}

static void replace(struct yaml_node *n, struct slice text, struct slice name, struct arena *memory,
		    struct problems *p)
{
	const char *copy = keep_text(memory, text);
	const char *variable = name.len == 0 ? NULL : keep_text(memory, name);

	if (copy == NULL || (name.len > 0 && variable == NULL)) {
		p->out_of_memory = true;
		return;
	}
	n->text = slice_of(copy, text.len);
	n->variable = variable;
	if (variable == NULL)
		return;
	n->plain = false;
	if (!text_is_clean(n->text, true)) {
		problem_add(p, n,
			    "the text from ${%s} has control characters or bytes that are not "
			    "UTF-8; correct the variable",
			    variable);
		n->failed = true;
	}
}

static void complain(const struct yaml_node *n, enum expand_result why, struct slice name,
		     struct problems *p)
{
	char shown[PROBLEM_VALUE_MAX];
	struct text t = text_of(shown, sizeof(shown));
	struct slice head = slice_of(name.p, name.len > 64 ? 64 : name.len);

	text_put_value(&t, head);
	if (why == EXPAND_MEMORY)
		p->out_of_memory = true;
	else if (why == EXPAND_UNSET)
		problem_add(p, n,
			    "the environment variable %s is not set; set it, or give a default as "
			    "in ${%s:value}",
			    shown, shown);
	else if (why == EXPAND_NAME)
		problem_add(p, n,
			    "%s is no name of a variable; write ${NAME}, or $${ for the two "
			    "characters ${",
			    shown);
	else
		problem_add(p, n,
			    "${ without its }; write ${NAME}, or $${ for the two characters ${");
}

static void expand_text(struct yaml_node *n, struct arena *memory, struct problems *p)
{
	struct buf text = {0};
	struct slice name;
	enum expand_result why = EXPAND_OK;

	if (n->failed || slice_find(n->text, '$') == n->text.len)
		return;
	why = expand(&text, n->text, &name);
	if (why == EXPAND_OK) {
		replace(n, buf_slice(&text), name, memory, p);
	} else {
		complain(n, why, name, p);
		n->failed = true;
	}
	buf_fini(&text);
}

/* Recursion is bounded by YAML_DEPTH_MAX. */
void expand_tree(struct yaml_node *root, struct arena *memory, struct problems *p)
{
	if (root->kind == NODE_TEXT)
		expand_text(root, memory, p);
	for (struct yaml_node *c = root->first; c != NULL; c = c->next)
		expand_tree(c, memory, p);
}
