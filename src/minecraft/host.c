/* The host field of a handshake: what mods, proxies and SRV records add to the name, taken off
 * again. */
#include "base/utf8.h"
#include "minecraft/handshake.h"

/* Index of the first NUL or `///`, or host.len. */
static size_t name_len(struct slice host)
{
	for (size_t i = 0; i < host.len; i++) {
		if (host.p[i] == '\0' ||
		    slice_starts(slice_of(host.p + i, host.len - i), SLICE_LIT("///")))
			return i;
	}
	return host.len;
}

struct slice host_tail(struct slice host)
{
	size_t n = name_len(host);

	return slice_of(n < host.len ? host.p + n : NULL, host.len - n);
}

static void cut_prefix(struct slice *name, struct slice prefix)
{
	if (name->len >= prefix.len && slice_eq_nocase(slice_of(name->p, prefix.len), prefix))
		slice_cut(name, prefix.len);
}

/* `_dc-srv.` and the label behind it: a CDN's own SRV target. */
static void cut_dc_srv(struct slice *name)
{
	struct slice rest = *name;

	cut_prefix(&rest, SLICE_LIT("_dc-srv."));
	if (rest.len == name->len || slice_find(rest, '.') == rest.len)
		return;
	slice_cut(&rest, slice_find(rest, '.') + 1);
	*name = rest;
}

static bool has_only_text(struct slice name)
{
	uint32_t code;

	while (name.len > 0) {
		if (!utf8_next(&name, &code) || code < 0x20 || (code >= 0x7F && code <= 0x9F))
			return false;
	}
	return true;
}

bool host_clean(struct slice host, char ret[HOST_NAME_MAX_BYTES + 1])
{
	struct slice name = slice_of(host.p, name_len(host));

	if (name.len > 0 && name.p[name.len - 1] == '.')
		name.len--;
	cut_dc_srv(&name);
	cut_prefix(&name, SLICE_LIT("_minecraft._tcp."));
	if (name.len > HOST_NAME_MAX_BYTES || !has_only_text(name))
		return false;
	for (size_t i = 0; i < name.len; i++) {
		uint8_t c = name.p[i];

		ret[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
	}
	ret[name.len] = '\0';
	return true;
}
