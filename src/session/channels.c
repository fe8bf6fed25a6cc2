#include "session/channels.h"

/* Never more than half full: names that are removed, and those that stay. */
enum { SLOTS = 4 * CHANNELS_MAX };

struct name_set {
	struct slice slots[SLOTS]; /* p NULL: free */
	unsigned n;
};

/* FNV-1a. Names made to collide cost CHANNELS_MAX steps each, and no more. */
static uint32_t hash_of(struct slice name)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < name.len; i++)
		h = (h ^ name.p[i]) * 16777619u;
	return h ^ h >> 15;
}

/* False: it is there already, or the set is full. */
static bool set_add(struct name_set *set, struct slice name)
{
	uint32_t at = hash_of(name) % SLOTS;

	for (; set->slots[at].p != NULL; at = (at + 1) % SLOTS) {
		if (slice_eq(set->slots[at], name))
			return false;
	}
	if (set->n == CHANNELS_MAX)
		return false;
	set->slots[at] = name;
	set->n++;
	return true;
}

/* The name at the front of a NUL-separated list; `names` moves behind it. */
static struct slice next_name(struct slice *names)
{
	struct slice name = slice_cut(names, slice_find(*names, 0));

	if (names->len > 0)
		slice_cut(names, 1);
	return name;
}

static void append_name(struct buf *b, struct slice name)
{
	if (b->len + name.len + 1 > CHANNELS_MAX_BYTES || !buf_reserve(b, name.len + 1))
		return;
	if (b->len > 0)
		b->p[b->len++] = 0;
	memcpy(b->p + b->len, name.p, name.len);
	b->len += name.len;
}

/* Those names that the set does not have yet. */
static void append_new(struct buf *b, struct name_set *set, struct slice names)
{
	while (names.len > 0) {
		struct slice name = next_name(&names);

		if (name.len > 0 && set_add(set, name))
			append_name(b, name);
	}
}

void channels_add(struct buf *io_channels, struct slice names)
{
	struct name_set set = {0};
	struct buf all = {0};

	append_new(&all, &set, buf_slice(io_channels));
	append_new(&all, &set, names);
	buf_fini(io_channels);
	*io_channels = all;
}

void channels_remove(struct buf *io_channels, struct slice names)
{
	struct name_set set = {0};
	struct buf left = {0};

	while (names.len > 0) {
		struct slice name = next_name(&names);

		if (name.len > 0)
			(void)set_add(&set, name);
	}
	/* The set is not to fill up with what stays. */
	set.n = 0;
	append_new(&left, &set, buf_slice(io_channels));
	buf_fini(io_channels);
	*io_channels = left;
}
