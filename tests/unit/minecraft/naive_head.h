/* One frame's head, read from the front of a stream that is there as a whole: as simple as can be.
 */
#ifndef TESTS_NAIVE_HEAD_H
#define TESTS_NAIVE_HEAD_H

#include "base/slice.h"

enum model_head { MODEL_CUT, MODEL_OK, MODEL_ZERO, MODEL_TOO_LONG, MODEL_HUGE };

struct model_frame {
	enum model_head head;
	uint64_t length;
	size_t wire, body_at; /* body_at: behind the id */
	long id;              /* -1: none that can be read; not below -1 but for negative ids */
	bool has_id;
};

/* A VarInt by the book: bytes used, 0 when cut, -1 when longer than 5 bytes. */
static inline int model_varint(struct slice s, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < 5; i++) {
		if (i == s.len)
			return 0;
		value += (uint64_t)(s.p[i] % 128) << (7 * i);
		if (s.p[i] < 128) {
			*ret = value % ((uint64_t)1 << 32);
			return (int)i + 1;
		}
	}
	return -1;
}

/* The frame at the front of s. */
static inline struct model_frame model_frame_at(struct slice s)
{
	struct model_frame f = {.head = MODEL_CUT, .id = -1};
	int n = model_varint(s, &f.length), id_n;
	uint64_t id;

	if (n == 0)
		return f;
	f.head = MODEL_OK;
	if (n < 0 || (n > 3 && (f.length < 2097152 || f.length > INT32_MAX)))
		f.head = MODEL_TOO_LONG;
	else if (f.length == 0)
		f.head = MODEL_ZERO;
	else if (n > 3)
		f.head = MODEL_HUGE;
	if (f.head != MODEL_OK)
		return f;
	f.wire = (size_t)n + f.length;
	s = slice_of(s.p + n, s.len - (size_t)n);
	id_n = model_varint(slice_of(s.p, s.len < f.length ? s.len : f.length), &id);
	if (id_n == 0 && s.len < f.length) {
		f.head = MODEL_CUT;
		return f;
	}
	f.has_id = id_n > 0;
	f.id = id_n > 0 ? (int32_t)id : -1;
	f.body_at = (size_t)(n + (id_n > 0 ? id_n : 0));
	return f;
}

#endif
