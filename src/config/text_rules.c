#include "config/text_rules.h"

#include "base/utf8.h"

enum {
	NAME_BYTES = 64,
	MOTD_BYTES = 1024,
	LINE_BYTES = 256,
	FILE_BYTES = 4095,
	URL_PATH_BYTES = 256,
	HOST_BYTES = 253,
	ORIGIN_BYTES = 300,
};

bool text_is_clean(struct slice s, bool lines)
{
	while (s.len > 0) {
		uint32_t code;

		if (!utf8_next(&s, &code))
			return false;
		if ((code < 0x20 || code == 0x7F) && !(lines && (code == '\n' || code == '\t')))
			return false;
	}
	return true;
}

static bool is_word_byte(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Not empty, at most max bytes, all of them letters, digits or one of `more`. */
static bool is_made_of(struct slice s, size_t max, const char *more)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!is_word_byte(s.p[i]) && (s.p[i] == 0 || strchr(more, s.p[i]) == NULL))
			return false;
	}
	return s.len > 0 && s.len <= max;
}

bool text_is_host(struct slice s)
{
	return is_made_of(s, HOST_BYTES, ".-_") && s.p[0] != '.';
}

static bool name_is_ok(struct slice s)
{
	return is_made_of(s, NAME_BYTES, "_.-");
}

static bool motd_is_ok(struct slice s)
{
	size_t first = slice_find(s, '\n');

	if (s.len > MOTD_BYTES || !text_is_clean(s, true) || slice_find(s, '\t') < s.len)
		return false;
	if (first == s.len)
		return true;
	slice_cut(&s, first + 1);
	return slice_find(s, '\n') == s.len;
}

static bool line_is_ok(struct slice s)
{
	return s.len <= LINE_BYTES && text_is_clean(s, false);
}

static bool file_is_ok(struct slice s)
{
	return s.len > 0 && s.len <= FILE_BYTES && text_is_clean(s, false);
}

static bool url_path_is_ok(struct slice s)
{
	return s.len > 0 && s.p[0] == '/' && is_made_of(s, URL_PATH_BYTES, "/_.-~%!$&'()*+,;=:@");
}

static bool header_is_ok(struct slice s)
{
	return is_made_of(s, NAME_BYTES, "!#$%&'*+-.^_`|~");
}

/* scheme "://" host [":" port], as a browser sends it; or "null". */
static bool origin_is_ok(struct slice s)
{
	size_t colon = slice_find(s, ':');
	struct slice scheme, host;

	if (slice_eq(s, SLICE_LIT("null")))
		return true;
	if (s.len > ORIGIN_BYTES)
		return false;
	scheme = slice_cut(&s, colon);
	if (!is_made_of(scheme, NAME_BYTES, "+-.") || !slice_starts(s, SLICE_LIT("://")))
		return false;
	host = s;
	slice_cut(&host, 3);
	return is_made_of(host, HOST_BYTES + 6, ".-_:[]");
}

static bool forced_host_is_ok(struct slice s)
{
	if (slice_starts(s, SLICE_LIT("*.")))
		slice_cut(&s, 2);
	return text_is_host(s);
}

const struct text_rule rule_name = {name_is_ok,
				    "a name of 1 to 64 of the characters a-z A-Z 0-9 _ . -"};
const struct text_rule rule_motd = {motd_is_ok, "at most two lines and 1024 bytes of text"};
const struct text_rule rule_line = {line_is_ok, "one line of at most 256 bytes"};
const struct text_rule rule_file = {file_is_ok, "the path of a file"};
const struct text_rule rule_url_path = {url_path_is_ok, "a path such as /mc, without ? and #"};
const struct text_rule rule_header = {header_is_ok,
				      "direct, or the name of a header such as X-Forwarded-For"};
const struct text_rule rule_origin = {origin_is_ok,
				      "an origin such as https://play.example.org, without a path"};
const struct text_rule rule_forced_host = {
	forced_host_is_ok, "a host name without port, such as play.example.org or *.example.org"};
