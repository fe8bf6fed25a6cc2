/* Who a player is: names and offline identities. */
#ifndef MINECRAFT_PROFILE_H
#define MINECRAFT_PROFILE_H

#include "base/attr.h"
#include "base/slice.h"

enum { PLAYER_NAME_MAX = 16, UUID_TEXT_BYTES = 36 };

/* 1 to 16 characters of A-Z a-z 0-9 _ . - and, for networks with offline tools, nothing else. */
must_check bool player_name_is_valid(struct slice name);

/* Version 3 uuid: MD5 of "OfflinePlayer:" + name. */
void uuid_offline(uint8_t ret[16], struct slice name);

/* 8-4-4-4-12, lower case, and a NUL. */
void uuid_format(char ret[UUID_TEXT_BYTES + 1], const uint8_t uuid[16]);

#endif
