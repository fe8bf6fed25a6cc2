/* PLAY: the few packets that are looked at on their way. */
#ifndef SESSION_PLAY_VIEW_H
#define SESSION_PLAY_VIEW_H

#include "session/view.h"

enum verdict play_on_player_frame(struct session *s, const struct frame *f);
enum verdict play_on_server_frame(struct session *s, const struct frame *f);

#endif
