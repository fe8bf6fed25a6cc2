/* What a session looks at, by phase and direction: which ids, who decides on them, and what becomes
 * of the rest. */
#ifndef SESSION_VIEW_H
#define SESSION_VIEW_H

#include "minecraft/split.h"
#include "session/phase.h"

struct session;

enum verdict {
	VERDICT_PASS, /* the frame goes on as it came */
	VERDICT_DROP, /* it does not; the handler may have sent something in its place */
};

struct view {
	struct watch watch;
	enum verdict (*on_frame)(struct session *s, const struct frame *f);
	bool passes; /* runs of unwatched frames go on to the other side */
};

/* NULL on_frame: nothing of that direction is read in that phase. */
const struct view *view_from_player(enum phase p);
const struct view *view_from_server(enum phase p);

#endif
