/*
 * split: see the header. What is cut at the end of a chunk waits in one of three forms, never in
 * two at once:
 *
 *   head       up to 8 bytes whose length or id is not complete yet
 *   part       the bytes of a frame that must stay whole, in a block
 *   torn_left  nothing but a count: that many bytes pass unseen
 *
 * So each call begins with the one that is set, and with none set at a frame's first byte.
 */
#include "minecraft/split.h"

#include "minecraft/varint.h"
#include "minecraft/writer.h"

enum {
	/* The first block for a frame that is gathered from a player. It grows as bytes really
	 * come, so that announcing a large frame costs the one who does it more than us. */
	PART_FIRST = 4096,
	PART_GROWTH = 4,
};

/* Length and id of a frame. */
struct head {
	uint32_t length;
	uint32_t length_bytes;
	uint32_t id_bytes;
	int32_t id; /* -1: none that could be read */
};

static inline bool is_watched(const struct split *s, const struct watch *w, const struct head *h)
{
	return watch_has(w, h->id) && (s->whole || h->length <= SPLIT_GATHER_MAX);
}

static inline uint32_t wire_bytes(const struct head *h)
{
	return h->length_bytes + h->length;
}

/* The id of a frame of h->length, n bytes from its id on being there. False: n must grow. An id
 * that goes on behind the frame's end, or behind 5 bytes, is none: what it means is for the
 * receiver to say. */
static inline bool id_read(struct head *h, const uint8_t *p, size_t n)
{
	size_t there = n < h->length ? n : h->length;
	uint32_t id = 0;
	int bytes = varint_at(p, there, &id);

	if (bytes == VARINT_CUT && there < h->length)
		return false;
	h->id = bytes > 0 ? (int32_t)id : -1;
	h->id_bytes = bytes > 0 ? (uint32_t)bytes : 0;
	return true;
}

/* At least SPLIT_HEAD_MAX bytes always decide. DONE: the length is at most FRAME_MAX_BYTES. */
static inline enum progress head_read(struct head *ret, const uint8_t *p, size_t n)
{
	int bytes = varint_at(p, n, &ret->length);

	if (bytes == VARINT_CUT)
		return MORE;
	if (bytes == VARINT_TOO_LONG || bytes > FRAME_HEAD_MAX || ret->length == 0)
		return BAD;
	ret->length_bytes = (uint32_t)bytes;
	return id_read(ret, p + bytes, n - (size_t)bytes) ? DONE : MORE;
}

void split_init(struct split *s, struct pool *pool, uint32_t cap_bytes, bool whole)
{
	*s = (struct split){.pool = pool, .cap = cap_bytes, .whole = whole};
}

void split_fini(struct split *s)
{
	pool_give(s->pool, s->part);
	s->part = NULL;
}

bool split_at_boundary(const struct split *s)
{
	return s->part == NULL && s->torn_left == 0 && s->head_len == 0;
}

struct slice split_peek_part(const struct split *s)
{
	return s->part != NULL ? slice_of(s->part->p, s->part->len)
			       : slice_of(s->head, s->head_len);
}

static enum split_event fail(struct split *s, enum split_bad bad, const struct head *h)
{
	s->bad = (uint8_t)bad;
	s->bad_length = h->length;
	s->bad_id = h->id;
	return SPLIT_BAD;
}

/* The frame that begins with these n bytes cannot be accepted: says why, as far as they tell. */
static enum split_event fail_head(struct split *s, const uint8_t *p, size_t n)
{
	struct head h = {.id = -1};
	int bytes = varint_at(p, n, &h.length);

	if (h.length == 0 || h.length > INT32_MAX ||
	    (bytes > FRAME_HEAD_MAX && h.length <= FRAME_MAX_BYTES))
		return fail(s, SPLIT_LENGTH_BAD, &h);
	(void)id_read(&h, p + bytes, n - (size_t)bytes);
	return fail(s, SPLIT_FRAME_TOO_BIG, &h);
}

static enum split_event give_frame(struct frame *ret, const uint8_t *p, const struct head *h)
{
	size_t before = h->length_bytes + h->id_bytes;

	ret->wire = slice_of(p, wire_bytes(h));
	ret->body = slice_of(p + before, wire_bytes(h) - before);
	ret->id = h->id;
	return SPLIT_FRAME;
}

/* Room for the part: all of it for a server, which is trusted to send what it announces. */
static size_t part_room(const struct split *s, size_t want)
{
	return s->whole || want > s->part_need ? s->part_need : want;
}

/* Moves the cut head of a frame of `need` wire bytes into a block. */
static bool part_begin(struct split *s, uint32_t need)
{
	s->part_need = need;
	s->part = pool_take(s->pool, part_room(s, PART_FIRST));
	if (s->part == NULL)
		return false;
	memcpy(s->part->p, s->head, s->head_len);
	s->part->len = s->head_len;
	s->head_len = 0;
	return true;
}

static bool part_grow(struct split *s)
{
	struct block *more = pool_take(s->pool, part_room(s, (size_t)s->part->cap * PART_GROWTH));

	if (more == NULL)
		return false;
	memcpy(more->p, s->part->p, s->part->len);
	more->len = s->part->len;
	pool_give(s->pool, s->part);
	s->part = more;
	return true;
}

/* Fills the part from *io_in. False: it cannot grow. */
static bool part_fill(struct split *s, struct slice *io_in)
{
	while (io_in->len > 0 && s->part->len < s->part_need) {
		struct block *b = s->part;
		size_t n = (b->cap < s->part_need ? b->cap : s->part_need) - b->len;

		if (n == 0) {
			if (!part_grow(s))
				return false;
			continue;
		}
		if (n > io_in->len)
			n = io_in->len;
		memcpy(b->p + b->len, io_in->p, n);
		b->len += (uint32_t)n;
		slice_cut(io_in, n);
	}
	return true;
}

/* What was gathered leaves as a run; its memory lives on until the end of the turn. */
static enum split_event part_pass(struct split *s, struct slice *ret_run)
{
	s->torn_left = s->part_need - s->part->len;
	*ret_run = slice_of(s->part->p, s->part->len);
	pool_retire(s->pool, s->part);
	s->part = NULL;
	return SPLIT_RUN;
}

static bool may_cut_through(const struct split *s, const struct head *h, const struct watch *w)
{
	return h->length > SPLIT_CUT_THROUGH && !is_watched(s, w, h);
}

static enum split_event part_next(struct split *s, struct slice *io_in, const struct watch *w,
				  struct slice *ret_run, struct frame *ret)
{
	bool filled = part_fill(s, io_in);
	struct block *b = s->part;
	struct head h = {.id = -1};

	if (filled && b->len < s->part_need)
		return SPLIT_MORE;
	(void)head_read(&h, b->p, b->len);
	if (!filled && !may_cut_through(s, &h, w))
		return fail(s, SPLIT_NO_MEMORY, &h);
	if (!filled || !is_watched(s, w, &h))
		return part_pass(s, ret_run);
	pool_retire(s->pool, b);
	s->part = NULL;
	return give_frame(ret, b->p, &h);
}

/* The cut head leaves in a block of its own: the chunk that it came in may be gone. */
static enum split_event head_pass(struct split *s, const struct head *h, struct slice *ret_run)
{
	s->part_need = wire_bytes(h);
	s->part = pool_take(s->pool, SPLIT_HEAD_MAX);
	if (s->part == NULL)
		return fail(s, SPLIT_NO_MEMORY, h);
	memcpy(s->part->p, s->head, s->head_len);
	s->part->len = s->head_len;
	s->head_len = 0;
	return part_pass(s, ret_run);
}

/* Neither length nor id is complete with these n bytes, so that there is room for them. */
static enum split_event head_keep(struct split *s, struct slice *io_in, size_t n)
{
	memcpy(s->head + s->head_len, io_in->p, n);
	s->head_len = (uint8_t)(s->head_len + n);
	slice_cut(io_in, n);
	return SPLIT_MORE;
}

static enum split_event head_next(struct split *s, struct slice *io_in, const struct watch *w,
				  struct slice *ret_run, struct frame *ret)
{
	size_t room = SPLIT_HEAD_MAX - s->head_len;
	size_t n = io_in->len < room ? io_in->len : room;
	uint8_t bytes[SPLIT_HEAD_MAX];
	struct head h;
	enum progress got;

	memcpy(bytes, s->head, s->head_len);
	memcpy(bytes + s->head_len, io_in->p, n);
	got = head_read(&h, bytes, s->head_len + n);
	if (got == MORE)
		return head_keep(s, io_in, n);
	if (got == BAD || h.length > s->cap)
		return fail_head(s, bytes, s->head_len + n);
	if (!s->whole && !is_watched(s, w, &h))
		return head_pass(s, &h, ret_run);
	if (part_begin(s, wire_bytes(&h)))
		return part_next(s, io_in, w, ret_run, ret);
	return may_cut_through(s, &h, w) ? head_pass(s, &h, ret_run) : fail(s, SPLIT_NO_MEMORY, &h);
}

/* At the first byte of a frame that cannot be in a run: it is watched, bad, or cut. */
static enum split_event edge_next(struct split *s, struct slice *io_in, const struct watch *w,
				  struct slice *ret_run, struct frame *ret)
{
	struct head h;
	enum progress got = head_read(&h, io_in->p, io_in->len);

	if (got == MORE)
		return head_keep(s, io_in, io_in->len);
	if (got == BAD || h.length > s->cap)
		return fail_head(s, io_in->p, io_in->len);
	if (wire_bytes(&h) <= io_in->len)
		return give_frame(ret, slice_cut(io_in, wire_bytes(&h)).p, &h);
	if (part_begin(s, wire_bytes(&h)))
		return part_next(s, io_in, w, ret_run, ret);
	if (!may_cut_through(s, &h, w))
		return fail(s, SPLIT_NO_MEMORY, &h);
	s->torn_left = (uint32_t)(wire_bytes(&h) - io_in->len);
	*ret_run = slice_cut(io_in, io_in->len);
	return SPLIT_RUN;
}

static size_t torn_take(struct split *s, size_t there)
{
	size_t n = s->torn_left < there ? s->torn_left : there;

	s->torn_left -= (uint32_t)n;
	return n;
}

/* The hot path: over all the frames that nobody watches, touching only their heads. */
static enum split_event scan_next(struct split *s, struct slice *io_in, const struct watch *w,
				  struct slice *ret_run, struct frame *ret)
{
	const uint8_t *p = io_in->p, *end = p + io_in->len;
	struct head h;

	p += torn_take(s, io_in->len);
	while (head_read(&h, p, (size_t)(end - p)) == DONE && h.length <= s->cap &&
	       !is_watched(s, w, &h)) {
		size_t left = (size_t)(end - p);

		if (wire_bytes(&h) > left) {
			if (s->whole)
				break;
			s->torn_left = (uint32_t)(wire_bytes(&h) - left);
			p = end;
		} else {
			p += wire_bytes(&h);
		}
	}
	if (p == io_in->p)
		return edge_next(s, io_in, w, ret_run, ret);
	*ret_run = slice_cut(io_in, (size_t)(p - io_in->p));
	return SPLIT_RUN;
}

enum split_event split_next(struct split *s, struct slice *io_in, const struct watch *w,
			    struct slice *ret_run, struct frame *ret)
{
	if (s->bad != SPLIT_FINE)
		return SPLIT_BAD;
	if (io_in->len == 0)
		return SPLIT_MORE;
	if (s->part != NULL)
		return part_next(s, io_in, w, ret_run, ret);
	if (s->head_len > 0)
		return head_next(s, io_in, w, ret_run, ret);
	return scan_next(s, io_in, w, ret_run, ret);
}

bool split_restore(struct split *s, struct slice part, uint32_t torn_left)
{
	static const struct watch all = {{~0ull, ~0ull, ~0ull, ~0ull}};
	struct slice in = part, run;
	struct frame f;

	if (torn_left > FRAME_MAX_BYTES || (torn_left > 0 && part.len > 0))
		return false;
	s->torn_left = torn_left;
	if (part.len == 0 || (split_next(s, &in, &all, &run, &f) == SPLIT_MORE && in.len == 0))
		return true;
	split_fini(s);
	split_init(s, s->pool, s->cap, s->whole);
	return false;
}
