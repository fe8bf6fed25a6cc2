#include "network/orders.h"

#include <stdlib.h>

#include "network/backend.h"
#include "network/listing.h"

static void free_mail(struct mail *m)
{
	order_free(order_of(m));
}

struct order *order_new(enum order_kind kind, uint64_t conn)
{
	struct order *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return NULL;
	o->mail.kind = (uint16_t)kind;
	o->mail.free_fn = free_mail;
	o->conn = conn;
	return o;
}

void order_free(struct order *o)
{
	if (o == NULL)
		return;
	catalog_unref(o->catalog);
	listing_unref(o->listing);
	free(o);
}

void order_send(struct mailbox *to, struct order *o)
{
	mailbox_take(to, &o->mail);
}
