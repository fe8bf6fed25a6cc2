/* A session's log lines: what happened, then who it was. Written into the worker's ring. */
#include <stdarg.h>
#include <stdio.h>

#include "base/format.h"
#include "session/session.h"
#include "session/tunnel.h"
#include "session/worker.h"

static const char *backend_name(const struct session *s)
{
	if (s->cold != NULL && s->cold->at != NULL)
		return s->cold->at->set->name;
	return tunnel_backend(s->tunnel);
}

static void put_who(struct text *t, const struct session *s)
{
	const char *backend = backend_name(s);
	char addr[ADDR_TEXT_MAX];

	addr_format(&s->kept.addr, addr);
	text_printf(t, " conn=%llu phase=%s addr=%s", (unsigned long long)s->kept.conn,
		    phase_name(s->kept.phase), addr);
	if (s->kept.flags & KEPT_WEBSOCKET)
		text_puts(t, " via=websocket");
	if (s->kept.name[0] != '\0')
		text_printf(t, " name=%s", s->kept.name);
	if (backend != NULL)
		text_printf(t, " backend=%s", backend);
	if (s->kept.rtt_ms != 0)
		text_printf(t, " rtt_ms=%u", s->kept.rtt_ms);
}

void session_log(struct session *s, enum log_level level, unsigned cause, const char *msg,
		 const char *fmt, ...)
{
	char memory[LOG_LINE_MAX];
	char more[512];
	struct text t = text_of(memory, sizeof(memory));
	va_list ap;

	if (level < session_settings(s)->log_level)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(more, sizeof(more), fmt, ap);
	va_end(ap);
	text_puts(&t, "msg=");
	text_put_value(&t, slice_str(msg));
	if (more[0] != '\0')
		text_printf(&t, " %s", more);
	put_who(&t, s);
	worker_log(s->worker, level, cause, "%s", memory);
}
