#include "network/limits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"

/* uthash's macros unfold into much that is none of ours. */
/* NOLINTBEGIN(readability-function-size,clang-analyzer-*) */

enum { SHARDS = 64 };

/* An address is a network with all its bits. Entries go when nobody is left and the bucket is full
 * again. */
struct entry {
	struct cidr key;
	uint32_t connections;
	double tokens;
	uint64_t filled_us;
	UT_hash_handle hh;
};

struct shard {
	pthread_mutex_t lock;
	struct entry *entries;
	uint64_t swept_us;
};

struct limits {
	_Atomic uint32_t connections;
	struct shard shards[SHARDS];
};

struct limits *limits_new(void)
{
	struct limits *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	for (unsigned i = 0; i < SHARDS; i++)
		(void)pthread_mutex_init(&l->shards[i].lock, NULL);
	return l;
}

static void entry_free(struct shard *sh, struct entry *e)
{
	HASH_DEL(sh->entries, e);
	free(e);
}

void limits_free(struct limits *l)
{
	struct entry *e, *next;

	if (l == NULL)
		return;
	for (unsigned i = 0; i < SHARDS; i++) {
		HASH_ITER(hh, l->shards[i].entries, e, next)
			entry_free(&l->shards[i], e);
		(void)pthread_mutex_destroy(&l->shards[i].lock);
	}
	free(l);
}

bool limits_enter(struct limits *l, uint32_t max_connections)
{
	if (atomic_fetch_add(&l->connections, 1) < max_connections)
		return true;
	limits_leave(l);
	return false;
}

void limits_leave(struct limits *l)
{
	atomic_fetch_sub(&l->connections, 1);
}

uint32_t limits_connections(const struct limits *l)
{
	return atomic_load(&l->connections);
}

static struct shard *shard_of(struct limits *l, const struct cidr *key)
{
	uint32_t h = key->bits * 31u + key->kind;

	for (unsigned i = 0; i < sizeof(key->ip); i++)
		h = (h ^ key->ip[i]) * 16777619u;
	return &l->shards[(h ^ h >> 13) % SHARDS];
}

static void refill(struct entry *e, double per_s, double burst, uint64_t now_us)
{
	double got = now_us > e->filled_us ? (double)(now_us - e->filled_us) * per_s / US_PER_S : 0;

	e->tokens = e->tokens + got > burst ? burst : e->tokens + got;
	e->filled_us = now_us;
}

/* Drops what nobody uses; once a minute and shard, so that a scan of many addresses leaves nothing
 * behind. */
static void sweep(struct shard *sh, uint64_t now_us)
{
	struct entry *e, *next;

	if (now_us < sh->swept_us + 60ull * US_PER_S)
		return;
	sh->swept_us = now_us;
	HASH_ITER(hh, sh->entries, e, next) {
		if (e->connections == 0 && now_us > e->filled_us + 60ull * US_PER_S)
			entry_free(sh, e);
	}
}

static struct entry *entry_of(struct shard *sh, const struct cidr *key, double burst,
			      uint64_t now_us)
{
	struct entry *e;

	HASH_FIND(hh, sh->entries, key, sizeof(*key), e);
	if (e != NULL)
		return e;
	e = calloc(1, sizeof(*e));
	if (e == NULL)
		return NULL;
	e->key = *key;
	e->tokens = burst;
	e->filled_us = now_us;
	HASH_ADD(hh, sh->entries, key, sizeof(e->key), e);
	if (e->hh.tbl == NULL) {
		free(e);
		return NULL;
	}
	return e;
}

struct allowance {
	uint32_t connections;
	double per_s, burst;
};

static enum limit_verdict admit_one(struct limits *l, const struct cidr *key,
				    struct allowance allow, uint64_t now_us)
{
	struct shard *sh = shard_of(l, key);
	enum limit_verdict verdict = LIMIT_OK;
	struct entry *e;

	(void)pthread_mutex_lock(&sh->lock);
	sweep(sh, now_us);
	e = entry_of(sh, key, allow.burst, now_us);
	if (e != NULL) {
		refill(e, allow.per_s, allow.burst, now_us);
		if (e->connections >= allow.connections)
			verdict = LIMIT_ADDRESS;
		else if (e->tokens < 1)
			verdict = LIMIT_RATE;
		e->tokens -= verdict == LIMIT_OK;
		e->connections += verdict == LIMIT_OK;
	}
	(void)pthread_mutex_unlock(&sh->lock);
	return verdict;
}

/* tokens: 1 when the connection never was, and its arrival shall not count either. */
static void release_one(struct limits *l, const struct cidr *key, double tokens)
{
	struct shard *sh = shard_of(l, key);
	struct entry *e;

	(void)pthread_mutex_lock(&sh->lock);
	HASH_FIND(hh, sh->entries, key, sizeof(*key), e);
	if (e != NULL && e->connections > 0) {
		e->connections--;
		e->tokens += tokens;
	}
	(void)pthread_mutex_unlock(&sh->lock);
}

_Static_assert(sizeof(struct cidr) == 18, "keys are compared as memory: no padding");

static struct cidr address_key(const struct addr *a)
{
	return addr_network(a, 32, 128);
}

static struct cidr prefix_key(const struct addr *a)
{
	return addr_network(a, 24, 64);
}

enum limit_verdict limits_admit(struct limits *l, const struct settings *s, const struct addr *a,
				uint64_t now_us, bool *ret_counted)
{
	const uint32_t factor = s->limits.prefix_factor;
	struct allowance allow = {s->limits.per_address, s->limits.new_per_second, s->limits.burst};
	const struct cidr address = address_key(a), prefix = prefix_key(a);
	enum limit_verdict verdict;

	*ret_counted = false;
	if ((a->kind != ADDR_IP4 && a->kind != ADDR_IP6) ||
	    cidrs_have(s->limits.exempt.v, s->limits.exempt.n, a))
		return LIMIT_OK;
	verdict = admit_one(l, &address, allow, now_us);
	if (verdict != LIMIT_OK)
		return verdict;
	allow = (struct allowance){allow.connections * factor, allow.per_s * factor,
				   allow.burst * factor};
	verdict = admit_one(l, &prefix, allow, now_us);
	if (verdict != LIMIT_OK)
		release_one(l, &address, 1);
	*ret_counted = verdict == LIMIT_OK;
	return verdict;
}

void limits_release(struct limits *l, const struct addr *a)
{
	const struct cidr address = address_key(a), prefix = prefix_key(a);

	release_one(l, &address, 0);
	release_one(l, &prefix, 0);
}

size_t limits_entries(struct limits *l)
{
	size_t n = 0;

	for (unsigned i = 0; i < SHARDS; i++) {
		struct entry *e, *next;

		(void)pthread_mutex_lock(&l->shards[i].lock);
		HASH_ITER(hh, l->shards[i].entries, e, next)
			n += e->connections > 0;
		(void)pthread_mutex_unlock(&l->shards[i].lock);
	}
	return n;
}

/* NOLINTEND(readability-function-size,clang-analyzer-*) */
