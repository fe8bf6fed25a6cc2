/* A heap that can be told to be empty, for programs linked with --wrap=malloc. */
#ifndef TEST_LINK_NO_MEMORY_H
#define TEST_LINK_NO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);

static bool memory_is_out;

void *__wrap_malloc(size_t n)
{
	return memory_is_out ? NULL : __real_malloc(n);
}

#endif
