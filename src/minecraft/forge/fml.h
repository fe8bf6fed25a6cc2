/*
 * The FML handshake of Forge for 1.7.10 (channel FML|HS) as a proxy sees it: what a message is,
 * and which state the client is in. The facts and their order: docs/protocol.md, "Forge".
 */
#ifndef MINECRAFT_FORGE_FML_H
#define MINECRAFT_FORGE_FML_H

#include "base/attr.h"
#include "base/slice.h"
#include "minecraft/play.h"

#define FML_CHANNEL "FML|HS"

enum fml_kind {
	FML_SERVER_HELLO = 0,
	FML_CLIENT_HELLO = 1,
	FML_MOD_LIST = 2,
	FML_MOD_IDS = 3,
	FML_RESET = 0xFE,
	FML_ACK = 0xFF,
	FML_OTHER = -1, /* empty, or a kind that nobody knows: passes */
};

/* First byte of a FML|HS payload. */
enum fml_kind fml_kind_of(struct slice data);

/* Phase of an ACK; -1 when it is none. */
int fml_ack_phase(struct slice data);

struct fml_hello {
	uint8_t version;
	bool has_dimension;
	int32_t dimension; /* override */
};
must_check bool fml_server_hello_parse(struct fml_hello *ret, struct slice data);

/* Build number of Forge from a client's ModList (4th number of `FML`, or of `Forge` when FML says
 * 7.10.99.99); 0 when unknown. */
uint32_t fml_build_of_mods(struct slice mod_list);
enum { FML_FIRST_BUILD_WITH_RESET = 1209 };

/* What the client of a session is, as far as it has shown. Kept in struct kept as a number. */
enum fml_client {
	FML_CLIENT_START,         /* before its first Join Game */
	FML_CLIENT_RUNNING,       /* a handshake is under way */
	FML_CLIENT_DONE,          /* C Ack 5 seen, or a Join Game passed without ServerHello */
	FML_CLIENT_WAITING_HELLO, /* we sent a reset */
};

/* True when the NUL-separated names of a REGISTER payload contain `name`. */
bool register_has(struct slice names, struct slice name);

/* The S 3F FML|HS reset frame (FE 00). */
void fml_reset_write(struct writer *w);

#endif
