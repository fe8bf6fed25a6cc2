#include "minecraft/version.h"

static const struct {
	int32_t protocol;
	const char *text;
} versions[VERSION_COUNT] = {
#define X(name, protocol, text) [name] = {protocol, text},
	VERSIONS(X)
#undef X
};

bool version_of_protocol(int32_t protocol, enum version *ret)
{
	for (unsigned i = 0; i < VERSION_COUNT; i++) {
		if (versions[i].protocol == protocol) {
			*ret = (enum version)i;
			return true;
		}
	}
	return false;
}

int32_t version_protocol(enum version v)
{
	return versions[v].protocol;
}

const char *version_text(enum version v)
{
	return versions[v].text;
}

const char *version_span_text(void)
{
	return "1.7.2-1.7.10";
}
