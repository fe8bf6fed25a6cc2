#include "minecraft/profile.h"

#include "base/format.h"
#include "crypto/digest.h"

static bool is_name_char(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-';
}

bool player_name_is_valid(struct slice name)
{
	if (name.len == 0 || name.len > PLAYER_NAME_MAX)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		if (!is_name_char(name.p[i]))
			return false;
	}
	return true;
}

bool uuid_offline(uint8_t ret[UUID_BYTES], struct slice name)
{
	static const char prefix[] = "OfflinePlayer:";
	uint8_t text[sizeof(prefix) - 1 + OFFLINE_NAME_MAX_BYTES];
	size_t n = sizeof(prefix) - 1;

	if (name.len > OFFLINE_NAME_MAX_BYTES)
		return false;
	memcpy(text, prefix, n);
	if (name.len > 0)
		memcpy(text + n, name.p, name.len);
	if (!digest_md5(ret, slice_of(text, n + name.len)))
		return false;
	ret[6] = (uint8_t)((ret[6] & 0x0F) | 0x30); /* version 3 */
	ret[8] = (uint8_t)((ret[8] & 0x3F) | 0x80); /* variant of RFC 4122 */
	return true;
}

void uuid_format(char ret[UUID_TEXT_BYTES + 1], const uint8_t uuid[UUID_BYTES])
{
	static const uint8_t group_bytes[] = {4, 2, 2, 2, 6};
	char *at = ret;

	for (size_t i = 0; i < COUNT_OF(group_bytes); i++) {
		if (i > 0)
			*at++ = '-';
		hex_encode(at, slice_of(uuid, group_bytes[i]));
		at += (size_t)group_bytes[i] * 2;
		uuid += group_bytes[i];
	}
}
