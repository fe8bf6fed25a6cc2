#include "minecraft/chat.h"

#include "minecraft/jsontext.h"

enum {
	DEPTH_MAX = 16, /* deeper parts are left out; real texts have 3 or 4 levels */
	AS_IS_MAX_BYTES = 512,
};

bool chat_json(struct buf *b, struct slice plain)
{
	return jsontext_take_append(b, jsontext_component(plain));
}

static bool put_component(struct buf *b, const json_t *j, int depth);

static bool put_string(struct buf *b, const json_t *j)
{
	return buf_append(b, slice_of(json_string_value(j), json_string_length(j)));
}

static bool put_list(struct buf *b, const json_t *list, const char *between, int depth)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (i > 0 && !buf_append(b, slice_str(between)))
			return false;
		if (!put_component(b, json_array_get(list, i), depth))
			return false;
	}
	return true;
}

/* "multiplayer.disconnect.banned (reason)": the client knows the words, we only name them. */
static bool put_translate(struct buf *b, const json_t *object, int depth)
{
	const json_t *with = json_object_get(object, "with");

	if (!put_string(b, json_object_get(object, "translate")))
		return false;
	if (json_array_size(with) == 0)
		return true;
	return buf_append(b, SLICE_LIT(" (")) && put_list(b, with, ", ", depth) &&
	       buf_append(b, SLICE_LIT(")"));
}

static bool put_object(struct buf *b, const json_t *object, int depth)
{
	const json_t *text = json_object_get(object, "text");

	if (text != NULL && !put_component(b, text, depth))
		return false;
	if (text == NULL && json_is_string(json_object_get(object, "translate")) &&
	    !put_translate(b, object, depth))
		return false;
	return put_list(b, json_object_get(object, "extra"), "", depth);
}

static bool put_component(struct buf *b, const json_t *j, int depth)
{
	if (depth > DEPTH_MAX)
		return true;
	switch (json_typeof(j)) {
	case JSON_STRING:
		return put_string(b, j);
	case JSON_ARRAY:
		return put_list(b, j, "", depth + 1);
	case JSON_OBJECT:
		return put_object(b, j, depth + 1);
	case JSON_INTEGER:
		return buf_printf(b, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
	case JSON_REAL:
		return buf_printf(b, "%g", json_real_value(j));
	case JSON_TRUE:
		return buf_append(b, SLICE_LIT("true"));
	case JSON_FALSE:
		return buf_append(b, SLICE_LIT("false"));
	case JSON_NULL:
		return true;
	}
	return true;
}

/* At most AS_IS_MAX_BYTES, not ending within a UTF-8 character. */
static struct slice as_is(struct slice text)
{
	if (text.len <= AS_IS_MAX_BYTES)
		return text;
	text.len = AS_IS_MAX_BYTES;
	for (int i = 0; i < 3 && (text.p[text.len] & 0xC0) == 0x80; i++)
		text.len--;
	return text;
}

bool chat_plain(struct buf *b, struct slice json)
{
	size_t before = b->len;
	json_t *j = NULL;
	bool ok;

	if (json.len > 0)
		j = json_loadb((const char *)json.p, json.len, JSON_DECODE_ANY | JSON_ALLOW_NUL,
			       NULL);
	ok = j != NULL ? put_component(b, j, 0) : buf_append(b, as_is(json));
	json_decref(j);
	if (!ok)
		b->len = before;
	return ok;
}
