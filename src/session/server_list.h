/* STATUS: the server list asks; prebuilt answers go out. One request and one ping a connection. */
#ifndef SESSION_SERVER_LIST_H
#define SESSION_SERVER_LIST_H

#include "session/view.h"

enum verdict server_list_on_frame(struct session *s, const struct frame *f);

/* Answers a legacy ping and ends the session. modern: FE 01 forms. */
void server_list_legacy(struct session *s, bool modern);

#endif
