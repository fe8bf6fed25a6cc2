#include "base/format.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

struct text text_of(char *memory, size_t cap)
{
	memory[0] = '\0';
	return (struct text){.p = memory, .cap = cap};
}

void text_put(struct text *t, struct slice s)
{
	size_t room = t->cap - 1 - t->len;

	if (s.len > room) {
		t->cut = true;
		s.len = room;
	}
	if (s.len > 0)
		memcpy(t->p + t->len, s.p, s.len);
	t->len += s.len;
	t->p[t->len] = '\0';
}

void text_puts(struct text *t, const char *s)
{
	text_put(t, slice_str(s));
}

void text_printf(struct text *t, const char *fmt, ...)
{
	size_t room = t->cap - t->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->p + t->len, room, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	t->cut = t->cut || (size_t)n >= room;
	t->len += (size_t)n >= room ? room - 1 : (size_t)n;
}

static bool is_plain(struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] <= ' ' || s.p[i] == '"' || s.p[i] == '=' || s.p[i] == '\\' ||
		    s.p[i] >= 0x7F)
			return false;
	}
	return s.len > 0;
}

/* C0 and C1 controls, and the separators that some viewers take for a line end. */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

/* The first character of *s, which moves behind it, as it may stand between quotes. */
static struct slice escape_next(char *memory, size_t cap, struct slice *s)
{
	struct slice one = *s;
	uint32_t code;
	int n;

	if (!utf8_next(s, &code)) {
		*s = slice_of(one.p + 1, one.len - 1);
		n = snprintf(memory, cap, "\\x%02x", one.p[0]);
		return slice_of(memory, (size_t)n);
	}
	one.len -= s->len;
	if (code == '"' || code == '\\')
		n = snprintf(memory, cap, "\\%c", (char)code);
	else if (is_control(code))
		n = snprintf(memory, cap, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
	else
		return one;
	return slice_of(memory, (size_t)n);
}

/* Stops before what does not fit whole: half an escape would swallow the closing quote. */
static void put_escaped(struct text *t, struct slice s)
{
	while (s.len > 0) {
		char memory[16];
		struct slice one = escape_next(memory, sizeof(memory), &s);

		if (one.len > t->cap - 1 - t->len) {
			t->cut = true;
			return;
		}
		text_put(t, one);
	}
}

void text_put_value(struct text *t, struct slice s)
{
	if (is_plain(s)) {
		text_put(t, s);
		return;
	}
	if (t->cap - 1 - t->len < 2) {
		t->cut = true;
		return;
	}
	text_puts(t, "\"");
	t->cap--;
	put_escaped(t, s);
	t->cap++;
	text_puts(t, "\"");
}

bool u64_parse(struct slice s, uint64_t *ret)
{
	uint64_t v = 0;

	if (s.len == 0)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

struct unit {
	const char *name;
	uint64_t factor;
};

/* Largest first: the writers take the first that divides. */
static const struct unit sizes[] = {
	{"gb", 1ull << 30}, {"mb", 1ull << 20}, {"kb", 1ull << 10}, {"b", 1}};
static const struct unit durations[] = {
	{"h", 3600000000ull}, {"m", 60000000ull}, {"s", 1000000ull}, {"ms", 1000ull}, {"us", 1}};

static bool quantity_parse(struct slice s, const struct unit *units, size_t n, uint64_t *ret)
{
	size_t digits = 0;
	uint64_t v;

	while (digits < s.len && s.p[digits] >= '0' && s.p[digits] <= '9')
		digits++;
	if (!u64_parse(slice_cut(&s, digits), &v))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!slice_eq_nocase(s, slice_str(units[i].name)))
			continue;
		if (v > UINT64_MAX / units[i].factor)
			return false;
		*ret = v * units[i].factor;
		return true;
	}
	return false;
}

bool size_parse(struct slice s, uint64_t *ret_bytes)
{
	return u64_parse(s, ret_bytes) || quantity_parse(s, sizes, COUNT_OF(sizes), ret_bytes);
}

bool duration_parse(struct slice s, uint64_t *ret_us)
{
	if (slice_eq(s, SLICE_LIT("0"))) {
		*ret_us = 0;
		return true;
	}
	return quantity_parse(s, durations, COUNT_OF(durations), ret_us);
}

static void put_quantity(struct text *t, const struct unit *units, size_t n, uint64_t v)
{
	size_t i = 0;

	while (i + 1 < n && (v == 0 || v % units[i].factor != 0))
		i++;
	text_printf(t, "%llu%s", (unsigned long long)(v / units[i].factor), units[i].name);
}

void text_put_size(struct text *t, uint64_t bytes)
{
	put_quantity(t, sizes, COUNT_OF(sizes), bytes);
}

void text_put_duration(struct text *t, uint64_t us)
{
	if (us == 0)
		text_puts(t, "0");
	else
		put_quantity(t, durations, COUNT_OF(durations), us);
}

void hex_encode(char *ret, struct slice s)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < s.len; i++) {
		ret[2 * i] = digits[s.p[i] >> 4];
		ret[2 * i + 1] = digits[s.p[i] & 15];
	}
	ret[2 * s.len] = '\0';
}
