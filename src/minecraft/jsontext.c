#include "minecraft/jsontext.h"

#include "base/utf8.h"

static bool append_valid(struct buf *b, struct slice text)
{
	uint32_t code;

	while (text.len > 0) {
		struct slice at = text;
		bool ok = utf8_next(&text, &code);

		if (!ok)
			slice_cut(&text, 1);
		at.len -= text.len;
		if (!buf_append(b, ok ? at : SLICE_LIT("?")))
			return false;
	}
	return true;
}

json_t *jsontext_string(struct slice text)
{
	struct buf valid = {0};
	json_t *j = NULL;

	if (utf8_utf16_units(text) >= 0)
		return json_stringn_nocheck(text.len > 0 ? (const char *)text.p : "", text.len);
	if (append_valid(&valid, text))
		j = json_stringn_nocheck((const char *)valid.p, valid.len);
	buf_fini(&valid);
	return j;
}

json_t *jsontext_component(struct slice text)
{
	json_t *j = json_object();

	/* Takes the string's reference, and copes with a NULL on either side. */
	if (json_object_set_new(j, "text", jsontext_string(text)) != 0) {
		json_decref(j);
		return NULL;
	}
	return j;
}

static int append_piece(const char *p, size_t n, void *arg)
{
	return buf_append(arg, slice_of(p, n)) ? 0 : -1;
}

bool jsontext_take_append(struct buf *b, json_t *j)
{
	size_t before = b->len;
	bool ok = j != NULL && json_dump_callback(j, append_piece, b, JSON_COMPACT) == 0;

	json_decref(j);
	if (!ok)
		b->len = before;
	return ok;
}
