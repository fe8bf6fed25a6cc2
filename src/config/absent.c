#include "config/absent.h"

#include "base/attr.h"
#include "config/nearest.h"

struct absent {
	const char *key, *remedy;
};

#define NOT_YET(what) "this version has no " what " yet; remove the key"

static const struct absent table[] = {
	/* who the player is, and who is told */
	{"forwarding",
	 NOT_YET("identity forwarding") " and let backends be reached by the proxy only"},
	{"forwardingSecret", NOT_YET("identity forwarding")},
	{"forwardingSecretFile", NOT_YET("identity forwarding")},
	{"playerInfoForwarding",
	 NOT_YET("identity forwarding") " and let backends be reached by the proxy only"},
	{"playerInfoForwardingMode",
	 NOT_YET("identity forwarding") " and let backends be reached by the proxy only"},
	{"ipForward",
	 NOT_YET("identity forwarding") " and let backends be reached by the proxy only"},
	{"bungeeGuard", NOT_YET("identity forwarding")},
	{"velocity", NOT_YET("identity forwarding")},
	{"onlineMode",
	 "accounts are not checked yet; remove the key and write authentication: offline"},
	{"sessionServer", NOT_YET("session server")},
	{"forceKeyAuthentication", NOT_YET("chat keys")},
	{"preventClientProxyConnections", NOT_YET("check of accounts")},
	/* the wire */
	{"encryption",
	 NOT_YET("encryption") ", or put a server with TLS in front of the WebSocket"},
	{"tls", NOT_YET("TLS") " and let a web server or CDN in front of the WebSocket do it"},
	{"ssl", NOT_YET("TLS") " and let a web server or CDN in front of the WebSocket do it"},
	{"certificate", NOT_YET("TLS")},
	{"compression", NOT_YET("compression") " (the versions it manages do not know it)"},
	{"compressionThreshold",
	 NOT_YET("compression") " (the versions it manages do not know it)"},
	{"compressionLevel", NOT_YET("compression") " (the versions it manages do not know it)"},
	{"networkCompressionThreshold",
	 NOT_YET("compression") " (the versions it manages do not know it)"},
	/* elsewhere, or under another name */
	{"webSocket", "belongs to a listener; write listen: with a list of sections "
		      "{address: ..., webSocket: {path: /mc}} (WebSocket is on without it, too)"},
	{"bind", "is called listen here; write listen: \"0.0.0.0:25565\""},
	{"host",
	 "is no key here; a listener or backend has address: \"host:port\", a forced host is "
	 "a key of initialRouting.forcedHosts"},
	{"port", "is no key of its own; write it into the address: \"host:port\""},
	{"listeners",
	 "is called listen here; write listen: with a list of sections {address: ...}"},
	{"servers", "is called backends here, as a list of {name: ..., address: ...}; the order of "
		    "tries is initialRouting.servers"},
	{"try", "is called initialRouting.servers here; write the names there"},
	{"priorities", "is called initialRouting.servers here; write the names there"},
	{"haproxyProtocol", "belongs to a listener; write listen: with a list of sections "
			    "{address: ..., proxyProtocol: required, trusted: [...]}"},
	{"connectionThrottle", "is done by limits here; see newPerSecond and burst"},
	{"loginRatelimit", "is done by limits here; see newPerSecond and burst"},
	{"rateLimit", "is done by limits here; see newPerSecond and burst"},
	{"showMaxPlayers", "is called status.maxPlayers here; write it there"},
	{"favicon", "is called status.icon here; write the file's path there"},
	{"playerLimit", "is called maxConnections here; write that"},
	{"kickExistingPlayers", "is called duplicateNames here; write kickOld or refuse there"},
	{"offlineMode", "is called authentication here; write authentication: offline"},
	/* operating it */
	{"controlChannel", NOT_YET("control channel") " and list the servers in backends"},
	{"control", NOT_YET("control channel") " and list the servers in backends"},
	{"messaging", NOT_YET("messages between backends")},
	{"bungeePluginMessageChannel", NOT_YET("BungeeCord channel")},
	{"metrics", NOT_YET("metrics page")},
	{"prometheus", NOT_YET("metrics page")},
	{"admin", NOT_YET("admin interface")},
	{"api", NOT_YET("admin interface")},
	{"dashboard", NOT_YET("dashboard")},
	{"audit", NOT_YET("audit log")},
	{"plugins", NOT_YET("plugins")},
	{"scripts", NOT_YET("plugins")},
	{"commands", NOT_YET("commands of its own")},
	{"permissions", NOT_YET("commands of its own")},
	{"groups", NOT_YET("commands of its own")},
	{"transfers", NOT_YET("moves between running servers")},
	{"transfer", NOT_YET("moves between running servers")},
	{"handover", NOT_YET("moves between running servers")},
	{"failover", NOT_YET("moves between running servers")},
	{"fallback", NOT_YET("moves between running servers") ", or see initialRouting.servers"},
	{"onKick", NOT_YET("moves between running servers")},
	{"health", NOT_YET("health checks") " (a server that does not answer is passed over)"},
	{"healthCheck", NOT_YET("health checks") " (a server that does not answer is passed over)"},
	{"strategy", NOT_YET("balancing") " (servers are tried in their order)"},
	{"loadBalancing", NOT_YET("balancing") " (servers are tried in their order)"},
	{"weight", NOT_YET("balancing") " (servers are tried in their order)"},
	{"capacity", NOT_YET("limit of players for each server")},
	{"discovery", NOT_YET("discovery of servers") " and list the servers in backends"},
	{"takeover", NOT_YET("live upgrade")},
	{"upgrade", NOT_YET("live upgrade")},
	{"query", NOT_YET("query protocol")},
	{"logging", "is called logLevel here; write logLevel: info"},
	{"ioUring", NOT_YET("io_uring")},
	{"transport", NOT_YET("choice of transport")},
	{"virtualHosts", "is called initialRouting.forcedHosts here; write host: server there"},
	{"configVersion", "is not needed here; remove the key"},
};

const char *absent_remedy(struct slice key)
{
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		if (nearest_is_same(key, slice_str(table[i].key)))
			return table[i].remedy;
	}
	return NULL;
}
