/* libyaml's syntax errors, said so that somebody who does not know YAML can mend the line. */
#ifndef CONFIG_YAML_SYNTAX_H
#define CONFIG_YAML_SYNTAX_H

#include <yaml.h>

#include "base/slice.h"
#include "config/problems.h"

/* The parser has just failed on `yaml`. */
void yaml_syntax_explain(const yaml_parser_t *parser, struct slice yaml, struct problems *p);

#endif
