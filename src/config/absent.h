/*
 * Keys that other proxies, other MoonBridges or later versions have and this one has not: what to
 * do instead is worth more than "unknown key".
 */
#ifndef CONFIG_ABSENT_H
#define CONFIG_ABSENT_H

#include "base/slice.h"

/* "what is wrong; the remedy", or NULL for a key that nobody has. */
const char *absent_remedy(struct slice key);

#endif
