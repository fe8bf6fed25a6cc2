/* The client's side of WebSocket, as much as a load needs: upgrade, masked binary messages, pongs.
 */
#ifndef LOAD_WS_H
#define LOAD_WS_H

#include "load_bytes.h"

void ws_add_request(struct bytes *out, const char *host, const char *path);
/* Takes the answer's head off `wire`: 1 upgraded, 0 not whole yet, -1 refused. */
int ws_read_answer(struct bytes *wire);
void ws_add_binary(struct bytes *out, const struct bytes *payload);
/* Moves the payload of whole frames to `in` and answers pings into `pong`. NULL, or why it is over.
 */
const char *ws_read_frames(struct bytes *in, struct bytes *pong, struct bytes *wire);

#endif
