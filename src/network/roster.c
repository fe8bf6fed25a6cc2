#include "network/roster.h"

#include <stdlib.h>

#include "base/hash.h"

/* uthash's macros unfold into much that is none of ours. */
/* NOLINTBEGIN(readability-function-size,clang-analyzer-*) */

struct player {
	char key[PLAYER_NAME_MAX + 1]; /* lower case */
	char name[PLAYER_NAME_MAX + 1];
	uint16_t worker;
	struct addr addr;
	uint64_t conn;
	struct order *waiting;
	UT_hash_handle hh;
};

struct roster {
	struct player *players;
};

struct roster *roster_new(void)
{
	return calloc(1, sizeof(struct roster));
}

void roster_free(struct roster *r)
{
	struct player *p, *next;

	if (r == NULL)
		return;
	HASH_ITER(hh, r->players, p, next) {
		HASH_DEL(r->players, p);
		order_free(p->waiting);
		free(p);
	}
	free(r);
}

static void key_of(char ret[PLAYER_NAME_MAX + 1], const char *name)
{
	size_t i = 0;

	for (; i < PLAYER_NAME_MAX && name[i] != '\0'; i++)
		ret[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i]);
	ret[i] = '\0';
}

static struct player *find(const struct roster *r, const char *name)
{
	char key[PLAYER_NAME_MAX + 1];
	struct player *p;

	key_of(key, name);
	HASH_FIND_STR(r->players, key, p);
	return p;
}

static void take_over(struct player *p, const struct order *claim)
{
	p->conn = claim->conn;
	p->worker = claim->worker;
	p->addr = claim->addr;
	memcpy(p->name, claim->name, sizeof(p->name));
}

static enum claim_verdict add(struct roster *r, const struct order *claim)
{
	struct player *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return CLAIM_REFUSED;
	key_of(p->key, claim->name);
	take_over(p, claim);
	HASH_ADD_STR(r->players, key, p);
	if (p->hh.tbl == NULL) {
		free(p);
		return CLAIM_REFUSED;
	}
	return CLAIM_GRANTED;
}

static bool newcomer_wins(const struct player *holder, const struct order *claim,
			  enum duplicate_names policy)
{
	switch (policy) {
	case DUPLICATE_KICK_OLD:
		return true;
	case DUPLICATE_SAME_ADDRESS:
		/* Peers of a unix socket have no address of their own: none is the other's. */
		return holder->addr.kind != ADDR_UNIX && addr_same_ip(&holder->addr, &claim->addr);
	case DUPLICATE_REFUSE:
		return false;
	}
	return false;
}

enum claim_verdict roster_claim(struct roster *r, struct order *claim, enum duplicate_names policy,
				struct claim_holder *ret_kick, struct order **ret_displaced)
{
	struct player *p = find(r, claim->name);

	*ret_displaced = NULL;
	if (p == NULL)
		return add(r, claim);
	if (!newcomer_wins(p, claim, policy))
		return CLAIM_REFUSED;
	*ret_displaced = p->waiting;
	*ret_kick = (struct claim_holder){.conn = p->conn, .worker = p->worker};
	p->waiting = claim;
	return CLAIM_WAITS;
}

struct order *roster_leave(struct roster *r, const struct order *leave)
{
	struct player *p = find(r, leave->name);
	struct order *next;

	if (p == NULL || p->conn != leave->conn)
		return NULL;
	next = p->waiting;
	p->waiting = NULL;
	if (next != NULL) {
		take_over(p, next);
		return next;
	}
	HASH_DEL(r->players, p);
	free(p);
	return NULL;
}

void roster_moved(struct roster *r, const struct order *here)
{
	struct player *p = find(r, here->name);

	if (p != NULL && p->conn == here->conn)
		p->worker = here->worker;
}

bool roster_is_wanted(const struct roster *r, const struct order *here)
{
	const struct player *p = find(r, here->name);

	return p != NULL && p->conn == here->conn && p->waiting != NULL;
}

size_t roster_count(const struct roster *r)
{
	return HASH_COUNT(r->players);
}

unsigned roster_sample(const struct roster *r, const char **ret_names, unsigned n)
{
	unsigned got = 0;

	if (r->players == NULL)
		return 0;
	for (const struct player *p = ELMT_FROM_HH(r->players->hh.tbl, r->players->hh.tbl->tail);
	     p != NULL && got < n; p = p->hh.prev)
		ret_names[got++] = p->name;
	return got;
}

/* NOLINTEND(readability-function-size,clang-analyzer-*) */
