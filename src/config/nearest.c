#include "config/nearest.h"

enum { NAME_MAX_BYTES = 64 };

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

static bool is_dash(uint8_t c)
{
	return c == '-' || c == '_';
}

/* The next character that counts, or 0 at the end. */
static uint8_t next_letter(struct slice *s)
{
	while (s->len > 0 && is_dash(s->p[0]))
		slice_cut(s, 1);
	return s->len == 0 ? 0 : lower(slice_cut(s, 1).p[0]);
}

bool nearest_is_same(struct slice a, struct slice b)
{
	uint8_t c = 0;

	do {
		c = next_letter(&a);
		if (c != next_letter(&b))
			return false;
	} while (c != 0);
	return true;
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* One row of the table of distances (insert, delete, change, swap two neighbours). */
static void next_row(unsigned *row, const unsigned *above, const unsigned *above2, struct slice a,
		     struct slice b, size_t i)
{
	row[0] = (unsigned)i + 1;
	for (size_t j = 0; j < b.len; j++) {
		uint8_t x = lower(a.p[i]), y = lower(b.p[j]);

		row[j + 1] = least(above[j] + (x != y), above[j + 1] + 1, row[j] + 1);
		if (i > 0 && j > 0 && x == lower(b.p[j - 1]) && lower(a.p[i - 1]) == y &&
		    above2[j - 1] + 1 < row[j + 1])
			row[j + 1] = above2[j - 1] + 1;
	}
}

static unsigned distance(struct slice a, struct slice b)
{
	unsigned rows[3][NAME_MAX_BYTES + 1] = {0};

	for (unsigned j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (size_t i = 0; i < a.len; i++)
		next_row(rows[(i + 1) % 3], rows[i % 3], rows[(i + 2) % 3], a, b, i);
	return rows[a.len % 3][b.len];
}

void nearest_init(struct nearest *n, struct slice want)
{
	*n = (struct nearest){.want = want, .distance = ((unsigned)want.len + 1) / 3};
}

void nearest_try(struct nearest *n, const char *candidate)
{
	struct slice s = slice_str(candidate);
	unsigned d = 0;

	if (n->want.len == 0 || n->want.len > NAME_MAX_BYTES || s.len > NAME_MAX_BYTES)
		return;
	d = nearest_is_same(n->want, s) ? 0 : distance(n->want, s);
	if (d > n->distance || (n->best != NULL && d == n->distance))
		return;
	/* As far away as either is long: that is another word. */
	if (d >= s.len || d >= n->want.len + (d == 0))
		return;
	n->best = candidate;
	n->distance = d;
}
