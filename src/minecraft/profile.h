/* Who a player is: names and offline identities. */
#ifndef MINECRAFT_PROFILE_H
#define MINECRAFT_PROFILE_H

#include "base/attr.h"
#include "base/slice.h"

enum { PLAYER_NAME_MAX = 16, OFFLINE_NAME_MAX_BYTES = 256, UUID_BYTES = 16, UUID_TEXT_BYTES = 36 };

/* 1 to 16 characters of A-Z a-z 0-9 _ . - (the last two for networks with offline tools). */
must_check bool player_name_is_valid(struct slice name);

/* Version 3 uuid: MD5 of "OfflinePlayer:" + name. False: the name is over OFFLINE_NAME_MAX_BYTES,
 * or the digest could not be made (no memory, or MD5 forbidden on this machine): then nobody may
 * log in, for every player would be the same one. */
must_check bool uuid_offline(uint8_t ret[UUID_BYTES], struct slice name);

/* 8-4-4-4-12, lower case, and a NUL. */
void uuid_format(char ret[UUID_TEXT_BYTES + 1], const uint8_t uuid[UUID_BYTES]);

#endif
