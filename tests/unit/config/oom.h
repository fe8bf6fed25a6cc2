/*
 * Allocation n fails, alone or with all after it; for programs linked with --wrap for malloc,
 * calloc and realloc. Counts only while it is armed, so that the test's own machinery is left
 * alone.
 */
#ifndef TEST_CONFIG_OOM_H
#define TEST_CONFIG_OOM_H

#include <stdbool.h>
#include <stdlib.h>

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);

/* left: allocations that still succeed; -1: all. then_all: none succeeds from there on. */
static long oom_left = -1;
static bool oom_then_all, oom_hit;

static bool oom_fails(void)
{
	if (oom_left < 0)
		return false;
	if (oom_left > 0) {
		oom_left--;
		return false;
	}
	oom_hit = true;
	if (!oom_then_all)
		oom_left = -1;
	return true;
}

void *__wrap_malloc(size_t bytes)
{
	return oom_fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return oom_fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *p, size_t bytes)
{
	return oom_fails() ? NULL : __real_realloc(p, bytes);
}

static inline void oom_arm(long allow, bool then_all)
{
	oom_hit = false;
	oom_then_all = then_all;
	oom_left = allow;
}

/* True when an allocation was refused since oom_arm. */
static inline bool oom_disarm(void)
{
	oom_left = -1;
	return oom_hit;
}

#endif
