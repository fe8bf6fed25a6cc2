#include "websocket/http_fields.h"

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct slice http_line_cut(struct slice *io_head)
{
	size_t end = slice_find(*io_head, '\n');
	struct slice line = slice_cut(io_head, end);

	if (io_head->len > 0)
		slice_cut(io_head, 1);
	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	return line;
}

bool http_head_is_clean(struct slice head)
{
	for (size_t i = 0; i < head.len; i++) {
		uint8_t c = head.p[i];

		if (c == '\r' && (i + 1 == head.len || head.p[i + 1] != '\n'))
			return false;
		if ((c < ' ' && !is_blank(c)) || c == 0x7F)
			return false;
	}
	return true;
}

struct slice http_trim(struct slice s)
{
	while (s.len > 0 && is_blank(s.p[0]))
		slice_cut(&s, 1);
	while (s.len > 0 && is_blank(s.p[s.len - 1]))
		s.len--;
	return s;
}

/* RFC 9110 section 5.6.2. A blank before the colon is none: it has fooled proxies. */
static bool is_token(struct slice s)
{
	static const char marks[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.p[i], letter = c | 0x20;

		if ((letter < 'a' || letter > 'z') && (c < '0' || c > '9') &&
		    memchr(marks, c, sizeof(marks) - 1) == NULL)
			return false;
	}
	return s.len > 0;
}

/* Makes the value of h longer by a line that continues it: they stand side by side. */
static void fold(struct ws_header *h, struct slice line)
{
	h->value.len = (size_t)(line.p + line.len - h->value.p);
}

static bool field_split(struct ws_header *ret, struct slice line)
{
	size_t colon = slice_find(line, ':');

	ret->name = slice_cut(&line, colon);
	if (line.len == 0 || !is_token(ret->name))
		return false;
	slice_cut(&line, 1);
	ret->value = line;
	return true;
}

static void trim_all(struct ws_request *r)
{
	for (unsigned i = 0; i < r->header_n; i++)
		r->headers[i].value = http_trim(r->headers[i].value);
}

enum ws_verdict http_fields_split(struct ws_request *ret, struct slice lines)
{
	ret->header_n = 0;
	while (lines.len > 0) {
		struct slice line = http_line_cut(&lines);

		if (line.len == 0)
			break;
		if (is_blank(line.p[0])) {
			if (ret->header_n == 0)
				return WS_BAD_REQUEST;
			fold(&ret->headers[ret->header_n - 1], line);
			continue;
		}
		if (ret->header_n == WS_HEAD_MAX_HEADERS)
			return WS_HEAD_TOO_LARGE;
		if (!field_split(&ret->headers[ret->header_n++], line))
			return WS_BAD_REQUEST;
	}
	trim_all(ret);
	return WS_UPGRADE;
}

static bool list_has(struct slice list, struct slice token)
{
	while (list.len > 0) {
		struct slice item = slice_cut(&list, slice_find(list, ','));

		if (list.len > 0)
			slice_cut(&list, 1);
		if (slice_eq_nocase(http_trim(item), token))
			return true;
	}
	return false;
}

bool http_fields_have(const struct ws_request *r, struct slice name, struct slice token)
{
	for (unsigned i = 0; i < r->header_n; i++) {
		if (slice_eq_nocase(r->headers[i].name, name) &&
		    list_has(r->headers[i].value, token))
			return true;
	}
	return false;
}

struct slice http_fields_only(const struct ws_request *r, struct slice name)
{
	struct slice first = ws_request_header(r, name);

	if (first.p != ws_request_last_header(r, name).p)
		return (struct slice){0};
	return first;
}
