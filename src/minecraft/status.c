#include "minecraft/status.h"

#include "minecraft/jsontext.h"
#include "minecraft/reader.h"

static struct slice without_end(struct slice s, struct slice end)
{
	if (s.len >= end.len && slice_eq(slice_of(s.p + s.len - end.len, end.len), end))
		s.len -= end.len;
	return s;
}

/* Forge clients take a motd with this end for a server that wants no mods, and stay away. */
static struct slice motd_of(const struct status *s)
{
	struct slice motd = slice_str(s->motd);

	return without_end(without_end(motd, SLICE_LIT(":NOFML\u00a7r")), SLICE_LIT(":NOFML"));
}

/* Puts value, whose reference it takes, into object. False: no memory (either may be NULL for that
 * reason). */
static bool put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0;
}

static json_t *version_new(const struct status *s)
{
	json_t *j = json_object();

	if (put(j, "name", jsontext_string(slice_str(s->version_name))) &&
	    put(j, "protocol", json_integer(s->protocol)))
		return j;
	json_decref(j);
	return NULL;
}

static json_t *sample_entry_new(const char *name)
{
	json_t *j = json_object();

	if (put(j, "name", jsontext_string(slice_str(name))) &&
	    put(j, "id", json_string("00000000-0000-0000-0000-000000000000")))
		return j;
	json_decref(j);
	return NULL;
}

static json_t *sample_new(const struct status *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < s->sample_n; i++) {
		if (json_array_append_new(list, sample_entry_new(s->sample[i])) != 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *players_new(const struct status *s)
{
	json_t *j = json_object();

	if (put(j, "max", json_integer(s->max_players)) &&
	    put(j, "online", json_integer(s->online)) && put(j, "sample", sample_new(s)))
		return j;
	json_decref(j);
	return NULL;
}

/* A 1.7 Forge client wants to see FML and Forge before it calls a server one of its kind. */
static json_t *modinfo_new(void)
{
	return json_pack("{s:s, s:[{s:s, s:s}, {s:s, s:s}]}", "type", "FML", "modList", "modid",
			 "FML", "version", "7.10.99.99", "modid", "Forge", "version",
			 "10.13.4.1614");
}

static json_t *icon_new(const char *base64)
{
	static const char prefix[] = "data:image/png;base64,";

	return json_sprintf("%s%s", prefix, base64);
}

static bool put_all(json_t *j, const struct status *s)
{
	return put(j, "version", version_new(s)) && put(j, "players", players_new(s)) &&
	       put(j, "description", jsontext_component(motd_of(s))) &&
	       (s->icon_png_base64 == NULL || put(j, "favicon", icon_new(s->icon_png_base64))) &&
	       (!s->modinfo || put(j, "modinfo", modinfo_new()));
}

bool status_build(struct buf *b, const struct status *s)
{
	json_t *j = json_object();

	if (!put_all(j, s)) {
		json_decref(j);
		return false;
	}
	return jsontext_take_append(b, j);
}

void status_response_write(struct writer *w, struct slice json)
{
	size_t mark = frame_begin(w, STATUS_S_RESPONSE);

	write_str(w, json);
	frame_end(w, mark);
}

void status_pong_write(struct writer *w, int64_t payload)
{
	size_t mark = frame_begin(w, STATUS_S_PONG);

	write_i64(w, payload);
	frame_end(w, mark);
}

bool status_ping_parse(int64_t *ret_payload, struct slice body)
{
	struct reader r = reader_of(body);
	int64_t payload = read_i64(&r);

	if (!reader_done(&r))
		return false;
	*ret_payload = payload;
	return true;
}
