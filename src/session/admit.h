/* LOGIN: a name is checked, claimed from the roster, and answered with Login Success. */
#ifndef SESSION_ADMIT_H
#define SESSION_ADMIT_H

#include "network/orders.h"
#include "session/view.h"

enum verdict admit_on_frame(struct session *s, const struct frame *f);

/* The roster's answer; o is the session's from here on. */
void admit_on_claimed(struct session *s, struct order *o);

#endif
