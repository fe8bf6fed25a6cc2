/* Compiler attributes with the names the tree uses. */
#ifndef BASE_ATTR_H
#define BASE_ATTR_H

#define must_check              __attribute__((warn_unused_result))
#define printf_like(fmt, first) __attribute__((format(printf, fmt, first)))

#define COUNT_OF(a)                     (sizeof(a) / sizeof((a)[0]))
#define CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* What an incremental parser says after each piece of input. */
enum progress {
	DONE, /* one whole thing was read; the input points behind it */
	MORE, /* all input was consumed and it was not enough */
	BAD   /* can never become valid, whatever follows */
};

#endif
