/* What no single key can tell: names that must exist, keys that only make sense together, defaults
 * that depend. */
#ifndef CONFIG_SETTINGS_RULES_H
#define CONFIG_SETTINGS_RULES_H

#include "base/arena.h"
#include "config/problems.h"
#include "config/settings.h"
#include "config/yaml_tree.h"

/* s was filled from root, perhaps with errors: what they hit is NULL or zero. */
void settings_rules_apply(struct settings *s, const struct yaml_node *root, struct arena *memory,
			  struct problems *p);

/* settings_rules_route.c: backends and the routes to them. */
void settings_rules_route(struct settings *s, const struct yaml_node *root, struct arena *memory,
			  struct problems *p);

#endif
