#include "session/greet.h"

#include "base/clock.h"
#include "minecraft/handshake.h"
#include "session/door.h"
#include "session/first_bytes.h"
#include "session/relay.h"
#include "session/server_list.h"
#include "session/session.h"
#include "session/tunnel.h"
#include "session/worker.h"

enum { LEGACY_SILENCE_US = 200 * US_PER_MS, LEGACY_START = 0xFE };

/* From the first byte on: one limit for everything up to Login Success. */
static void on_first_byte(struct session *s)
{
	timer_arm(s->worker->loop, &s->deadline,
		  session_now_us(s) + session_settings(s)->timeouts.login_us);
}

static void legacy_ping(struct session *s, bool modern)
{
	if (!door_accepts(s, ACCEPT_LEGACY_PING))
		session_end(s, END_SCANNER);
	else if (door_lets_in(s))
		server_list_legacy(s, modern);
}

static void enter_filter(struct session *s, struct filter *f, struct slice rest)
{
	s->head_len = 0;
	if (f == NULL)
		session_end(s, END_OUT_OF_MEMORY);
	else
		link_enable(s->player, f, rest);
}

static bool is_in_websocket(const struct session *s)
{
	return (s->kept.flags & KEPT_WEBSOCKET) != 0;
}

/* Inside a WebSocket there is nothing but Minecraft: whoever may open one may speak it there. */
static void speak_minecraft(struct session *s, struct slice first, struct slice in)
{
	if (!is_in_websocket(s) && !door_accepts(s, ACCEPT_MINECRAFT)) {
		session_end(s, END_SCANNER);
		return;
	}
	if (!door_hears(s))
		return;
	s->head_len = FIRST_BYTES_MAX;
	if (first.len > 0)
		relay_from_player(s, first);
	if (in.len > 0 && !session_is_over(s))
		relay_from_player(s, in);
}

static void ask_for_websocket(struct session *s, struct slice all)
{
	if (!door_accepts(s, ACCEPT_WEBSOCKET))
		session_end(s, END_SCANNER);
	else if (door_lets_ask(s))
		enter_filter(s, door_websocket_filter(s), all);
}

/* A header that a player could write into a WebSocket would be believed, since the web server in
 * front is trusted: so none counts there. */
static bool may_be_there(const struct session *s, enum first_bytes is)
{
	return !is_in_websocket(s) || is == FIRST_MINECRAFT || is == FIRST_LEGACY;
}

/* `first`: bytes of earlier pieces, in s->head; `in`: the rest. A filter wants them as one. */
static void decide(struct session *s, enum first_bytes is, struct slice first, struct slice in)
{
	struct slice all = door_join(s, first, in);

	if (!may_be_there(s, is))
		is = FIRST_MORE;
	switch (is) {
	case FIRST_PROXY:
		enter_filter(s, door_proxy_filter(s), all);
		break;
	case FIRST_HTTP:
		ask_for_websocket(s, all);
		break;
	case FIRST_LEGACY:
		legacy_ping(s, true);
		break;
	case FIRST_MINECRAFT:
		speak_minecraft(s, first, in);
		break;
	case FIRST_TLS:
	case FIRST_MORE:
	case FIRST_MORE_OR_LEGACY:
		session_end(s, END_SCANNER);
		break;
	}
}

/* Too few bytes to tell: they wait in s->head. */
static void wait_for_more(struct session *s, struct slice in, enum first_bytes is)
{
	memcpy(s->head + s->head_len, in.p, in.len);
	s->head_len = (uint8_t)(s->head_len + in.len);
	if (is == FIRST_MORE_OR_LEGACY)
		timer_arm(s->worker->loop, &s->deadline, session_now_us(s) + LEGACY_SILENCE_US);
}

void greet_on_bytes(struct session *s, struct slice in)
{
	uint8_t head[FIRST_BYTES_MAX], earlier[FIRST_BYTES_MAX];
	unsigned had = s->head_len, n = had;
	enum first_bytes is;

	if (had == FIRST_BYTES_MAX) {
		relay_from_player(s, in);
		return;
	}
	/* Not for each further byte: one limit for all that comes before Login Success. Behind a
	 * lone FE the short silence was armed instead. */
	if (had == 0 || s->head[0] == LEGACY_START)
		on_first_byte(s);
	memcpy(head, s->head, had);
	memcpy(earlier, s->head, had);
	for (size_t i = 0; i < in.len && n < FIRST_BYTES_MAX; i++)
		head[n++] = in.p[i];
	is = first_bytes_of(slice_of(head, n));
	if (is == FIRST_MORE || is == FIRST_MORE_OR_LEGACY)
		wait_for_more(s, in, is);
	else
		decide(s, is, slice_of(earlier, had), in);
}

void greet_on_silence(struct session *s)
{
	if (s->head_len > 0 && s->head_len < FIRST_BYTES_MAX && s->head[0] == LEGACY_START) {
		legacy_ping(s, s->head_len > 1);
		return;
	}
	session_end(s, END_SCANNER);
}

static void refuse_version(struct session *s)
{
	session_enter(s, PHASE_LOGIN);
	session_end_with(s, END_VERSION_UNKNOWN,
			 &(struct end_detail){.limit = version_span_text()});
}

/* A login reads why; the server list has no words for it. */
static void refuse_over_limit(struct session *s, const struct handshake *h)
{
	if (h->next != NEXT_STATUS)
		session_enter(s, PHASE_LOGIN);
	session_end(s, END_LIMIT_REACHED);
}

static void begin_login(struct session *s, const struct handshake *h, const char *host)
{
	session_enter(s, PHASE_LOGIN);
	if (!session_warm_up(s))
		return;
	memcpy(s->cold->host, host, strlen(host) + 1);
	s->cold->port = h->port;
}

enum verdict greet_on_frame(struct session *s, const struct frame *f)
{
	char host[HOST_NAME_MAX_BYTES + 1];
	enum version version = VERSION_1_7_6;
	struct handshake h;
	bool known;

	if (f->id != HANDSHAKE_ID || !handshake_parse(&h, f->body)) {
		session_end(s, END_SCANNER);
		return VERDICT_DROP;
	}
	if (!host_clean(h.host, host))
		host[0] = '\0';
	known = version_of_protocol(h.protocol, &version);
	s->kept.version = (uint8_t)version;
	if (s->over_limit)
		refuse_over_limit(s, &h);
	else if (tunnel_wants(s, host, known))
		tunnel_start(s, &h, f->wire, host, known);
	else if (h.next == NEXT_STATUS)
		session_enter(s, PHASE_STATUS);
	else if (known)
		begin_login(s, &h, host);
	else
		refuse_version(s);
	return VERDICT_DROP;
}
