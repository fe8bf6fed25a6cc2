#include "websocket/head.h"

#include "websocket/http_fields.h"

/* Bytes of the empty line that ends a head, if it begins at `rest`. */
static size_t empty_line(struct slice rest)
{
	if (slice_starts(rest, SLICE_LIT("\n")))
		return 1;
	return slice_starts(rest, SLICE_LIT("\r\n")) ? 2 : 0;
}

enum progress ws_head_end(struct slice in, size_t seen, size_t *ret_len)
{
	struct slice rest = in;

	if (rest.len > WS_HEAD_MAX_BYTES)
		rest.len = WS_HEAD_MAX_BYTES;
	if (seen > 2 && seen <= rest.len) /* an end of which 1 or 2 bytes were there: LF, LF CR */
		slice_cut(&rest, seen - 2);
	while (rest.len > 0) {
		size_t empty;

		slice_cut(&rest, slice_find(rest, '\n'));
		if (rest.len == 0)
			break;
		slice_cut(&rest, 1);
		empty = empty_line(rest);
		if (empty > 0) {
			*ret_len = (size_t)(rest.p - in.p) + empty;
			return DONE;
		}
	}
	return in.len >= WS_HEAD_MAX_BYTES ? BAD : MORE;
}

/* Cuts what stands before the next single space, and the space. */
static struct slice word_cut(struct slice *io_line)
{
	struct slice word = slice_cut(io_line, slice_find(*io_line, ' '));

	if (io_line->len > 0)
		slice_cut(io_line, 1);
	return word;
}

static bool version_parse(unsigned *ret_minor, struct slice text)
{
	static const struct slice http1 = {(const uint8_t *)"HTTP/1.", 7};

	if (text.len != http1.len + 1 || !slice_starts(text, http1))
		return false;
	if (text.p[http1.len] < '0' || text.p[http1.len] > '9')
		return false;
	*ret_minor = text.p[http1.len] - '0';
	return true;
}

/* "ws://host/mc" is as good as "/mc" (RFC 9112 section 3.2.2): what precedes the path is cut. */
static bool absolute_cut(struct slice *io_target)
{
	static const char *const schemes[] = {"http://", "https://", "ws://", "wss://"};

	for (size_t i = 0; i < COUNT_OF(schemes); i++) {
		struct slice scheme = slice_str(schemes[i]);

		if (io_target->len < scheme.len ||
		    !slice_eq_nocase(slice_of(io_target->p, scheme.len), scheme))
			continue;
		slice_cut(io_target, scheme.len);
		slice_cut(io_target, slice_find(*io_target, '/'));
		return true;
	}
	return false;
}

static bool path_of(struct slice *ret, struct slice target)
{
	bool absolute = absolute_cut(&target);

	target.len = slice_find(target, '?');
	if (target.len == 0 && absolute)
		target = SLICE_LIT("/");
	if (target.len == 0 || target.p[0] != '/')
		return false;
	*ret = target;
	return true;
}

static bool request_line_parse(struct ws_request *ret, struct slice line)
{
	ret->method = word_cut(&line);
	ret->target = word_cut(&line);
	return ret->method.len > 0 && version_parse(&ret->minor, line) &&
	       path_of(&ret->path, ret->target);
}

enum ws_verdict ws_request_parse(struct ws_request *ret, struct slice head)
{
	struct slice line;

	if (head.len > WS_HEAD_MAX_BYTES)
		return WS_HEAD_TOO_LARGE;
	if (head.len == 0 || !http_head_is_clean(head))
		return WS_BAD_REQUEST;
	line = http_line_cut(&head);
	if (!request_line_parse(ret, line))
		return WS_BAD_REQUEST;
	return http_fields_split(ret, head);
}

struct slice ws_request_header(const struct ws_request *r, struct slice name)
{
	for (unsigned i = 0; i < r->header_n; i++) {
		if (slice_eq_nocase(r->headers[i].name, name))
			return r->headers[i].value;
	}
	return (struct slice){0};
}

struct slice ws_request_last_header(const struct ws_request *r, struct slice name)
{
	for (unsigned i = r->header_n; i > 0; i--) {
		if (slice_eq_nocase(r->headers[i - 1].name, name))
			return r->headers[i - 1].value;
	}
	return (struct slice){0};
}
