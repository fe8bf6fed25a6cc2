/* Intrusive doubly linked ring. A node that is in no list points at itself, so removing twice is
 * harmless. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct list_node {
	struct list_node *prev, *next;
};

static inline void list_init(struct list_node *n)
{
	n->prev = n->next = n;
}

static inline bool list_is_empty(const struct list_node *head)
{
	return head->next == head;
}

static inline void list_remove(struct list_node *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	list_init(n);
}

/* Puts n last. n must be in no list. */
static inline void list_append(struct list_node *head, struct list_node *n)
{
	n->prev = head->prev;
	n->next = head;
	head->prev->next = n;
	head->prev = n;
}

/* Takes n out of whatever list it is in and puts it last in this one. */
static inline void list_move(struct list_node *n, struct list_node *head)
{
	list_remove(n);
	list_append(head, n);
}

/* Takes the first node out, or NULL when the list is empty. */
static inline struct list_node *list_take_first(struct list_node *head)
{
	struct list_node *n = head->next;

	if (n == head)
		return NULL;
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not see that the head was changed */
	list_remove(n);
	return n;
}

/* Moves all nodes of `from` to the end of `to`; `from` is empty afterwards. */
static inline void list_splice(struct list_node *to, struct list_node *from)
{
	if (list_is_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	list_init(from);
}

#define LIST_ENTRY(node, type, member) CONTAINER_OF(node, type, member)

/* The body may remove `n`, and nothing else of the list. */
#define LIST_EACH(n, head)                                                         \
	for (struct list_node *n = (head)->next, *n##_next = n->next; n != (head); \
	     n = n##_next, n##_next = n->next)

#endif
