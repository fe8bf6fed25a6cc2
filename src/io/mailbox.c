/* A Treiber stack that is always emptied whole, so that it needs no protection against reuse. */
#include "io/mailbox.h"

void mailbox_init(struct mailbox *box, struct loop *loop)
{
	atomic_init(&box->head, NULL);
	box->loop = loop;
}

void mailbox_take(struct mailbox *to, struct mail *m)
{
	struct mail *head = atomic_load_explicit(&to->head, memory_order_relaxed);

	do {
		m->next = head;
	} while (!atomic_compare_exchange_weak_explicit(&to->head, &head, m, memory_order_release,
							memory_order_relaxed));
	/* Whoever found the box empty wakes for all that come until it is emptied. m may be gone by
	 * now. */
	if (head == NULL)
		loop_wake(to->loop);
}

struct mail *mailbox_drain(struct mailbox *box)
{
	struct mail *m = atomic_exchange_explicit(&box->head, NULL, memory_order_acquire);
	struct mail *oldest = NULL;

	while (m != NULL) {
		struct mail *next = m->next;

		m->next = oldest;
		oldest = m;
		m = next;
	}
	return oldest;
}

void mailbox_fini(struct mailbox *box)
{
	struct mail *m = mailbox_drain(box);

	while (m != NULL) {
		struct mail *next = m->next;

		if (m->free_fn != NULL)
			m->free_fn(m);
		m = next;
	}
}
