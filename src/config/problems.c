#include "config/problems.h"

#include <stdarg.h>
#include <stdio.h>

#include "config/yaml_tree.h"

enum { PATH_TEXT_MAX = 320, MESSAGE_MAX = 1024, VALUE_SHOWN = 48 };

void config_errors_fini(struct config_errors *errs)
{
	buf_fini(&errs->text);
	errs->n = 0;
}

void problems_init(struct problems *p, const char *file, struct config_errors *errs)
{
	*p = (struct problems){.file = file, .errs = errs, .start = errs->text.len};
}

bool problems_are_full(const struct problems *p)
{
	return p->n >= PROBLEMS_MAX;
}

/* Messages hold texts of the file: one line each, whatever is in them. */
static bool put_line(struct buf *text, const char *file, unsigned line, const char *path,
		     const char *message)
{
	if (!buf_printf(text, "%s:", file))
		return false;
	if (line > 0 && !buf_printf(text, "%u:", line))
		return false;
	if (path != NULL && path[0] != '\0' && !buf_printf(text, " %s:", path))
		return false;
	return buf_printf(text, " %s\n", message);
}

static void put(struct problems *p, unsigned line, const char *path, const char *message)
{
	struct buf *text = &p->errs->text;
	size_t before = text->len;
	unsigned i = p->n++;

	p->errs->n++;
	if (i >= PROBLEMS_MAX)
		return;
	if (!put_line(text, p->file, line, path, message)) {
		text->len = before;
		p->out_of_memory = true;
	}
	p->kept[i].line = line;
	p->kept[i].bytes = text->len - before;
}

printf_like(3, 0) static void put_at(struct problems *p, const struct yaml_node *at,
				     const char *fmt, va_list ap)
{
	char path_memory[PATH_TEXT_MAX], message[MESSAGE_MAX];
	struct text path = text_of(path_memory, sizeof(path_memory));

	yaml_path(at, &path);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	put(p, at->line, path.p, message);
}

void problem_add(struct problems *p, const struct yaml_node *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_at(p, at, fmt, ap);
	va_end(ap);
}

void problem_add_missing(struct problems *p, const struct yaml_node *in, const char *key,
			 const char *fmt, ...)
{
	struct yaml_node absent = {.up = in, .key = key, .line = in->line};
	va_list ap;

	va_start(ap, fmt);
	put_at(p, &absent, fmt, ap);
	va_end(ap);
}

void problem_add_line(struct problems *p, unsigned line, const char *fmt, ...)
{
	char message[MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	put(p, line, NULL, message);
}

static void reverse(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t c = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = c;
	}
}

/* Swaps two neighbours of a and b bytes, without memory of its own: errors must not need any. */
static void rotate(uint8_t *p, size_t a, size_t b)
{
	reverse(p, a);
	reverse(p + a, b);
	reverse(p, a + b);
}

/* Moves problem i, whose text is at `at`, before the ones of later lines. */
static void sift(struct problems *p, unsigned i, size_t at)
{
	uint8_t *text = p->errs->text.p;

	for (; i > 0 && p->kept[i].line < p->kept[i - 1].line; i--) {
		size_t mine = p->kept[i].bytes, other = p->kept[i - 1].bytes;
		unsigned line = p->kept[i].line;

		at -= other;
		rotate(text + at, other, mine);
		p->kept[i] = p->kept[i - 1];
		p->kept[i - 1].line = line;
		p->kept[i - 1].bytes = mine;
	}
}

static void sort(struct problems *p)
{
	unsigned n = p->n < PROBLEMS_MAX ? p->n : PROBLEMS_MAX;
	size_t at = p->start;

	for (unsigned i = 0; i < n; i++) {
		size_t bytes = p->kept[i].bytes;

		sift(p, i, at);
		at += bytes;
	}
}

void problems_end(struct problems *p)
{
	sort(p);
	if (p->n > PROBLEMS_MAX &&
	    !buf_printf(&p->errs->text, "%s: %u more problems are not shown; mend these first\n",
			p->file, p->n - PROBLEMS_MAX))
		p->out_of_memory = true;
	if (!p->out_of_memory)
		return;
	p->n++;
	p->errs->n++;
	/* When even this finds no memory, the count alone has to tell. */
	if (!buf_printf(&p->errs->text, "%s: out of memory; free some and load again\n", p->file))
		return;
}

void problem_put_quoted(struct text *t, struct slice s)
{
	size_t start = t->len;

	text_put_value(t, s);
	if (t->p[start] == '"' || t->cut)
		return;
	t->len = start;
	text_puts(t, "\"");
	text_put(t, s);
	text_puts(t, "\"");
}

const char *problem_value(char ret[PROBLEM_VALUE_MAX], const struct yaml_node *n)
{
	struct text t = text_of(ret, PROBLEM_VALUE_MAX);
	struct slice s = n->text;

	if (n->kind != NODE_TEXT) {
		text_puts(&t, n->kind == NODE_LIST ? "a list" : "a section");
	} else if (n->variable != NULL) {
		text_printf(&t, "the text from ${%.60s}", n->variable);
	} else {
		bool cut = s.len > VALUE_SHOWN;

		problem_put_quoted(&t, cut ? slice_of(s.p, VALUE_SHOWN) : s);
		text_puts(&t, cut ? "..." : "");
	}
	return ret;
}
