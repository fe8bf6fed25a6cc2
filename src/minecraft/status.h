/*
 * Server list answers. The JSON is prebuilt when config or player count change (status_build,
 * jansson); answering a request only writes frames.
 */
#ifndef MINECRAFT_STATUS_H
#define MINECRAFT_STATUS_H

#include "base/attr.h"
#include "base/buf.h"
#include "minecraft/writer.h"

enum {
	STATUS_C_REQUEST = 0x00,
	STATUS_C_PING = 0x01,
	STATUS_S_RESPONSE = 0x00,
	STATUS_S_PONG = 0x01,
};

struct status {
	const char *version_name; /* shown when the protocol does not fit */
	int32_t protocol;
	const char *motd; /* plain text, section-sign colours, \n between its two lines */
	const char *icon_png_base64; /* NULL: none */
	uint32_t max_players, online;
	const char *const *sample; /* names shown on hover */
	uint32_t sample_n;
	bool modinfo; /* add modinfo {type FML, modList [FML, Forge]} for 1.7 Forge clients */
};

/* Appends the JSON. A motd that locks modded clients out (":NOFML" at its end) loses that end.
 * False: no memory. */
must_check bool status_build(struct buf *b, const struct status *s);

/* Whole frames. */
void status_response_write(struct writer *w, struct slice json);
void status_pong_write(struct writer *w, int64_t payload);
must_check bool status_ping_parse(int64_t *ret_payload, struct slice body);

/* The three legacy forms (FE / FE 01 / FE 01 FA ...). legacy_answer writes FF, u16 length,
 * UTF-16BE; only the first motd line, and at most 256 units in all, for older clients refuse more.
 * `modern` (FE 01 and FE 01 FA): "§1 NUL 127 NUL version NUL motd NUL online NUL max" (127: no
 * client has it, so each shows the version); else "motd§online§max" with colour codes stripped
 * from the motd. */
void legacy_answer_write(struct writer *w, const struct status *s, bool modern);

#endif
