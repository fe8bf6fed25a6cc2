/* HTTP heads: where one ends may not depend on how it came; what is split lies inside it; a request
 * that passes all checks gets an answer that our own client takes. */
#include "websocket/head.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool what)
{
	if (!what)
		abort();
}

static void require_inside(struct slice part, struct slice whole)
{
	require(part.p >= whole.p && part.p + part.len <= whole.p + whole.len);
}

static void end_in_steps(struct slice in, enum progress want, size_t want_len)
{
	size_t step = in.len > 0 ? 1 + in.p[0] % 5u : 1, seen = 0, len = 0;
	enum progress got = MORE;

	for (size_t have = step; got == MORE && seen < in.len; have += step) {
		have = have < in.len ? have : in.len;
		got = ws_head_end(slice_of(in.p, have), seen, &len);
		seen = have;
	}
	require(got == want && len == want_len);
}

static void answer(const struct ws_request *r, enum ws_verdict v)
{
	static const struct slice key_name = {(const uint8_t *)"Sec-WebSocket-Key", 17};
	static const struct slice protocol = {(const uint8_t *)"Sec-WebSocket-Protocol", 22};
	char text[WS_ANSWER_MAX_BYTES], key[WS_KEY_BYTES + 1] = "";
	size_t n = v == WS_UPGRADE ? ws_answer_upgrade(text, r) : ws_answer_refusal(text, v), len;

	require(n > 0 && n < WS_ANSWER_MAX_BYTES);
	require(ws_head_end(slice_of(text, n), 0, &len) == DONE);
	if (v != WS_UPGRADE)
		return;
	memcpy(key, ws_request_header(r, key_name).p, WS_KEY_BYTES);
	require(len == n);
	require(ws_answer_check(slice_of(text, n), key) ||
		ws_request_header(r, protocol).p != NULL);
}

static void split(struct slice head)
{
	struct ws_request r;
	enum ws_verdict v = ws_request_parse(&r, head);

	if (v != WS_UPGRADE) {
		answer(&r, v);
		return;
	}
	require_inside(r.method, head);
	require_inside(r.target, head);
	require(r.path.len > 0 && r.path.p[0] == '/' && r.header_n <= WS_HEAD_MAX_HEADERS);
	for (unsigned i = 0; i < r.header_n; i++) {
		require_inside(r.headers[i].name, head);
		require_inside(r.headers[i].value, head);
		require(ws_request_header(&r, r.headers[i].name).p != NULL);
		require(ws_request_last_header(&r, r.headers[i].name).p >= r.headers[i].value.p);
	}
	answer(&r, ws_request_check(&r, SLICE_LIT("/mc")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice in = slice_of(data, size);
	size_t len = 0;
	enum progress p = ws_head_end(in, 0, &len);

	end_in_steps(in, p, len);
	require(len <= size && len <= WS_HEAD_MAX_BYTES && (p == DONE) == (len > 0));
	if (p == DONE)
		split(slice_of(data, len));
	split(in);
	(void)!ws_answer_check(in, "dGhlIHNhbXBsZSBub25jZQ==");
	return 0;
}
