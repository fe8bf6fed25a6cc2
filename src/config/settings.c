/*
 * file -> yaml_tree -> expand -> fill (schema) -> settings_rules -> struct settings
 *
 * One allocation holds the struct and the arena that all its texts and arrays lie in; the tree has
 * an arena of its own, which goes when loading is over.
 */
#include "config/settings.h"

#include <stdlib.h>

#include "config/expand.h"
#include "config/fill.h"
#include "config/keep.h"
#include "config/settings_rules.h"
#include "config/whole_file.h"

enum { MEMORY_BLOCK = 4096, TREE_BLOCK = 16 * 1024 };

struct owner {
	struct arena memory;
	struct settings settings;
};

static void owner_free(struct owner *o)
{
	arena_fini(&o->memory);
	free(o);
}

static struct owner *owner_new(const char *name, struct problems *p)
{
	struct owner *o = calloc(1, sizeof(*o));

	if (o != NULL) {
		arena_init(&o->memory, MEMORY_BLOCK);
		o->settings.refs = 1;
		if (name == NULL)
			return o;
		o->settings.file = keep_text(&o->memory, slice_str(name));
		if (o->settings.file != NULL)
			return o;
		owner_free(o);
	}
	p->out_of_memory = true;
	return NULL;
}

static void read_settings(struct owner *o, struct slice yaml, struct problems *p)
{
	struct arena scratch;
	struct yaml_node *root = NULL;
	struct fill f = {.problems = p, .memory = &o->memory, .file = o->settings.file};

	arena_init(&scratch, TREE_BLOCK);
	root = yaml_tree_read(yaml, &scratch, p);
	if (root != NULL) {
		expand_tree(root, &scratch, p);
		fill_section(&f, &schema_settings, root, &o->settings);
		if (!p->out_of_memory)
			settings_rules_apply(&o->settings, root, &o->memory, p);
	}
	arena_fini(&scratch);
}

static struct settings *load(const char *name, struct slice yaml, struct problems *p)
{
	struct owner *o = owner_new(name, p);

	if (o != NULL)
		read_settings(o, yaml, p);
	problems_end(p);
	if (p->n == 0)
		return &o->settings;
	if (o != NULL)
		owner_free(o);
	return NULL;
}

struct settings *settings_default(void)
{
	struct config_errors errs = {0};
	struct problems p;
	struct settings *s = NULL;

	problems_init(&p, "defaults", &errs);
	s = load(NULL, SLICE_LIT(""), &p);
	config_errors_fini(&errs);
	return s;
}

struct settings *settings_parse(const char *name, struct slice yaml, struct config_errors *errs)
{
	struct problems p;

	problems_init(&p, name == NULL ? "config" : name, errs);
	return load(p.file, yaml, &p);
}

static void explain_unread(struct problems *p, int err)
{
	char reason[128];

	if (err == -ENOMEM)
		p->out_of_memory = true;
	else if (err == -EFBIG)
		problem_add_line(p, 0, "the file is larger than 1 MiB; make it smaller");
	else if (err == -EINVAL)
		problem_add_line(p, 0, "this is not a regular file; name a file");
	else
		problem_add_line(p, 0, "cannot be read (%s); correct the path or the permissions",
				 strerror_r(-err, reason, sizeof(reason)));
}

struct settings *settings_load(const char *path, struct config_errors *errs)
{
	struct problems p;
	struct settings *s = NULL;
	struct buf yaml = {0};
	int err = whole_file_read(&yaml, path, YAML_BYTES_MAX);

	problems_init(&p, path, errs);
	if (err == 0) {
		s = load(path, buf_slice(&yaml), &p);
	} else {
		explain_unread(&p, err);
		problems_end(&p);
	}
	buf_fini(&yaml);
	return s;
}

struct settings *settings_ref(struct settings *s)
{
	(void)__atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
	return s;
}

void settings_unref(struct settings *s)
{
	if (s != NULL && __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) == 0)
		owner_free(CONTAINER_OF(s, struct owner, settings));
}
