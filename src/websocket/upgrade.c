/* The opening handshake of RFC 6455 section 4 on top of the split head: checks and answers of both
 * roles. */
#include "websocket/head.h"

#include <assert.h>

#include "base/base64.h"
#include "base/format.h"
#include "crypto/digest.h"
#include "websocket/http_fields.h"

#define UPGRADE    SLICE_LIT("Upgrade")
#define CONNECTION SLICE_LIT("Connection")
#define KEY        SLICE_LIT("Sec-WebSocket-Key")
#define VERSION    SLICE_LIT("Sec-WebSocket-Version")
#define ACCEPT     SLICE_LIT("Sec-WebSocket-Accept")
#define PROTOCOL   SLICE_LIT("Sec-WebSocket-Protocol")
#define EXTENSIONS SLICE_LIT("Sec-WebSocket-Extensions")

enum { KEY_RAW_BYTES = 16, KEY_RAW_MAX_BYTES = WS_KEY_BYTES / 4 * 3 };

static struct slice without_trailing_slash(struct slice path)
{
	if (path.len > 1 && path.p[path.len - 1] == '/')
		path.len--;
	return path;
}

static bool asks_for_websocket(const struct ws_request *r)
{
	return http_fields_have(r, UPGRADE, SLICE_LIT("websocket")) &&
	       http_fields_have(r, CONNECTION, SLICE_LIT("upgrade"));
}

static bool key_is_good(struct slice key)
{
	uint8_t raw[KEY_RAW_MAX_BYTES];
	size_t raw_len;

	return key.len == WS_KEY_BYTES && base64_decode(raw, &raw_len, key) &&
	       raw_len == KEY_RAW_BYTES;
}

enum ws_verdict ws_request_check(const struct ws_request *r, struct slice path)
{
	if (!slice_eq(r->method, SLICE_LIT("GET")))
		return WS_METHOD_NOT_ALLOWED;
	if (!slice_eq(without_trailing_slash(r->path), without_trailing_slash(path)))
		return WS_NOT_FOUND;
	if (r->minor == 0 || !asks_for_websocket(r)) /* HTTP/1.0 knows no Upgrade: RFC 9110, 7.8 */
		return WS_UPGRADE_REQUIRED;
	if (!slice_eq(http_fields_only(r, VERSION), SLICE_LIT("13")))
		return WS_UPGRADE_REQUIRED;
	if (!key_is_good(http_fields_only(r, KEY)) ||
	    http_fields_only(r, SLICE_LIT("Host")).p == NULL)
		return WS_BAD_REQUEST;
	return WS_UPGRADE;
}

/* base64(SHA-1(key + the GUID of RFC 6455)), with a NUL. */
static bool accept_of(char ret[WS_ACCEPT_BYTES + 1], struct slice key)
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	uint8_t text[WS_KEY_BYTES + sizeof(guid) - 1], digest[SHA1_BYTES];

	assert(key.len == WS_KEY_BYTES);
	memcpy(text, key.p, WS_KEY_BYTES);
	memcpy(text + WS_KEY_BYTES, guid, sizeof(guid) - 1);
	if (!digest_sha1(digest, slice_of(text, sizeof(text))))
		return false;
	base64_encode(ret, slice_of(digest, sizeof(digest)));
	return true;
}

size_t ws_answer_upgrade(char *ret, const struct ws_request *r)
{
	struct text t = text_of(ret, WS_ANSWER_MAX_BYTES);
	char accept[WS_ACCEPT_BYTES + 1];

	if (!accept_of(accept, ws_request_header(r, KEY)))
		return 0;
	text_printf(&t,
		    "HTTP/1.1 101 Switching Protocols\r\n"
		    "Upgrade: websocket\r\n"
		    "Connection: Upgrade\r\n"
		    "Sec-WebSocket-Accept: %s\r\n",
		    accept);
	if (http_fields_have(r, PROTOCOL, SLICE_LIT("binary")))
		text_puts(&t, "Sec-WebSocket-Protocol: binary\r\n");
	text_puts(&t, "\r\n");
	return t.len;
}

struct refusal {
	const char *phrase, *headers, *text;
};

static struct refusal refusal_of(enum ws_verdict why)
{
	switch (why) {
	case WS_FORBIDDEN:
		return (struct refusal){"Forbidden", "", "You may not connect from there."};
	case WS_NOT_FOUND:
		return (struct refusal){"Not Found", "", "There is nothing at this path."};
	case WS_METHOD_NOT_ALLOWED:
		return (struct refusal){"Method Not Allowed", "Allow: GET\r\n",
					"Only GET is answered here."};
	case WS_UPGRADE_REQUIRED:
		return (struct refusal){"Upgrade Required",
					"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
					"A WebSocket of version 13 is expected at this path."};
	case WS_TOO_MANY_REQUESTS:
		return (struct refusal){
			"Too Many Requests", "Retry-After: 10\r\n",
			"Too many connections from your address. Please try again in a moment."};
	case WS_HEAD_TOO_LARGE:
		return (struct refusal){"Request Header Fields Too Large", "",
					"The request head is too large."};
	case WS_UPGRADE: /* no refusal: our bug */
		assert(why != WS_UPGRADE);
		break;
	case WS_BAD_REQUEST:
		break;
	}
	return (struct refusal){"Bad Request", "", "The request was not understood."};
}

size_t ws_answer_refusal(char *ret, enum ws_verdict why)
{
	static const char place[] = "This is a Minecraft server, run by MoonBridge.";
	struct text t = text_of(ret, WS_ANSWER_MAX_BYTES);
	struct refusal f = refusal_of(why);

	text_printf(&t, "HTTP/1.1 %d %s\r\n%s", (int)why, f.phrase, f.headers);
	text_printf(&t,
		    "Connection: close%s\r\n"
		    "Content-Type: text/plain; charset=utf-8\r\n"
		    "Content-Length: %zu\r\n\r\n"
		    "%s\n%s\n",
		    why == WS_UPGRADE_REQUIRED ? ", Upgrade" : "",
		    sizeof(place) + strlen(f.text) + 1, place, f.text);
	return t.len;
}

size_t ws_request_write(char *ret, size_t cap, struct slice host, struct slice path,
			const char key[WS_KEY_BYTES + 1])
{
	struct text t = text_of(ret, cap);

	text_puts(&t, "GET ");
	text_put(&t, path);
	text_puts(&t, " HTTP/1.1\r\nHost: ");
	text_put(&t, host);
	text_printf(&t,
		    "\r\nUpgrade: websocket\r\n"
		    "Connection: Upgrade\r\n"
		    "Sec-WebSocket-Key: %.*s\r\n"
		    "Sec-WebSocket-Version: 13\r\n\r\n",
		    (int)WS_KEY_BYTES, key);
	return t.cut ? 0 : t.len;
}

/* We offered neither, so a server that names one speaks of something else. */
static bool is_plain(const struct ws_request *answer)
{
	return ws_request_header(answer, EXTENSIONS).p == NULL &&
	       ws_request_header(answer, PROTOCOL).p == NULL;
}

static bool status_is_101(struct slice line)
{
	static const struct slice want = {(const uint8_t *)"HTTP/1.1 101", 12};

	return slice_starts(line, want) && (line.len == want.len || line.p[want.len] == ' ');
}

bool ws_answer_check(struct slice head, const char key[WS_KEY_BYTES + 1])
{
	struct ws_request answer = {0}; /* only its headers are used */
	char accept[WS_ACCEPT_BYTES + 1];

	if (head.len == 0 || head.len > WS_HEAD_MAX_BYTES || !http_head_is_clean(head) ||
	    !status_is_101(http_line_cut(&head)) || http_fields_split(&answer, head) != WS_UPGRADE)
		return false;
	return asks_for_websocket(&answer) && is_plain(&answer) &&
	       accept_of(accept, slice_of(key, WS_KEY_BYTES)) &&
	       slice_eq(http_fields_only(&answer, ACCEPT), slice_of(accept, WS_ACCEPT_BYTES));
}
