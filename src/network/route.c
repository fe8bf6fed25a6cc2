#include "network/route.h"

#include <string.h>

static bool wildcard_fits(const char *pattern, const char *host)
{
	size_t tail = strlen(pattern) - 1, len = strlen(host);

	return pattern[0] == '*' && len > tail && strcmp(host + len - tail, pattern + 1) == 0;
}

static const struct route_settings *forced(const struct settings *s, const char *host)
{
	const struct route_settings *best = NULL;

	for (size_t i = 0; i < s->forced_host_n; i++) {
		const struct route_settings *r = &s->forced_hosts[i];

		if (strcmp(r->host, host) == 0)
			return r;
		if (wildcard_fits(r->host, host) &&
		    (best == NULL || strlen(r->host) > strlen(best->host)))
			best = r;
	}
	return best;
}

const struct route_settings *route_find(const struct settings *s, const char *host)
{
	const struct route_settings *r = forced(s, host);

	return r != NULL ? r : &s->initial;
}

static const struct backend_settings *passthrough_named(const struct settings *s, const char *name)
{
	for (size_t i = 0; i < s->backend_n; i++) {
		const struct backend_settings *b = &s->backends[i];

		if (b->mode == BACKEND_PASSTHROUGH && strcmp(b->name, name) == 0)
			return b;
	}
	return NULL;
}

const struct backend_settings *route_passthrough(const struct settings *s, const char *host,
						 bool version_is_known)
{
	const struct route_settings *r = forced(s, host);
	const struct backend_settings *b = NULL;

	if (r != NULL && r->servers.n > 0)
		b = passthrough_named(s, r->servers.v[0]);
	if (b == NULL && !version_is_known && s->other_versions != NULL)
		b = passthrough_named(s, s->other_versions);
	return b;
}
