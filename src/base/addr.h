/* Socket addresses and networks. An IPv4 address mapped into IPv6 is always kept as IPv4. */
#ifndef BASE_ADDR_H
#define BASE_ADDR_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/attr.h"
#include "base/slice.h"

enum {
	ADDR_TEXT_MAX = 64,       /* "[ipv6]:port" and a NUL */
	ADDR_UNIX_PATH_MAX = 108, /* sun_path */
};

enum addr_kind { ADDR_NONE, ADDR_IP4, ADDR_IP6, ADDR_UNIX };

/* An IP address and port; a unix peer has no address of its own and is only ADDR_UNIX. */
struct addr {
	uint8_t kind;
	uint8_t ip[16]; /* network order; the first 4 for ADDR_IP4 */
	uint16_t port;
};

struct cidr {
	uint8_t kind; /* ADDR_IP4, ADDR_IP6, or ADDR_UNIX: every unix peer */
	uint8_t bits;
	uint8_t ip[16];
};

struct addr addr_from_sockaddr(const struct sockaddr_storage *sa);

/* For ADDR_IP4 and ADDR_IP6; returns the length. */
socklen_t addr_to_sockaddr(const struct addr *a, struct sockaddr_storage *ret);

/* An IP literal without port ("::1", "10.0.0.1"); no names, no scope ids. */
must_check bool addr_parse_ip(struct slice text, struct addr *ret);

/* "ip:port" / "[ip6]:port", or only the IP; "unix" for unix peers, "-" for none. */
void addr_format(const struct addr *a, char ret[ADDR_TEXT_MAX]);
void addr_format_ip(const struct addr *a, char ret[ADDR_TEXT_MAX]);

bool addr_same_ip(const struct addr *a, const struct addr *b);
bool addr_is_loopback(const struct addr *a);

/* The network of `bits` that a lies in (/24, /64 for limits). Unix peers are one network. */
struct cidr addr_network(const struct addr *a, unsigned bits4, unsigned bits6);

/* "10.0.0.0/8", "::1", "unix". Host bits must be zero. */
must_check bool cidr_parse(struct slice text, struct cidr *ret);
bool cidr_has(const struct cidr *c, const struct addr *a);
bool cidrs_have(const struct cidr *list, size_t n, const struct addr *a);

#endif
