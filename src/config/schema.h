/*
 * THE table of the config: each key with its type, place in struct settings, default, range, words
 * and meaning. The reader (fill), the printer, the reference page and the errors are all driven by
 * it; nothing about a key is said anywhere else.
 */
#ifndef CONFIG_SCHEMA_H
#define CONFIG_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "base/format.h"
#include "config/text_rules.h"

enum schema_type {
	SCHEMA_SWITCH,   /* bool */
	SCHEMA_NUMBER,   /* uint32_t */
	SCHEMA_SIZE,     /* uint64_t, bytes */
	SCHEMA_DURATION, /* uint64_t, microseconds */
	SCHEMA_TEXT,     /* const char * */
	SCHEMA_CHOICE,   /* an enum or bool of `width` bytes */
	SCHEMA_CHOICES,  /* unsigned: bits */
	SCHEMA_NETWORKS, /* struct cidr_list */
	SCHEMA_TEXTS,    /* struct string_list */
	SCHEMA_LISTEN,   /* struct place of a listener */
	SCHEMA_ADDRESS,  /* struct place of a backend */
	SCHEMA_ICON,     /* const char *: the path; `second`: the base64 */
	SCHEMA_ROUTES,   /* struct route_settings *; `second`: how many */
	SCHEMA_SECTION,  /* keys of `sub` in the same struct */
	SCHEMA_ITEMS,    /* an array of sub->size each; `second`: how many */
	SCHEMA_TYPES
};

enum schema_flags {
	SCHEMA_REQUIRED = 1,
	SCHEMA_MAY_BE_OFF = 2, /* a duration: "off" is 0 */
};

struct schema_choice {
	const char *name; /* NULL ends the list */
	unsigned value;
	const char *refused; /* not possible in this version: what is wrong; the remedy */
};

struct schema;
struct schema_field {
	const char *key;
	enum schema_type type;
	unsigned flags;
	size_t offset, width, second;
	uint64_t min, max;     /* of the value; of a list's length (max 0: no limit) */
	const char *fallback;  /* the default, as one would write it; NULL: nothing */
	const char *otherwise; /* no plain default: what happens without the key */
	const char *sample;    /* shown where there is no value */
	const char *null_word; /* a text that is kept as NULL */
	const struct schema_choice *choices;
	const struct text_rule *rule;
	const struct schema *sub;
	const char *doc;
};

struct schema {
	const struct schema_field *fields;
	unsigned n;
	size_t size;       /* of an array's element */
	const char *brief; /* an item that is only a text is this key */
};

extern const struct schema schema_settings;

/* NULL when there is no such key. */
const struct schema_field *schema_find(const struct schema *s, const char *key);

/* What a value has to be: "a whole number from 1 to 64". */
void schema_put_wants(struct text *t, const struct schema_field *f);

/* What one value of such a list has to be; the same as above for a field that is no list. */
void schema_put_item_wants(struct text *t, const struct schema_field *f);

/* "key, key, key" */
void schema_put_keys(struct text *t, const struct schema *s);

/* "a or b or c" */
void schema_put_choices(struct text *t, const struct schema_choice *c);

#endif
