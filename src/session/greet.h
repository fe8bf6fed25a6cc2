/* GREET: what does this connection speak? PROXY header, WebSocket, legacy ping, or a Minecraft
 * handshake. */
#ifndef SESSION_GREET_H
#define SESSION_GREET_H

#include "base/slice.h"
#include "session/view.h"

void greet_on_bytes(struct session *s, struct slice in);

/* The phase's deadline: nothing came, or a legacy ping that has no more bytes. */
void greet_on_silence(struct session *s);

/* The handshake. */
enum verdict greet_on_frame(struct session *s, const struct frame *f);

#endif
