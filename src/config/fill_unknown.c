#include "config/fill_unknown.h"

#include "config/absent.h"
#include "config/nearest.h"

/* The way to a key of that name anywhere in the table: "status.motd". Bounded by the depth of the
 * table. */
static bool put_elsewhere(struct text *t, const struct schema *s, struct slice key)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct schema_field *d = &s->fields[i];
		size_t start = t->len;

		if (nearest_is_same(key, slice_str(d->key))) {
			text_puts(t, d->key);
			return true;
		}
		if (d->sub == NULL)
			continue;
		text_printf(t, "%s%s.", d->key, d->type == SCHEMA_ITEMS ? "[]" : "");
		if (put_elsewhere(t, d->sub, key))
			return true;
		t->len = start;
	}
	return false;
}

static const char *nearest_key(const struct schema *s, struct slice key, bool *ret_same)
{
	struct nearest near;

	nearest_init(&near, key);
	for (unsigned i = 0; i < s->n; i++)
		nearest_try(&near, s->fields[i].key);
	*ret_same = near.best != NULL && near.distance == 0;
	return near.best;
}

/* A key in other letters, then one that others have, then one that stands elsewhere, then a slip of
 * the finger. */
static void complain(struct problems *p, const struct schema *s, const struct yaml_node *n)
{
	char keys_memory[256], way_memory[128];
	struct text keys = text_of(keys_memory, sizeof(keys_memory));
	struct text way = text_of(way_memory, sizeof(way_memory));
	struct slice key = slice_str(n->key);
	bool same = false;
	const char *near = nearest_key(s, key, &same);
	const char *remedy = same ? NULL : absent_remedy(key);

	if (remedy != NULL) {
		problem_add(p, n, "%s", remedy);
		return;
	}
	schema_put_keys(&keys, s);
	if (!same && put_elsewhere(&way, &schema_settings, key))
		problem_add(p, n, "is not a key of this section; write it as %s (allowed here: %s)",
			    way.p, keys.p);
	else if (near != NULL)
		problem_add(p, n, "is not a key; did you mean %s? (allowed here: %s)", near,
			    keys.p);
	else
		problem_add(p, n, "is not a key; remove it (allowed here: %s)", keys.p);
}

void fill_unknown(struct problems *p, const struct schema *s, const struct yaml_node *n)
{
	for (const struct yaml_node *c = n == NULL ? NULL : n->first; c != NULL; c = c->next) {
		if (schema_find(s, c->key) != NULL)
			continue;
		if (problems_are_full(p))
			problem_add(p, c, "is not a key");
		else
			complain(p, s, c);
	}
}
