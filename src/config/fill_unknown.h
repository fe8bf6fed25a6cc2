/* Keys that the schema does not have: what was meant, and what is allowed. */
#ifndef CONFIG_FILL_UNKNOWN_H
#define CONFIG_FILL_UNKNOWN_H

#include "config/problems.h"
#include "config/schema.h"
#include "config/yaml_tree.h"

/* Complains about each key of n that `s` does not have. n may be NULL. */
void fill_unknown(struct problems *p, const struct schema *s, const struct yaml_node *n);

#endif
