/*
 * Cuts a byte stream into frames: VarInt length (1 to 3 bytes, non-canonical forms accepted),
 * VarInt id (1 to 5 bytes), the rest. Pull, no I/O, no allocation but pooled blocks. Nothing is
 * decoded beyond length and id, and the id of a frame is its decoded value, never its first byte:
 * long forms of an id cannot hide a packet.
 *
 *   bytes in ---> split_next ---> SPLIT_RUN:   wire bytes of unwatched frames, adjacent ones joined
 *                            \--> SPLIT_FRAME: one watched frame, whole, with its id
 *
 * With `whole` set (towards the player) a run holds whole frames only: the cut tail of a read
 * waits in a pooled block, so that a source that dies in mid-frame never leaves half a frame
 * behind. When the pool is used up, a frame of over SPLIT_CUT_THROUGH bytes is cut through instead
 * (`torn_left` > 0 until its end came by). Without `whole` (towards a backend) unwatched frames
 * pass in parts as they come.
 *
 * Ids are watched by bit; ids outside 0..255, and empty frames, are never watched, nor are frames
 * of over SPLIT_GATHER_MAX without `whole`: no packet of a client that is worth a look is so large,
 * and a few clients could fill the pool with frames that never end. Memory of what
 * is returned lives until the end of the turn: it is the caller's chunk, or a block that is
 * retired to the pool.
 */
#ifndef MINECRAFT_SPLIT_H
#define MINECRAFT_SPLIT_H

#include "base/attr.h"
#include "base/pool.h"
#include "base/slice.h"

enum split_event {
	SPLIT_RUN,   /* *ret_run: pass it on */
	SPLIT_FRAME, /* *ret: a watched frame */
	SPLIT_MORE,  /* *io_in is used up */
	SPLIT_BAD    /* see split.bad; the stream cannot be read any further */
};

enum split_bad {
	SPLIT_FINE,
	SPLIT_LENGTH_BAD,    /* a length of zero, negative, or needlessly longer than 3 bytes */
	SPLIT_FRAME_TOO_BIG, /* over cap, or a length that needs more than 3 bytes */
	SPLIT_NO_MEMORY,     /* the pool is used up and the frame may not be cut through */
};

enum { SPLIT_CUT_THROUGH = 256 * 1024, SPLIT_GATHER_MAX = 64 * 1024, SPLIT_HEAD_MAX = 8 };

struct watch {
	uint64_t bits[4]; /* ids 0..255 */
};

/* id: 0..255; nothing else can be watched. */
static inline void watch_add(struct watch *w, int32_t id)
{
	w->bits[id >> 6 & 3] |= (uint64_t)1 << (id & 63);
}

static inline bool watch_has(const struct watch *w, int32_t id)
{
	return id >= 0 && id < 256 && (w->bits[id >> 6] >> (id & 63) & 1) != 0;
}

struct frame {
	struct slice wire; /* length, id and body, contiguous */
	struct slice body; /* behind the id */
	int32_t id;
};

struct split {
	struct pool *pool;
	struct block *part; /* a whole frame in the making: wire bytes from its first one on */
	uint32_t part_need; /* wire bytes of that frame in all */
	uint32_t torn_left; /* bytes to come of a frame that is passing in parts */
	uint32_t cap;       /* largest frame length (the VarInt's value) accepted */
	uint8_t head[SPLIT_HEAD_MAX]; /* a cut length and id */
	uint8_t head_len;
	uint8_t whole;  /* bool */
	uint8_t bad;    /* enum split_bad */
	int32_t bad_id; /* of the frame that was refused; -1: not known */
	uint32_t bad_length;
};

void split_init(struct split *s, struct pool *pool, uint32_t cap_bytes, bool whole);

/* Gives the part back to the pool. */
void split_fini(struct split *s);

/*
 * The next event from the front of *io_in, which moves forward. One run never ends inside a
 * watched frame. The caller may change *w and s->cap between two calls: what is still in *io_in
 * follows the new rules; a frame that has begun to pass in parts goes on passing.
 */
must_check enum split_event split_next(struct split *s, struct slice *io_in, const struct watch *w,
				       struct slice *ret_run, struct frame *ret);

/* True between two frames: nothing cut is waiting and nothing is passing in parts. */
bool split_at_boundary(const struct split *s);

/* Wire bytes of a cut frame that wait here (for freeze); empty at a boundary. Borrowed. */
struct slice split_peek_part(const struct split *s);

/* Thaw: a fresh splitter continues one of which these were taken. False: no such part can wait, or
 * no memory; s is as before. */
must_check bool split_restore(struct split *s, struct slice part, uint32_t torn_left);

#endif
