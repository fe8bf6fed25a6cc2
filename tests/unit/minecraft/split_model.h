/*
 * A second reading of the frame rules, as simple as can be, to hold minecraft/split.c against. It
 * has the whole stream at once and reads frames by index; the splitter gets the same stream in
 * chunks, each in a heap block of its own that is freed at the end of its turn. What comes out must
 * be the stream, byte for byte, parted as the rules say, and must still be so when the turn ends.
 *
 * A broken rule aborts, so that unit tests and the fuzzer can share it.
 */
#ifndef TESTS_SPLIT_MODEL_H
#define TESTS_SPLIT_MODEL_H

#include <stdio.h>
#include <stdlib.h>

#include "minecraft/split.h"
#include "naive_head.h"

#define MODEL_CHECK(what)                                                          \
	do {                                                                       \
		if (!(what)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                   \
		}                                                                  \
	} while (0)

/* What was given out this turn, to be looked at again when it ends. */
struct model_piece {
	struct slice got;
	size_t at;
};

struct model {
	struct slice stream;
	struct split split;
	struct pool pool;
	bool scarce;      /* the pool is small: frames may be torn, or refused for want of memory */
	bool changing;    /* the watch changes: what waits may have been watched before */
	size_t at;        /* bytes of the stream given out */
	size_t fed;       /* bytes of the stream put in */
	size_t frame_end; /* of the frame that is passing in parts; at when none is */
	uint32_t cap_max; /* the largest cap so far */
	struct model_piece *pieces;
	size_t pieces_n, runs, frames, torn;
};

static inline struct slice model_from(const struct model *m, size_t at)
{
	return slice_of(m->stream.p + at, m->stream.len - at);
}

static inline void model_init(struct model *m, struct slice stream, uint32_t cap, bool whole,
			      size_t pool_max)
{
	*m = (struct model){.stream = stream, .cap_max = cap};
	m->scarce = pool_max < 8 << 20;
	m->pieces = calloc(stream.len + 1, sizeof(*m->pieces));
	MODEL_CHECK(m->pieces != NULL);
	pool_init(&m->pool, pool_max);
	split_init(&m->split, &m->pool, cap, whole);
}

static inline void model_fini(struct model *m)
{
	split_fini(&m->split);
	pool_turn_end(&m->pool);
	MODEL_CHECK(m->pool.held_bytes == 0);
	pool_fini(&m->pool);
	free(m->pieces);
}

static inline void model_give_out(struct model *m, struct slice got)
{
	MODEL_CHECK(got.len > 0 && got.len <= m->stream.len - m->at);
	m->pieces[m->pieces_n++] = (struct model_piece){got, m->at};
	m->at += got.len;
	MODEL_CHECK(m->at <= m->fed);
}

static inline bool model_watched(const struct model *m, const struct watch *w,
				 const struct model_frame *f)
{
	return f->has_id && watch_has(w, (int32_t)f->id) &&
	       (m->split.whole || f->length <= SPLIT_GATHER_MAX);
}

/* Each frame that begins in the run is not watched; it ends in it, or it may pass in parts. */
static inline void model_run(struct model *m, struct slice run, const struct watch *w)
{
	size_t at = m->frame_end;

	model_give_out(m, run);
	m->runs++;
	while (at < m->at) {
		struct model_frame f = model_frame_at(model_from(m, at));

		MODEL_CHECK(f.head == MODEL_OK && f.length <= m->cap_max);
		MODEL_CHECK(!model_watched(m, w, &f));
		if (at + f.wire > m->at && m->split.whole) {
			MODEL_CHECK(m->scarce && f.length > SPLIT_CUT_THROUGH);
			m->torn++;
		}
		at += f.wire;
	}
	m->frame_end = at;
}

static inline void model_frame(struct model *m, const struct frame *got, const struct watch *w)
{
	struct model_frame f = model_frame_at(model_from(m, m->at));

	MODEL_CHECK(m->frame_end == m->at);
	MODEL_CHECK(f.head == MODEL_OK && f.has_id && f.length <= m->cap_max);
	MODEL_CHECK(got->id == f.id && model_watched(m, w, &f));
	MODEL_CHECK(got->wire.len == f.wire);
	MODEL_CHECK(got->body.p == got->wire.p + f.body_at);
	MODEL_CHECK(got->body.len == f.wire - f.body_at);
	model_give_out(m, got->wire);
	m->frame_end = m->at;
	m->frames++;
}

static inline void model_bad(const struct model *m, const struct watch *w)
{
	const struct split *s = &m->split;
	struct model_frame f = model_frame_at(model_from(m, m->at));
	uint64_t length = 0;

	MODEL_CHECK(m->frame_end == m->at);
	(void)model_varint(model_from(m, m->at), &length);
	MODEL_CHECK(s->bad_length == length);
	if (s->bad == SPLIT_NO_MEMORY) {
		MODEL_CHECK(m->scarce && f.head == MODEL_OK && s->bad_id == f.id);
		MODEL_CHECK(model_watched(m, w, &f) || f.length <= SPLIT_CUT_THROUGH ||
			    m->split.head_len > 0);
	} else if (s->bad == SPLIT_FRAME_TOO_BIG) {
		MODEL_CHECK(f.head == MODEL_HUGE || length > s->cap);
		MODEL_CHECK(f.head != MODEL_OK || s->bad_id == -1 || s->bad_id == f.id);
	} else {
		MODEL_CHECK(s->bad == SPLIT_LENGTH_BAD);
		MODEL_CHECK(f.head == MODEL_ZERO || f.head == MODEL_TOO_LONG);
	}
}

/* All input is used up: what has not come out waits, and only what must. */
static inline void model_more(const struct model *m, const struct watch *w)
{
	struct slice part = split_peek_part(&m->split);
	struct slice kept = slice_of(m->stream.p + m->at, m->fed - m->at);
	struct model_frame f = model_frame_at(kept);
	/* Only what may be new, or large frames in small chunks take for ever. */
	size_t new = kept.len < 64 ? kept.len : 64;

	MODEL_CHECK(part.len == kept.len);
	MODEL_CHECK(memcmp(part.p + part.len - new, kept.p + kept.len - new, new) == 0);
	MODEL_CHECK(split_at_boundary(&m->split) == (m->at == m->fed && m->frame_end == m->at));
	if (m->at < m->frame_end)
		MODEL_CHECK(kept.len == 0);
	if (kept.len == 0 || f.head == MODEL_CUT)
		return;
	MODEL_CHECK(f.head == MODEL_OK && f.wire > kept.len);
	if (!m->split.whole && !m->changing)
		MODEL_CHECK(model_watched(m, w, &f));
}

static inline void model_turn_end(struct model *m)
{
	for (size_t i = 0; i < m->pieces_n; i++) {
		struct model_piece p = m->pieces[i];

		MODEL_CHECK(memcmp(p.got.p, m->stream.p + p.at, p.got.len) == 0);
	}
	m->pieces_n = 0;
	pool_turn_end(&m->pool);
}

/* Called before each split_next: may change *w and m->split.cap. NULL: nothing changes. */
typedef void model_change_fn(struct model *m, struct watch *w, void *arg);

/* False: the stream ended as bad. */
static inline bool model_events(struct model *m, struct slice in, struct watch *w,
				model_change_fn *change, void *arg)
{
	struct slice run;
	struct frame frame;

	for (;;) {
		if (change != NULL)
			change(m, w, arg);
		switch (split_next(&m->split, &in, w, &run, &frame)) {
		case SPLIT_RUN:
			model_run(m, run, w);
			break;
		case SPLIT_FRAME:
			model_frame(m, &frame, w);
			break;
		case SPLIT_MORE:
			MODEL_CHECK(in.len == 0);
			model_more(m, w);
			return true;
		case SPLIT_BAD:
			model_bad(m, w);
			in = slice_of((const uint8_t[]){1, 0xFF}, 2);
			MODEL_CHECK(split_next(&m->split, &in, w, &run, &frame) == SPLIT_BAD);
			return false;
		}
	}
}

/* The next n bytes of the stream as one chunk and one turn. */
static inline bool model_feed(struct model *m, size_t n, struct watch *w, model_change_fn *change,
			      void *arg)
{
	uint8_t *chunk = malloc(n > 0 ? n : 1);
	bool good;

	MODEL_CHECK(chunk != NULL && n <= m->stream.len - m->fed);
	if (n > 0)
		memcpy(chunk, m->stream.p + m->fed, n);
	m->fed += n;
	good = model_events(m, slice_of(chunk, n), w, change, arg);
	model_turn_end(m);
	free(chunk);
	return good;
}

#endif
