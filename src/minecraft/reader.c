#include "minecraft/reader.h"

#include <endian.h>

#include "base/utf8.h"
#include "minecraft/varint.h"

struct reader reader_of(struct slice body)
{
	return (struct reader){.rest = body};
}

bool reader_done(const struct reader *r)
{
	return !r->bad && r->rest.len == 0;
}

struct slice read_bytes(struct reader *r, size_t n)
{
	if (r->bad || n > r->rest.len) {
		r->bad = true;
		return (struct slice){0};
	}
	return n == 0 ? (struct slice){0} : slice_cut(&r->rest, n);
}

struct slice read_rest(struct reader *r)
{
	return read_bytes(r, r->rest.len);
}

/* Copies n bytes to ret; zeros when they are not there. */
static void read_raw(struct reader *r, void *ret, size_t n)
{
	struct slice s = read_bytes(r, n);

	if (s.len == n)
		memcpy(ret, s.p, n);
	else
		memset(ret, 0, n);
}

int32_t read_varint(struct reader *r)
{
	uint32_t value;
	int n = r->bad ? VARINT_CUT : varint_at(r->rest.p, r->rest.len, &value);

	if (n <= 0) {
		r->bad = true;
		return 0;
	}
	slice_cut(&r->rest, (size_t)n);
	return (int32_t)value;
}

uint8_t read_u8(struct reader *r)
{
	uint8_t v;

	read_raw(r, &v, sizeof(v));
	return v;
}

int8_t read_i8(struct reader *r)
{
	return (int8_t)read_u8(r);
}

uint16_t read_u16(struct reader *r)
{
	uint16_t v;

	read_raw(r, &v, sizeof(v));
	return be16toh(v);
}

int16_t read_i16(struct reader *r)
{
	return (int16_t)read_u16(r);
}

int32_t read_i32(struct reader *r)
{
	uint32_t v;

	read_raw(r, &v, sizeof(v));
	return (int32_t)be32toh(v);
}

int64_t read_i64(struct reader *r)
{
	uint64_t v;

	read_raw(r, &v, sizeof(v));
	return (int64_t)be64toh(v);
}

float read_f32(struct reader *r)
{
	int32_t bits = read_i32(r);
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

double read_f64(struct reader *r)
{
	int64_t bits = read_i64(r);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

bool read_bool(struct reader *r)
{
	uint8_t v = read_u8(r);

	if (v > 1)
		r->bad = true;
	return v == 1;
}

struct slice read_str(struct reader *r, unsigned max_units)
{
	int32_t n = read_varint(r);
	struct slice s;
	long units;

	if (n < 0)
		r->bad = true;
	s = read_bytes(r, n < 0 ? 0 : (size_t)n);
	units = utf8_utf16_units(s);
	if (units < 0 || units > (long)max_units) {
		r->bad = true;
		return (struct slice){0};
	}
	return s;
}
