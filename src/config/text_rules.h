/* What a text of the config may look like. Each rule knows the words for its error and for the
 * reference page. */
#ifndef CONFIG_TEXT_RULES_H
#define CONFIG_TEXT_RULES_H

#include "base/attr.h"
#include "base/slice.h"

struct text_rule {
	bool (*is_ok)(struct slice s);
	const char *wants; /* "a name of ..." */
};

extern const struct text_rule rule_name;        /* a backend, a tag */
extern const struct text_rule rule_motd;        /* two lines at most */
extern const struct text_rule rule_line;        /* one line of text */
extern const struct text_rule rule_file;        /* a file's path */
extern const struct text_rule rule_url_path;    /* "/mc" */
extern const struct text_rule rule_header;      /* the name of an HTTP header */
extern const struct text_rule rule_origin;      /* "https://play.example.org" */
extern const struct text_rule rule_forced_host; /* "play.example.org", "*.example.org" */

/* UTF-8 without control characters, line ends apart when they are allowed. */
bool text_is_clean(struct slice s, bool lines);

/* A host name or IPv4 literal: letters, digits, dots, dashes, underscores. */
bool text_is_host(struct slice s);

#endif
