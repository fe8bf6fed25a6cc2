#include "minecraft/login.h"

#include "base/format.h"
#include "minecraft/profile.h"
#include "minecraft/reader.h"

enum { NAME_READ_MAX_UNITS = 64, TEXT_MAX_UNITS = 32767 };

bool login_start_parse(struct slice *ret_name, struct slice body)
{
	struct reader r = reader_of(body);
	struct slice name = read_str(&r, NAME_READ_MAX_UNITS);

	if (r.bad)
		return false;
	*ret_name = name;
	return true;
}

void login_start_write(struct writer *w, struct slice name)
{
	size_t mark = frame_begin(w, LOGIN_C_START);

	write_str(w, name);
	frame_end(w, mark);
}

void login_success_write(struct writer *w, enum version v, const uint8_t uuid[16],
			 struct slice name)
{
	size_t mark = frame_begin(w, LOGIN_S_SUCCESS);
	char text[UUID_TEXT_BYTES + 1];

	if (v == VERSION_1_7_2)
		hex_encode(text, slice_of(uuid, UUID_BYTES));
	else
		uuid_format(text, uuid);
	write_str(w, slice_str(text));
	write_str(w, name);
	frame_end(w, mark);
}

void login_disconnect_write(struct writer *w, struct slice json)
{
	size_t mark = frame_begin(w, LOGIN_S_DISCONNECT);

	write_str(w, json);
	frame_end(w, mark);
}

bool login_disconnect_parse(struct slice *ret_json, struct slice body)
{
	struct reader r = reader_of(body);
	struct slice json = read_str(&r, TEXT_MAX_UNITS);

	if (r.bad)
		return false;
	*ret_json = json;
	return true;
}
