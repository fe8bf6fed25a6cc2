#include "session/relay.h"

#include <stdio.h>

#include "base/format.h"
#include "session/session.h"
#include "session/tunnel.h"
#include "session/view.h"

static void push(struct link *to, struct slice bytes)
{
	/* The loop's chunk, or a pooled block that lives to the end of the turn: ours to change. */
	if (to != NULL)
		link_push(to, (struct out){.p = (uint8_t *)(uintptr_t)bytes.p,
					   .len = (uint32_t)bytes.len,
					   .kind = OUT_TURN});
}

static void end_of_bad_frame(struct session *s, const struct split *from, bool is_server)
{
	char limit[24], reason[96];
	struct text t = text_of(limit, sizeof(limit));
	struct end_detail d = {.limit = limit, .reason = reason};

	text_printf(&t, "%u bytes", from->cap);
	(void)snprintf(reason, sizeof(reason), "direction=%s id=%d length=%u",
		       is_server ? "S" : "C", from->bad_id, from->bad_length);
	if (s->kept.phase == PHASE_GREET)
		session_end(s, END_SCANNER);
	else if (from->bad == SPLIT_NO_MEMORY)
		session_end(s, END_OUT_OF_MEMORY);
	else if (from->bad == SPLIT_FRAME_TOO_BIG)
		session_end_with(s, is_server ? END_FRAME_TOO_BIG : END_PLAYER_FRAME_TOO_BIG, &d);
	else
		session_end_with(s, is_server ? END_BACKEND_PACKET_BAD : END_PACKET_BAD, &d);
}

/* Frames that nobody watches come in parts. One that began while they went nowhere (HOLD) goes on
 * nowhere, though a server may be there by now: it must not get the tail alone. */
static void pass_run(struct session *s, struct slice run, uint32_t torn_before, bool passes)
{
	size_t n = torn_before < run.len ? torn_before : run.len;

	if (s->swallows)
		slice_cut(&run, n);
	s->swallows = s->from_player.torn_left > 0 && (!passes || (s->swallows && run.len == 0));
	if (passes)
		push(s->server, run);
}

void relay_from_player(struct session *s, struct slice in)
{
	struct slice run;
	struct frame f;

	while (!session_is_over(s) && s->kept.phase != PHASE_PASS) {
		const struct view *view = view_from_player(s->kept.phase);
		uint32_t torn = s->from_player.torn_left;

		switch (split_next(&s->from_player, &in, &view->watch, &run, &f)) {
		case SPLIT_RUN:
			pass_run(s, run, torn, view->passes);
			break;
		case SPLIT_FRAME:
			if (view->on_frame(s, &f) == VERDICT_PASS && view->passes)
				push(s->server, f.wire);
			break;
		case SPLIT_MORE:
			return;
		case SPLIT_BAD:
			end_of_bad_frame(s, &s->from_player, false);
			return;
		}
	}
	if (s->kept.phase == PHASE_PASS)
		tunnel_from_player(s, in);
}

void relay_from_server(struct session *s, struct slice in)
{
	struct slice run;
	struct frame f;

	while (!session_is_over(s)) {
		const struct view *view = view_from_server(s->kept.phase);

		switch (split_next(&s->cold->from_server, &in, &view->watch, &run, &f)) {
		case SPLIT_RUN:
			push(s->player, run);
			break;
		case SPLIT_FRAME:
			if (view->on_frame(s, &f) == VERDICT_PASS)
				push(s->player, f.wire);
			break;
		case SPLIT_MORE:
			return;
		case SPLIT_BAD:
			end_of_bad_frame(s, &s->cold->from_server, true);
			return;
		}
	}
}
