/*
 * Version 1 is one line of text, version 2 a binary block; both are read only when they are whole,
 * since they are short. Family and addresses of a kind that is no TCP over IP are skipped, not
 * refused: the peer's own address stands then.
 */
#include "link/proxy_header.h"

#include "base/format.h"

static const struct slice v1_start = {(const uint8_t *)"PROXY ", 6};
static const struct slice v2_start = {(const uint8_t *)"\r\n\r\n\0\r\nQUIT\n", 12};

enum { V2_HEAD_BYTES = 16, PORT_MAX_DIGITS = 5, V1_FIELDS = 4 };
enum { V2_VERSION = 0x20, V2_LOCAL = 0, V2_PROXY = 1, V2_STREAM = 1 };
enum v2_family { V2_UNSPEC = 0, V2_INET = 1, V2_INET6 = 2, V2_UNIX = 3 };

/* What both have of `start` is the same. */
static bool may_start(struct slice in, struct slice start)
{
	if (in.len < start.len)
		start.len = in.len;
	return slice_starts(in, start);
}

static bool port_parse(uint16_t *ret, struct slice text)
{
	uint64_t port;

	if (text.len == 0 || text.len > PORT_MAX_DIGITS || (text.len > 1 && text.p[0] == '0'))
		return false;
	if (!u64_parse(text, &port) || port > UINT16_MAX)
		return false;
	*ret = (uint16_t)port;
	return true;
}

/* The kind is told by the text: a mapped IPv4 address would read as IPv4. */
static bool ip_parse(struct addr *ret, struct slice text, enum addr_kind kind)
{
	bool is_ip6 = slice_find(text, ':') < text.len;

	return is_ip6 == (kind == ADDR_IP6) && addr_parse_ip(text, ret);
}

/* "source destination sport dport", one space between. */
static bool v1_addresses_parse(struct addr *ret, struct slice text, enum addr_kind kind)
{
	struct slice field[V1_FIELDS];
	struct addr source, destination;
	uint16_t port;

	for (unsigned i = 0; i < V1_FIELDS; i++) {
		field[i] = slice_cut(&text, slice_find(text, ' '));
		if ((text.len > 0) != (i + 1 < V1_FIELDS))
			return false;
		if (text.len > 0)
			slice_cut(&text, 1);
	}
	if (!ip_parse(&source, field[0], kind) || !ip_parse(&destination, field[1], kind) ||
	    !port_parse(&source.port, field[2]) || !port_parse(&port, field[3]))
		return false;
	*ret = source;
	return true;
}

/* What stands between "PROXY " and the line end. Behind UNKNOWN anything may stand. */
static bool v1_line_parse(struct addr *ret, struct slice line)
{
	struct slice family = slice_cut(&line, slice_find(line, ' '));
	bool is_ip4 = slice_eq(family, SLICE_LIT("TCP4"));

	if (slice_eq(family, SLICE_LIT("UNKNOWN"))) {
		*ret = (struct addr){.kind = ADDR_NONE};
		return true;
	}
	if ((!is_ip4 && !slice_eq(family, SLICE_LIT("TCP6"))) || line.len == 0)
		return false;
	slice_cut(&line, 1);
	return v1_addresses_parse(ret, line, is_ip4 ? ADDR_IP4 : ADDR_IP6);
}

static enum progress v1_parse(struct proxy_header *ret, struct slice in)
{
	struct slice line = in;
	struct addr source;
	size_t end;

	if (line.len > PROXY_V1_MAX_BYTES)
		line.len = PROXY_V1_MAX_BYTES;
	end = slice_find(line, '\n');
	if (end == line.len)
		return line.len == PROXY_V1_MAX_BYTES ? BAD : MORE;
	line.len = end;
	slice_cut(&line, v1_start.len);
	if (line.len == 0 || line.p[line.len - 1] != '\r')
		return BAD;
	line.len--;
	if (!v1_line_parse(&source, line))
		return BAD;
	*ret = (struct proxy_header){.source = source, .bytes = end + 1};
	return DONE;
}

/* Bytes of the addresses, which come before the TLVs. */
static size_t v2_address_bytes(unsigned family)
{
	static const uint8_t bytes[] = {[V2_INET] = 12, [V2_INET6] = 36, [V2_UNIX] = 216};

	return family < COUNT_OF(bytes) ? bytes[family] : 0;
}

static struct addr v2_source(unsigned family, const uint8_t *p)
{
	struct sockaddr_storage sa = {0};

	if (family == V2_INET) {
		struct sockaddr_in *in = (void *)&sa;

		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, p, 4);
		memcpy(&in->sin_port, p + 8, 2);
	} else if (family == V2_INET6) {
		struct sockaddr_in6 *in6 = (void *)&sa;

		in6->sin6_family = AF_INET6;
		memcpy(&in6->sin6_addr, p, 16);
		memcpy(&in6->sin6_port, p + 32, 2);
	}
	return addr_from_sockaddr(&sa);
}

/* The fixed part, as far as it is there, can be the beginning of a header that we take. */
static bool v2_head_may_be_good(struct slice in)
{
	uint8_t command = in.len > 12 ? in.p[12] : V2_VERSION;
	size_t bytes = in.len >= V2_HEAD_BYTES ? (size_t)(in.p[14] << 8 | in.p[15]) : SIZE_MAX;

	if (command != (V2_VERSION | V2_LOCAL) && command != (V2_VERSION | V2_PROXY))
		return false;
	if (bytes == SIZE_MAX)
		return true;
	if (V2_HEAD_BYTES + bytes > PROXY_V2_MAX_BYTES)
		return false;
	return command == (V2_VERSION | V2_LOCAL) || bytes >= v2_address_bytes(in.p[13] >> 4);
}

static enum progress v2_parse(struct proxy_header *ret, struct slice in)
{
	struct addr source = {.kind = ADDR_NONE};
	size_t bytes;

	if (!v2_head_may_be_good(in))
		return BAD;
	if (in.len < V2_HEAD_BYTES)
		return MORE;
	bytes = V2_HEAD_BYTES + (size_t)(in.p[14] << 8 | in.p[15]);
	if (in.len < bytes)
		return MORE;
	if (in.p[12] == (V2_VERSION | V2_PROXY) && (in.p[13] & 0x0F) == V2_STREAM)
		source = v2_source(in.p[13] >> 4, in.p + V2_HEAD_BYTES);
	*ret = (struct proxy_header){.source = source, .bytes = bytes};
	return DONE;
}

enum progress proxy_header_parse(struct proxy_header *ret, struct slice in)
{
	if (in.len == 0)
		return MORE;
	if (may_start(in, v1_start))
		return v1_parse(ret, in);
	return may_start(in, v2_start) ? v2_parse(ret, in) : BAD;
}
