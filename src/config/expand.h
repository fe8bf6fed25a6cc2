/*
 * ${NAME} and ${NAME:default} in the texts of a config: the environment's value, or the default
 * when NAME is not set (an empty value counts as set). $${ stands for ${. Values come in after YAML
 * was read, so none of them can add a key; errors never show them.
 */
#ifndef CONFIG_EXPAND_H
#define CONFIG_EXPAND_H

#include "base/attr.h"
#include "base/buf.h"
#include "config/yaml_tree.h"

enum expand_result {
	EXPAND_OK,
	EXPAND_UNSET,    /* no such variable and no default */
	EXPAND_NAME,     /* ${} or ${1x}: not the name of a variable */
	EXPAND_UNCLOSED, /* ${ without } */
	EXPAND_MEMORY
};

/* Appends the expanded text to `io`. *ret_name: the last variable used (empty when none), or the
 * one that the error is about; it points into `in`. */
must_check enum expand_result expand(struct buf *io, struct slice in, struct slice *ret_name);

/* Every text of the tree (keys are names, not texts). */
void expand_tree(struct yaml_node *root, struct arena *memory, struct problems *p);

#endif
