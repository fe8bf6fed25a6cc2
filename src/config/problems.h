/*
 * What is wrong with a config, collected: "file:line: key.path: what is wrong; remedy". The first
 * PROBLEMS_MAX are kept in words, the rest is counted, so that a file of nonsense cannot fill
 * memory or a terminal.
 */
#ifndef CONFIG_PROBLEMS_H
#define CONFIG_PROBLEMS_H

#include "base/attr.h"
#include "base/format.h"
#include "config/settings.h"

enum { PROBLEMS_MAX = 50, PROBLEM_VALUE_MAX = 224 };

struct yaml_node;

struct problems {
	const char *file;
	struct config_errors *errs;
	unsigned n;   /* of this load; errs may hold older ones */
	size_t start; /* of this load's text */
	struct {
		unsigned line;
		size_t bytes;
	} kept[PROBLEMS_MAX]; /* in the order of the text */
	bool out_of_memory;   /* sticky: set by whoever got no memory, reported by problems_end */
};

void problems_init(struct problems *p, const char *file, struct config_errors *errs);

/* The text after the key path: what is wrong, a semicolon, the remedy. */
void problem_add(struct problems *p, const struct yaml_node *at, const char *fmt, ...)
	printf_like(3, 4);

/* About a key that is not there, in the section `in`. */
void problem_add_missing(struct problems *p, const struct yaml_node *in, const char *key,
			 const char *fmt, ...) printf_like(4, 5);

/* About a line (no key is known yet) or, with line 0, about the file. */
void problem_add_line(struct problems *p, unsigned line, const char *fmt, ...) printf_like(3, 4);

/* True when more words would be thrown away: no need to search for a good remedy. */
bool problems_are_full(const struct problems *p);

/* Puts them into the order of their lines, and says how many were left out and whether memory ran
 * out. */
void problems_end(struct problems *p);

/* The text in quotes, escaped. */
void problem_put_quoted(struct text *t, struct slice s);

/* The node's text as errors show it: quoted, escaped, cut; never one that came from a variable. */
const char *problem_value(char ret[PROBLEM_VALUE_MAX], const struct yaml_node *n);

#endif
