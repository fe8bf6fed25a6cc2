#include "network/listing.h"

#include <stdlib.h>

#include "minecraft/status.h"
#include "minecraft/version.h"

enum { SAMPLE_MAX = 12, LEGACY_MAX_BYTES = 2048 };

static bool put_modern(struct buf *b, struct status *st, enum version v)
{
	struct buf json = {0};
	struct writer w;
	bool ok;

	st->protocol = version_protocol(v);
	ok = status_build(&json, st) && buf_reserve(b, json.len + 16);
	if (ok) {
		w = writer_of(b->p + b->len, b->cap - b->len);
		status_response_write(&w, buf_slice(&json));
		b->len += w.len;
		ok = !w.full;
	}
	buf_fini(&json);
	return ok;
}

static bool put_legacy(struct buf *b, const struct status *st, bool modern)
{
	struct writer w;

	if (!buf_reserve(b, LEGACY_MAX_BYTES))
		return false;
	w = writer_of(b->p + b->len, LEGACY_MAX_BYTES);
	legacy_answer_write(&w, st, modern);
	b->len += w.len;
	return !w.full;
}

static bool put_answer(struct buf *b, struct status *st, enum listing_kind kind)
{
	switch (kind) {
	case LISTING_1_7_2:
		return put_modern(b, st, VERSION_1_7_2);
	case LISTING_1_7_6:
		return put_modern(b, st, VERSION_1_7_6);
	case LISTING_LEGACY:
	case LISTING_LEGACY_MODERN:
		st->protocol = 127;
		return put_legacy(b, st, kind == LISTING_LEGACY_MODERN);
	case LISTING_KINDS:
		break;
	}
	return false;
}

static struct listing *pack(const struct buf *b, const size_t ends[LISTING_KINDS])
{
	struct listing *l = malloc(sizeof(*l) + b->len);
	size_t start = 0;

	if (l == NULL)
		return NULL;
	l->refs = 1;
	memcpy(l->bytes, b->p, b->len);
	for (unsigned i = 0; i < LISTING_KINDS; i++) {
		l->answers[i] = slice_of(l->bytes + start, ends[i] - start);
		start = ends[i];
	}
	return l;
}

struct listing *listing_new(const struct settings *s, const struct roster *r)
{
	const char *names[SAMPLE_MAX];
	struct status st = {
		.version_name = version_span_text(),
		.motd = s->status.motd,
		.icon_png_base64 = s->status.icon_base64,
		.max_players = s->status.max_players,
		.online = (uint32_t)roster_count(r),
		.sample = s->status.sample.v,
		.sample_n = (uint32_t)s->status.sample.n,
		.modinfo = true,
	};
	size_t ends[LISTING_KINDS];
	struct listing *l = NULL;
	struct buf b = {0};
	bool ok = true;

	if (st.sample_n == 0) {
		st.sample = names;
		st.sample_n = roster_sample(r, names, SAMPLE_MAX);
	}
	for (unsigned i = 0; i < LISTING_KINDS && ok; i++) {
		ok = put_answer(&b, &st, (enum listing_kind)i);
		ends[i] = b.len;
	}
	if (ok)
		l = pack(&b, ends);
	buf_fini(&b);
	return l;
}

struct listing *listing_ref(struct listing *l)
{
	atomic_fetch_add(&l->refs, 1);
	return l;
}

void listing_unref(struct listing *l)
{
	if (l != NULL && atomic_fetch_sub(&l->refs, 1) == 1)
		free(l);
}
