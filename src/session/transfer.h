/*
 * A move: from the moment a backend is ready for a player to the moment that the player lives in
 * its world.
 *
 * First join (out of nowhere): the server's bytes pass as they are from its Login Success on.
 *
 * Out of HOLD, vanilla client: Join Game with another dimension in its byte, then Respawn into the
 * target.
 *
 * Out of HOLD, Forge client: Respawn out of the old world; a barrier that its main thread answers;
 * [reset]; the server's FML handshake; Join Game as it is; [Respawn elsewhere]; Respawn into the
 * target. With forge.order: resetFirst the first two are left out.
 *
 *   LEAVING --(barrier answered, or 5 s)--> OPENING --(Join Game)--> SETTLING --> PLAY
 *                                           first join: -----------------------> PLAY
 *
 * SETTLING ends with the client's MC|Brand, with its C 06 that answers an S 08, or after 5 s.
 * Serverbound meanwhile: input of the old world is dropped; chat and mod messages wait for the new
 * world.
 */
#ifndef SESSION_TRANSFER_H
#define SESSION_TRANSFER_H

#include "base/buf.h"
#include "session/view.h"

struct link;
struct transfer;

/* Takes l, and *held (emptied): frames of the server that were read already, before `rest`. */
void transfer_begin(struct session *s, struct link *l, struct buf *held, struct slice rest);
void transfer_free(struct transfer *t); /* NULL is fine */

/* MOVE: its deadline. Goes on while there is progress, up to a limit; else the session ends. */
void transfer_on_deadline(struct session *s);

/* The new server's Join Game has passed: its keep-alives count from here on. */
bool transfer_has_joined(const struct transfer *t);

enum verdict transfer_on_player_frame(struct session *s, const struct frame *f);
enum verdict transfer_on_server_frame(struct session *s, const struct frame *f);

#endif
