#include "session/tunnel.h"

#include <stdlib.h>

#include "base/buf.h"
#include "network/route.h"
#include "session/reach.h"
#include "session/relay.h"
#include "session/server.h"
#include "session/session.h"
#include "session/worker.h"

struct tunnel {
	struct session *session;
	struct backend *backend; /* a reference */
	struct reach reach;
	bool for_status;
	size_t handshake_bytes;
	struct buf waiting; /* while it is dialled: the handshake and what came in the same read */
};

bool tunnel_wants(const struct session *s, const char *host, bool version_is_known)
{
	return s->worker->catalog != NULL &&
	       route_passthrough(s->worker->catalog->settings, host, version_is_known) != NULL;
}

/* \0FML\0, \0FML2\0, \0FML3\0 (1.8 to 1.20): empty when there is none. */
static struct slice fml_marker(struct slice tail)
{
	static const struct {
		const char *text;
		size_t len;
	} markers[] = {{"\0FML\0", 5}, {"\0FML2\0", 6}, {"\0FML3\0", 6}};

	for (size_t i = 0; i < COUNT_OF(markers); i++) {
		struct slice m = slice_of(markers[i].text, markers[i].len);

		if (slice_starts(tail, m))
			return m;
	}
	return (struct slice){0};
}

bool tunnel_host(struct slice host, char *ret, size_t cap, struct slice *ret_host)
{
	struct slice tail = host_tail(host), marker = fml_marker(tail);
	size_t name = host.len - tail.len;

	if (name + marker.len > cap)
		return false;
	memcpy(ret, host.p, name);
	if (marker.len > 0)
		memcpy(ret + name, marker.p, marker.len);
	*ret_host = slice_of(ret, name + marker.len);
	return true;
}

static bool put_handshake(struct buf *b, const struct handshake *h, struct slice wire,
			  enum handshake_tails tails)
{
	struct handshake cut = *h;
	char host[1024];
	struct writer w;

	if (tails == TAILS_KEEP || host_tail(h->host).len == 0)
		return buf_append(b, wire);
	if (!tunnel_host(h->host, host, sizeof(host), &cut.host) ||
	    !buf_reserve(b, sizeof(host) + 64))
		return false;
	w = writer_of(b->p, b->cap);
	handshake_write(&w, &cut);
	b->len = w.len;
	return !w.full;
}

static void begin_relay(struct session *s, int fd)
{
	struct tunnel *t = s->tunnel;
	struct link *l = link_new(&s->worker->links, fd, &server_ops, s);

	if (l == NULL) {
		session_end(s, END_OUT_OF_MEMORY);
		return;
	}
	timer_disarm(&s->deadline);
	session_attach_server(s, l);
	link_push_copy(l, buf_slice(&t->waiting));
	buf_fini(&t->waiting);
	reach_stop(&t->reach);
	counter_add(&s->worker->desk->counters.tunnels, 1);
	session_log(s, LOG_INFO, 0, "connection passed through", "for=%s",
		    t->for_status ? "status" : "login");
	session_resume_player(s, PAUSE_MOVE);
}

/* The server list still gets an answer: our own. A login reads why. */
static void answer_ourselves(struct session *s)
{
	struct tunnel *t = s->tunnel;
	size_t skip = t->handshake_bytes;
	struct slice rest = slice_of(t->waiting.p + skip, t->waiting.len - skip);

	s->tunnel = NULL;
	session_resume_player(s, PAUSE_MOVE);
	session_enter(s, PHASE_STATUS);
	timer_arm(s->worker->loop, &s->deadline,
		  session_now_us(s) + session_settings(s)->timeouts.login_us);
	if (rest.len > 0)
		relay_from_player(s, rest);
	tunnel_free(t);
}

/* The tunnel ends in here, and the text names its backend. */
static void unreachable(struct session *s, const char *why)
{
	struct backend *b = backend_ref(s->tunnel->backend);
	struct end_detail d = {.backend = b->set->name, .reason = why};

	if (s->tunnel->for_status)
		answer_ourselves(s);
	else
		session_end_with(s, END_BACKEND_UNREACHABLE, &d);
	backend_unref(b);
}

static void on_reached(struct reach *r, int fd)
{
	struct tunnel *t = CONTAINER_OF(r, struct tunnel, reach);

	if (fd < 0)
		unreachable(t->session, reach_error_text(r, fd));
	else
		begin_relay(t->session, fd);
}

void tunnel_on_deadline(struct session *s)
{
	if (s->tunnel != NULL)
		unreachable(s, "took too long");
}

void tunnel_start(struct session *s, const struct handshake *h, struct slice wire, const char *host,
		  bool version_is_known)
{
	const struct catalog *c = s->worker->catalog;
	const struct backend_settings *set = route_passthrough(c->settings, host, version_is_known);
	struct tunnel *t = calloc(1, sizeof(*t));

	session_enter(s, PHASE_PASS);
	if (t == NULL) {
		session_end(s, END_OUT_OF_MEMORY);
		return;
	}
	s->tunnel = t;
	t->session = s;
	t->backend = backend_ref(catalog_find(c, set->name));
	if (!put_handshake(&t->waiting, h, wire, set->tails)) {
		session_end(s, END_OUT_OF_MEMORY);
		return;
	}
	t->handshake_bytes = t->waiting.len;
	t->for_status = h->next == NEXT_STATUS;
	session_pause_player(s, PAUSE_MOVE);
	reach_start(&t->reach, s->worker, t->backend,
		    session_now_us(s) + session_settings(s)->timeouts.route_us, on_reached);
}

void tunnel_free(struct tunnel *t)
{
	if (t == NULL)
		return;
	reach_stop(&t->reach);
	backend_unref(t->backend);
	buf_fini(&t->waiting);
	free(t);
}

const char *tunnel_backend(const struct tunnel *t)
{
	return t == NULL ? NULL : t->backend->set->name;
}

static void push(struct link *to, struct slice in)
{
	link_push(to, (struct out){.p = (uint8_t *)(uintptr_t)in.p,
				   .len = (uint32_t)in.len,
				   .kind = OUT_TURN});
}

void tunnel_from_player(struct session *s, struct slice in)
{
	if (s->server != NULL)
		push(s->server, in);
	else if (s->tunnel != NULL && !buf_append(&s->tunnel->waiting, in))
		session_end(s, END_OUT_OF_MEMORY);
}

void tunnel_from_server(struct session *s, struct slice in)
{
	push(s->player, in);
}
