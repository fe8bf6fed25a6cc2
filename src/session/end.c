#include "session/end.h"

#include <string.h>

static const struct end_row rows[END_COUNT] = {[END_NONE] = {LOG_DEBUG, "none", ""},
#define X(name, level, label, text) [END_##name] = {LOG_##level, label, text},
					       ENDS(X)
#undef X
};

const struct end_row *end_row(enum end why)
{
	return &rows[why];
}

static const char *value_of(struct slice key, const struct end_detail *d)
{
	const struct {
		const char *key, *value;
	} all[] = {{"{backend}", d->backend},
		   {"{reason}", d->reason},
		   {"{limit}", d->limit},
		   {"{name}", d->name}};

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		if (slice_eq(key, slice_str(all[i].key)))
			return all[i].value == NULL ? "" : all[i].value;
	}
	return NULL;
}

bool end_text(struct buf *ret, enum end why, const struct end_detail *d)
{
	struct slice rest = slice_str(rows[why].text);
	bool ok = true;

	while (rest.len > 0 && ok) {
		size_t at = slice_find(rest, '{');
		size_t end = at + slice_find(slice_of(rest.p + at, rest.len - at), '}') + 1;
		const char *value;

		ok = buf_append(ret, slice_cut(&rest, at));
		if (!ok || rest.len == 0)
			break;
		value = value_of(slice_cut(&rest, end - at), d);
		ok = value != NULL && buf_append(ret, slice_str(value));
	}
	return ok;
}
