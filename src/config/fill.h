/* Tree of texts -> typed struct, by the schema table. Goes on after an error, to tell them all. */
#ifndef CONFIG_FILL_H
#define CONFIG_FILL_H

#include "base/arena.h"
#include "base/attr.h"
#include "config/problems.h"
#include "config/schema.h"
#include "config/yaml_tree.h"

struct fill {
	struct problems *problems;
	struct arena *memory; /* lives as long as the struct that is filled */
	const char *file;     /* relative paths are seen from its folder */
};

/* All keys of `s` into the zeroed struct at `base`, defaults included. n may be NULL: defaults
 * only. What has an error stays zero. */
void fill_section(struct fill *f, const struct schema *s, const struct yaml_node *n, void *base);

/* A copy that lives as long as the struct. NULL: out of memory, which is noted. */
const char *fill_keep(struct fill *f, struct slice s);

/* "<value> <what>; write <what the field wants>" */
void fill_complain(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		   const char *what);

#endif
