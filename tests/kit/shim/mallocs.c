/*
 * LD_PRELOAD library that counts a process's allocations, live, and can make chosen ones fail.
 *
 * MOONBRIDGE_MALLOCS=FILE   the counters as a shared file (struct counters below, created here)
 * MOONBRIDGE_OOM_AT=n       the n-th allocation (from 1) returns NULL with ENOMEM
 * MOONBRIDGE_OOM_COUNT=k    and so do the k - 1 after it [1]; 0: all after it
 *
 * A reader maps the file and looks whenever it wants. All numbers are little-endian, 8 bytes. A
 * reader may also write `fail_at` (relative to the allocations so far) and `fail_count` to start
 * failures in a running program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORTED        __attribute__((visibility("default")))
#define COUNTERS_MAGIC  0x314c4c414d424d4dull /* "MMBMALL1" */
#define BOOTSTRAP_BYTES 65536

struct counters {
	uint64_t magic;
	_Atomic uint64_t allocations; /* malloc, calloc, realloc, aligned ones; failed ones too */
	_Atomic uint64_t frees;
	_Atomic uint64_t bytes;      /* asked for, in all */
	_Atomic uint64_t failed;     /* made to fail */
	_Atomic uint64_t fail_at;    /* the allocation to fail first; 0: none */
	_Atomic uint64_t fail_count; /* how many; 0: all from there on */
	_Atomic uint64_t off_main;   /* allocations by threads other than the first */
};

static struct counters own;
static struct counters *counters = &own;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_memalign)(size_t, size_t);
static void (*next_free)(void *);

/* dlsym may allocate before the real functions are known: it is served from here, never freed. */
static _Alignas(16) uint8_t bootstrap[BOOTSTRAP_BYTES];
static size_t bootstrap_used;
static bool is_resolving;

static void *bootstrap_take(size_t n)
{
	size_t need = (n + 15) & ~(size_t)15;

	if (need < n || need > sizeof(bootstrap) - bootstrap_used)
		return NULL;
	void *p = bootstrap + bootstrap_used;
	bootstrap_used += need;
	return p;
}

static bool is_bootstrap(const void *p)
{
	const uint8_t *v = p;

	return v >= bootstrap && v < bootstrap + sizeof(bootstrap);
}

static void resolve(void)
{
	is_resolving = true;
	/* A function pointer from dlsym has no cast that ISO C knows. */
	*(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
	*(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
	*(void **)&next_memalign = dlsym(RTLD_NEXT, "memalign");
	*(void **)&next_free = dlsym(RTLD_NEXT, "free");
	is_resolving = false;
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void map_counters(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	void *p = MAP_FAILED;
	if (ftruncate(fd, sizeof(struct counters)) == 0)
		p = mmap(NULL, sizeof(struct counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return;
	struct counters *shared = p;
	atomic_fetch_add(&shared->allocations, atomic_load(&own.allocations));
	counters = shared;
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("MOONBRIDGE_MALLOCS");

	if (!next_malloc)
		resolve();
	if (path && *path)
		map_counters(path);
	atomic_store(&counters->fail_count, env_number("MOONBRIDGE_OOM_COUNT", 1));
	atomic_store(&counters->fail_at, env_number("MOONBRIDGE_OOM_AT", 0));
	counters->magic = COUNTERS_MAGIC;
}

/* Counts one allocation; false when it is one that has to fail. */
static bool may_allocate(size_t n)
{
	uint64_t nth = atomic_fetch_add(&counters->allocations, 1) + 1;
	uint64_t at = atomic_load(&counters->fail_at);
	uint64_t count = atomic_load(&counters->fail_count);

	atomic_fetch_add(&counters->bytes, n);
	if (gettid() != getpid())
		atomic_fetch_add(&counters->off_main, 1);
	if (at == 0 || nth < at || (count && nth - at >= count))
		return true;
	atomic_fetch_add(&counters->failed, 1);
	errno = ENOMEM;
	return false;
}

/* The real functions are known (true), or we are inside the look-up for them. */
static bool is_ready(void)
{
	if (!next_malloc && !is_resolving)
		resolve();
	return !is_resolving;
}

EXPORTED void *malloc(size_t n)
{
	if (!is_ready())
		return bootstrap_take(n);
	return may_allocate(n) ? next_malloc(n) : NULL;
}

EXPORTED void *calloc(size_t n, size_t size)
{
	if (!is_ready())
		return size && n > SIZE_MAX / size ? NULL : bootstrap_take(n * size);
	return may_allocate(n * size) ? next_calloc(n, size) : NULL;
}

static void *move_out(void *from, size_t n)
{
	void *to = next_malloc(n);
	size_t left = (size_t)(bootstrap + sizeof(bootstrap) - (uint8_t *)from);

	if (to)
		memcpy(to, from, n < left ? n : left);
	return to;
}

EXPORTED void *realloc(void *p, size_t n)
{
	if (!is_ready())
		return p ? NULL : bootstrap_take(n);
	if (!may_allocate(n))
		return NULL;
	return is_bootstrap(p) ? move_out(p, n) : next_realloc(p, n);
}

EXPORTED void *reallocarray(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, n * size);
}

EXPORTED void *memalign(size_t align, size_t n)
{
	if (!is_ready())
		return NULL;
	return may_allocate(n) ? next_memalign(align, n) : NULL;
}

EXPORTED void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

EXPORTED int posix_memalign(void **ret, size_t align, size_t n)
{
	if (align < sizeof(void *) || (align & (align - 1)))
		return EINVAL;
	int saved = errno;
	void *p = memalign(align, n);
	errno = saved;
	if (!p)
		return ENOMEM;
	*ret = p;
	return 0;
}

EXPORTED void free(void *p)
{
	if (!p || is_bootstrap(p))
		return;
	atomic_fetch_add(&counters->frees, 1);
	next_free(p);
}
