/* The LOGIN state of protocols 4 and 5. Ids: C 00 start, C 01 encryption response; S 00 disconnect,
 * S 01 encryption request, S 02 success. */
#ifndef MINECRAFT_LOGIN_H
#define MINECRAFT_LOGIN_H

#include "base/attr.h"
#include "base/slice.h"
#include "minecraft/version.h"
#include "minecraft/writer.h"

enum {
	LOGIN_C_START = 0x00,
	LOGIN_S_DISCONNECT = 0x00,
	LOGIN_S_ENCRYPTION = 0x01,
	LOGIN_S_SUCCESS = 0x02,
	LOGIN_S_PLUGIN_REQUEST = 0x04, /* proxy-compatible Forge */
};

/* Login Start: the name as sent (up to 64 units, so that a too long name can be answered). What
 * later protocols put behind it is ignored. */
must_check bool login_start_parse(struct slice *ret_name, struct slice body);
void login_start_write(struct writer *w, struct slice name);

/* uuid is dashed in protocol 5, 32 hex digits in 4. */
void login_success_write(struct writer *w, enum version v, const uint8_t uuid[16],
			 struct slice name);

/* json: a text component. */
void login_disconnect_write(struct writer *w, struct slice json);
must_check bool login_disconnect_parse(struct slice *ret_json, struct slice body);

#endif
