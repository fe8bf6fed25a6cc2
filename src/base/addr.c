#include "base/addr.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "base/format.h"

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

static struct addr from_ip6(const uint8_t ip[16], uint16_t port)
{
	struct addr a = {.kind = ADDR_IP6, .port = port};

	if (memcmp(ip, mapped_prefix, sizeof(mapped_prefix)) == 0) {
		a.kind = ADDR_IP4;
		memcpy(a.ip, ip + 12, 4);
	} else {
		memcpy(a.ip, ip, 16);
	}
	return a;
}

struct addr addr_from_sockaddr(const struct sockaddr_storage *sa)
{
	struct addr a = {0};

	if (sa->ss_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)sa;

		a.kind = ADDR_IP4;
		memcpy(a.ip, &in->sin_addr, 4);
		a.port = ntohs(in->sin_port);
	} else if (sa->ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const void *)sa;

		a = from_ip6(in6->sin6_addr.s6_addr, ntohs(in6->sin6_port));
	} else if (sa->ss_family == AF_UNIX) {
		a.kind = ADDR_UNIX;
	}
	return a;
}

socklen_t addr_to_sockaddr(const struct addr *a, struct sockaddr_storage *ret)
{
	*ret = (struct sockaddr_storage){0};
	if (a->kind == ADDR_IP4) {
		struct sockaddr_in *in = (void *)ret;

		in->sin_family = AF_INET;
		in->sin_port = htons(a->port);
		memcpy(&in->sin_addr, a->ip, 4);
		return sizeof(*in);
	}
	struct sockaddr_in6 *in6 = (void *)ret;

	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(a->port);
	memcpy(&in6->sin6_addr, a->ip, 16);
	return sizeof(*in6);
}

bool addr_parse_ip(struct slice text, struct addr *ret)
{
	char s[INET6_ADDRSTRLEN];
	uint8_t ip[16];

	if (text.len == 0 || text.len >= sizeof(s) || memchr(text.p, 0, text.len) != NULL)
		return false;
	memcpy(s, text.p, text.len);
	s[text.len] = '\0';
	if (inet_pton(AF_INET, s, ip) == 1) {
		*ret = (struct addr){.kind = ADDR_IP4};
		memcpy(ret->ip, ip, 4);
		return true;
	}
	if (inet_pton(AF_INET6, s, ip) != 1)
		return false;
	*ret = from_ip6(ip, 0);
	return true;
}

void addr_format_ip(const struct addr *a, char ret[ADDR_TEXT_MAX])
{
	static const char *const no_ip[] = {[ADDR_NONE] = "-", [ADDR_UNIX] = "unix"};

	if (a->kind == ADDR_IP4 || a->kind == ADDR_IP6)
		(void)inet_ntop(a->kind == ADDR_IP4 ? AF_INET : AF_INET6, a->ip, ret,
				ADDR_TEXT_MAX);
	else
		(void)snprintf(ret, ADDR_TEXT_MAX, "%s", no_ip[a->kind]);
}

void addr_format(const struct addr *a, char ret[ADDR_TEXT_MAX])
{
	char ip[ADDR_TEXT_MAX];
	struct text t = text_of(ret, ADDR_TEXT_MAX);

	addr_format_ip(a, ip);
	if (a->kind == ADDR_IP4)
		text_printf(&t, "%s:%u", ip, a->port);
	else if (a->kind == ADDR_IP6)
		text_printf(&t, "[%s]:%u", ip, a->port);
	else
		text_puts(&t, ip);
}

static unsigned ip_bytes(uint8_t kind)
{
	return kind == ADDR_IP4 ? 4 : kind == ADDR_IP6 ? 16 : 0;
}

bool addr_same_ip(const struct addr *a, const struct addr *b)
{
	return a->kind == b->kind && memcmp(a->ip, b->ip, ip_bytes(a->kind)) == 0;
}

bool addr_is_loopback(const struct addr *a)
{
	static const uint8_t one[16] = {[15] = 1};

	if (a->kind == ADDR_IP4)
		return a->ip[0] == 127;
	return a->kind == ADDR_UNIX || (a->kind == ADDR_IP6 && memcmp(a->ip, one, 16) == 0);
}

static void mask_ip(uint8_t ip[16], unsigned bits)
{
	for (unsigned i = 0; i < 16; i++) {
		unsigned left = bits > i * 8 ? bits - i * 8 : 0;

		if (left < 8)
			ip[i] &= (uint8_t)(0xFF00u >> left);
	}
}

struct cidr addr_network(const struct addr *a, unsigned bits4, unsigned bits6)
{
	struct cidr c = {.kind = a->kind};

	if (ip_bytes(a->kind) == 0)
		return c;
	c.bits = (uint8_t)(a->kind == ADDR_IP4 ? bits4 : bits6);
	memcpy(c.ip, a->ip, sizeof(c.ip));
	mask_ip(c.ip, c.bits);
	return c;
}

/* What stands behind the slash, 0 to the bits of an address of this kind. A mapped IPv4 address is
 * written as IPv6, and its bits are counted so. */
static bool bits_parse(struct slice text, bool written_as_ip6, uint8_t kind, uint64_t *ret_bits)
{
	const unsigned skip = written_as_ip6 && kind == ADDR_IP4 ? 96 : 0;
	uint64_t bits;

	if (!u64_parse(text, &bits) || bits < skip || bits - skip > ip_bytes(kind) * 8)
		return false;
	*ret_bits = bits - skip;
	return true;
}

bool cidr_parse(struct slice text, struct cidr *ret)
{
	size_t slash = slice_find(text, '/');
	struct slice ip = slice_cut(&text, slash);
	struct cidr c;
	struct addr a;
	uint64_t bits;

	if (slice_eq_nocase(ip, SLICE_LIT("unix")) && text.len == 0) {
		*ret = (struct cidr){.kind = ADDR_UNIX};
		return true;
	}
	if (!addr_parse_ip(ip, &a))
		return false;
	bits = ip_bytes(a.kind) * 8;
	if (text.len > 0) {
		slice_cut(&text, 1);
		if (!bits_parse(text, slice_find(ip, ':') < ip.len, a.kind, &bits))
			return false;
	}
	c = addr_network(&a, (unsigned)bits, (unsigned)bits);
	if (memcmp(c.ip, a.ip, sizeof(c.ip)) != 0)
		return false;
	*ret = c;
	return true;
}

bool cidr_has(const struct cidr *c, const struct addr *a)
{
	struct cidr of_a = addr_network(a, c->bits, c->bits);

	return c->kind == a->kind && memcmp(of_a.ip, c->ip, ip_bytes(c->kind)) == 0;
}

bool cidrs_have(const struct cidr *list, size_t n, const struct addr *a)
{
	for (size_t i = 0; i < n; i++) {
		if (cidr_has(&list[i], a))
			return true;
	}
	return false;
}
