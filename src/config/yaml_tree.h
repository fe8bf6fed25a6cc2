/*
 * A YAML file as a tree of nodes that know their line. Only the plain part of YAML is taken: one
 * document of sections, lists and texts. Aliases, merge keys, anchors and tags are refused (a file
 * means what it shows), and size, depth and number of nodes are bounded. Texts are not interpreted
 * here: "5", "true" and "5s" are texts.
 */
#ifndef CONFIG_YAML_TREE_H
#define CONFIG_YAML_TREE_H

#include "base/arena.h"
#include "base/attr.h"
#include "base/format.h"
#include "base/slice.h"
#include "config/problems.h"

enum {
	YAML_BYTES_MAX = 1 << 20,
	YAML_DEPTH_MAX = 16,
	YAML_NODES_MAX = 20000,
	YAML_KEY_MAX = 255,
};

enum yaml_kind { NODE_TEXT, NODE_LIST, NODE_MAP };

struct yaml_node {
	enum yaml_kind kind;
	bool plain;           /* a text without quotes */
	unsigned line;        /* from 1; of the key, when it has one */
	unsigned index;       /* in its section or list, from 0 */
	unsigned n;           /* children */
	const char *key;      /* in a section, else NULL */
	struct slice text;    /* a NUL follows it */
	const char *variable; /* the text came (in part) from this environment variable */
	bool failed;          /* an error about it was told: no more about this text */
	const struct yaml_node *up;
	struct yaml_node *first, *last, *next;
	struct yaml_node *same_bucket; /* while the tree is built */
};

/* The root: always a section, empty for an empty file. NULL: see p. Nodes live in `memory`. */
must_check struct yaml_node *yaml_tree_read(struct slice yaml, struct arena *memory,
					    struct problems *p);

/* NULL when n is NULL, no section, or has no such key. */
const struct yaml_node *yaml_child(const struct yaml_node *n, const char *key);

/* A list's items; anything else counts as a list of itself, and nothing (NULL, no value) as an
 * empty list. */
unsigned yaml_item_n(const struct yaml_node *n);
const struct yaml_node *yaml_item(const struct yaml_node *n); /* the first, or NULL */
const struct yaml_node *yaml_item_next(const struct yaml_node *n, const struct yaml_node *item);

/* "key:" with nothing behind it, "~" or "null". */
bool yaml_is_nothing(const struct yaml_node *n);

/* "backends[1].address"; nothing for the root. */
void yaml_path(const struct yaml_node *n, struct text *t);

#endif
