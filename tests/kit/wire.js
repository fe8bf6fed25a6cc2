'use strict';
// The wire of protocols 4 and 5 (1.7.2 - 1.7.10): numbers, frames and the packets that tests send.
// Field facts: minecraft-data 3.119.0 (pc/1.7) and the public 1.7.10 protocol pages.

const MAX_FRAME = 2097151;

// ---- numbers and strings, written ------------------------------------------------------------

// A VarInt; `size` forces a longer, non-canonical form (1..5 bytes).
function varint(value, size = 0) {
	const out = [];
	let rest = value >>> 0;
	while (rest > 0x7f || out.length + 1 < size) {
		out.push((rest & 0x7f) | 0x80);
		rest >>>= 7;
	}
	out.push(rest);
	return Buffer.from(out);
}

function number(size, method) {
	return (value) => {
		const out = Buffer.alloc(size);
		out[method](value);
		return out;
	};
}

const u8 = (value) => Buffer.from([value & 0xff]);
const i8 = u8;
const bool = (value) => u8(value ? 1 : 0);
const u16 = number(2, 'writeUInt16BE');
const i16 = number(2, 'writeInt16BE');
const i32 = number(4, 'writeInt32BE');
const f32 = number(4, 'writeFloatBE');
const f64 = number(8, 'writeDoubleBE');
const i64 = (value) => {
	const out = Buffer.alloc(8);
	out.writeBigInt64BE(BigInt(value));
	return out;
};

// A string as the protocol has it; a Buffer passes as it is (for names that are no UTF-8).
function str(text) {
	const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text, 'utf8');
	return Buffer.concat([varint(bytes.length), bytes]);
}

const json = (value) => str(JSON.stringify(typeof value === 'string' ? { text: value } : value));

// ---- numbers and strings, read ---------------------------------------------------------------

// { value, size } at `at`, null while bytes are missing; throws on a sixth byte.
function peekVarint(bytes, at = 0) {
	let value = 0;
	for (let i = 0; i < 5; i++) {
		if (at + i >= bytes.length)
			return null;
		const byte = bytes[at + i];
		value |= (byte & 0x7f) << (7 * i);
		if (byte < 0x80)
			return { value, size: i + 1 };
	}
	throw new Error('VarInt longer than 5 bytes');
}

// Reads fields in order; throws on any read past the end, and `done()` on bytes left over.
class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	get left() {
		return this.bytes.length - this.at;
	}

	take(size) {
		if (size < 0 || size > this.left)
			throw new Error(`${size} bytes wanted, ${this.left} left`);
		this.at += size;
		return this.bytes.subarray(this.at - size, this.at);
	}

	varint() {
		const got = peekVarint(this.bytes, this.at);
		if (!got)
			throw new Error('VarInt cut short');
		this.at += got.size;
		return got.value;
	}

	u8() { return this.take(1).readUInt8(); }
	i8() { return this.take(1).readInt8(); }
	bool() { return this.u8() !== 0; }
	u16() { return this.take(2).readUInt16BE(); }
	i16() { return this.take(2).readInt16BE(); }
	i32() { return this.take(4).readInt32BE(); }
	i64() { return this.take(8).readBigInt64BE(); }
	f32() { return this.take(4).readFloatBE(); }
	f64() { return this.take(8).readDoubleBE(); }
	rest() { return this.take(this.left); }

	str(maxUnits = 32767) {
		const size = this.varint();
		if (size < 0 || size > maxUnits * 4)
			throw new Error(`string of ${size} bytes, ${maxUnits} characters allowed`);
		const text = this.take(size).toString('utf8');
		if (text.length > maxUnits)
			throw new Error(`string of ${text.length} characters, ${maxUnits} allowed`);
		return text;
	}

	done() {
		if (this.left)
			throw new Error(`${this.left} bytes more than the packet has fields`);
	}
}

// ---- frames ----------------------------------------------------------------------------------

// A frame around a whole body (id included).
const wrap = (body) => Buffer.concat([varint(body.length), body]);

// A frame of one packet; `parts` are the fields.
const frame = (id, ...parts) => wrap(Buffer.concat([varint(id), ...parts]));

// A frame of exactly `size` body bytes, id included, filled with a pattern.
function sizedFrame(id, size, seed = 0) {
	const head = varint(id);
	const body = Buffer.allocUnsafe(size);
	head.copy(body);
	for (let i = head.length; i < size; i++)
		body[i] = (i * 31 + 7 + seed) & 0xff;
	return wrap(body);
}

// Cuts a byte stream into frames { id, data, body, raw }; `id` is the decoded (signed) id, `data`
// what follows it, `raw` the bytes with the length. The Buffers are the splitter's own copies.
class Splitter {
	constructor({ max = MAX_FRAME } = {}) {
		this.max = max;
		this.chunks = [];
		this.size = 0;
	}

	push(chunk) {
		this.chunks.push(chunk);
		this.size += chunk.length;
		const frames = [];
		for (let got = this.next(); got; got = this.next())
			frames.push(got);
		return frames;
	}

	// Bytes of a frame that is not whole yet.
	get pending() {
		return this.size;
	}

	next() {
		const length = this.size ? peekVarint(this.head(5)) : null;
		if (!length)
			return null;
		if (length.size > 3 || length.value < 1 || length.value > this.max)
			throw new Error(`frame length ${length.value} in ${length.size} bytes`);
		const whole = length.size + length.value;
		if (this.size < whole)
			return null;
		const raw = Buffer.from(this.head(whole).subarray(0, whole));
		this.drop(whole);
		const body = raw.subarray(length.size);
		const id = peekVarint(body);
		if (!id)
			throw new Error('frame without a whole id');
		return { id: id.value, data: body.subarray(id.size), body, raw };
	}

	head(size) {
		if (this.chunks[0].length < size && this.chunks.length > 1)
			this.chunks = [Buffer.concat(this.chunks)];
		return this.chunks[0];
	}

	drop(size) {
		this.size -= size;
		const rest = this.chunks[0].subarray(size);
		if (rest.length)
			this.chunks[0] = rest;
		else
			this.chunks.shift();
	}
}

// ---- packets ---------------------------------------------------------------------------------

// Serverbound, by name. All return whole frames.
const C = {
	handshake: ({ protocol = 5, host = 'localhost', port = 25565, next = 2 } = {}) =>
		frame(0x00, varint(protocol), str(host), u16(port), varint(next)),
	loginStart: (name) => frame(0x00, str(name)),
	statusRequest: () => frame(0x00),
	ping: (value = 1) => frame(0x01, i64(value)),
	keepAlive: (id) => frame(0x00, i32(id)),
	chat: (text) => frame(0x01, str(text)),
	onGround: (ground = true) => frame(0x03, bool(ground)),
	position: (x, feet, z, ground = true) =>
		frame(0x04, f64(x), f64(feet), f64(feet + 1.62), f64(z), bool(ground)),
	positionLook: (x, feet, z, yaw, pitch, ground) =>
		frame(0x06, f64(x), f64(feet), f64(feet + 1.62), f64(z), f32(yaw), f32(pitch), bool(ground)),
	transaction: (window, action, accepted) => frame(0x0f, u8(window), i16(action), bool(accepted)),
	tabComplete: (text) => frame(0x14, str(text)),
	settings: () => frame(0x15, str('en_US'), i8(8), i8(0), bool(true), i8(2), bool(true)),
	plugin: (channel, data) => frame(0x17, str(channel), i16(data.length), data),
};

// Clientbound plugin length: plain, or Forge's extended form above 32,767 bytes.
function pluginLength(size) {
	if (size <= 0x7fff)
		return u16(size);
	return Buffer.concat([u16((size & 0x7fff) | 0x8000), u8(size >> 15)]);
}

// Clientbound, by name. All return whole frames.
const S = {
	loginKick: (text) => frame(0x00, json(text)),
	encryptionRequest: (key, token, serverId = '') =>
		frame(0x01, str(serverId), i16(key.length), key, i16(token.length), token),
	success: (uuid, name) => frame(0x02, str(uuid), str(name)),
	status: (value) => frame(0x00, str(typeof value === 'string' ? value : JSON.stringify(value))),
	pong: (value) => frame(0x01, i64(value)),
	keepAlive: (id) => frame(0x00, i32(id)),
	joinGame: ({ eid = 1, gamemode = 0, dimension = 0, difficulty = 1, maxPlayers = 20,
		levelType = 'default' } = {}) =>
		frame(0x01, i32(eid), u8(gamemode), i8(dimension), u8(difficulty), u8(maxPlayers),
			str(levelType)),
	chat: (text) => frame(0x02, json(text)),
	time: (age = 0, day = 6000) => frame(0x03, i64(age), i64(day)),
	spawn: (x = 0, y = 64, z = 0) => frame(0x05, i32(x), i32(y), i32(z)),
	respawn: ({ dimension = 0, difficulty = 1, gamemode = 0, levelType = 'default' } = {}) =>
		frame(0x07, i32(dimension), u8(difficulty), u8(gamemode), str(levelType)),
	position: ({ x = 0.5, y = 65.62, z = 0.5, yaw = 0, pitch = 0, ground = false } = {}) =>
		frame(0x08, f64(x), f64(y), f64(z), f32(yaw), f32(pitch), bool(ground)),
	chunk: (x, z, data = Buffer.alloc(32)) =>
		frame(0x21, i32(x), i32(z), bool(true), u16(0), u16(0), i32(data.length), data),
	transaction: (window, action, accepted) => frame(0x32, u8(window), i16(action), bool(accepted)),
	tab: (name, online = true, ping = 0) => frame(0x38, str(name), bool(online), i16(ping)),
	abilities: (flags = 0, fly = 0.05, walk = 0.1) => frame(0x39, u8(flags), f32(fly), f32(walk)),
	tabComplete: (names) => frame(0x3a, varint(names.length), ...names.map(str)),
	objective: (name, mode = 0, title = name) => frame(0x3b, str(name), str(title), u8(mode)),
	score: (item, objective, value = 0) => frame(0x3c, str(item), u8(0), str(objective), i32(value)),
	scoreRemove: (item) => frame(0x3c, str(item), u8(1)),
	display: (position, objective) => frame(0x3d, i8(position), str(objective)),
	team: (name, mode = 0, players = []) => {
		const looks = mode === 0 || mode === 2 ? [str(name), str(''), str(''), u8(0)] : [];
		const members = mode === 0 || mode === 3 || mode === 4
			? [i16(players.length), ...players.map(str)] : [];
		return frame(0x3e, str(name), u8(mode), ...looks, ...members);
	},
	plugin: (channel, data) => frame(0x3f, str(channel), pluginLength(data.length), data),
	kick: (text) => frame(0x40, json(text)),
};

// Reads a clientbound plugin message; `extended` = Forge's length form is understood.
function readPlugin(data, extended) {
	const r = new Reader(data);
	const channel = r.str(20);
	let size = r.u16();
	if (size & 0x8000) {
		if (!extended)
			throw new Error('plugin message with a negative length');
		size = (r.u8() << 15) | (size & 0x7fff);
	}
	const payload = r.take(size);
	r.done();
	return { channel, data: payload };
}

// ---- FML handshake ---------------------------------------------------------------------------

const FML = {
	SERVER_HELLO: 0, CLIENT_HELLO: 1, MOD_LIST: 2, MOD_IDS: 3, ACK: 0xff, RESET: 0xfe,

	serverHello: (version, dimension) =>
		Buffer.concat([u8(0), u8(version), version > 1 ? i32(dimension) : Buffer.alloc(0)]),
	clientHello: (version) => Buffer.concat([u8(1), u8(version)]),
	modList: (mods) =>
		Buffer.concat([u8(2), varint(mods.length), ...mods.flatMap(([id, v]) => [str(id), str(v)])]),
	// n registry names, then no substitutions.
	modIds: (n) => {
		const parts = [u8(3), varint(n)];
		for (let i = 0; i < n; i++)
			parts.push(str(`\u0001examplemod:b${i}`), varint(i));
		parts.push(varint(0), varint(0));
		return Buffer.concat(parts);
	},
	ack: (phase) => Buffer.concat([u8(0xff), u8(phase)]),
	reset: () => u8(0xfe),
	register: (names) => Buffer.from(names.join('\0'), 'utf8'),
};

function readModList(r) {
	const mods = [];
	for (let n = r.varint(); n > 0; n--)
		mods.push([r.str(), r.str()]);
	r.done();
	return mods;
}

// Names and ids of a ModIdData (after its kind byte); throws when it is not well-formed.
function readModIds(r) {
	const ids = new Map();
	for (let n = r.varint(); n > 0; n--)
		ids.set(r.str(), r.varint());
	for (let list = 0; list < 2; list++)
		for (let n = r.varint(); n > 0; n--)
			r.str();
	r.done();
	return ids;
}

// The text of a chat component, its parts joined.
function plainText(value) {
	if (typeof value === 'string')
		return value;
	if (Array.isArray(value))
		return value.map(plainText).join('');
	return (value.text ?? value.translate ?? '') + (value.with ?? []).map(plainText).join(' ') +
		(value.extra ?? []).map(plainText).join('');
}

// The uuid of an offline player: version 3, dashed.
function offlineUuid(name) {
	const md5 = require('node:crypto').createHash('md5').update(`OfflinePlayer:${name}`).digest();
	md5[6] = (md5[6] & 0x0f) | 0x30;
	md5[8] = (md5[8] & 0x3f) | 0x80;
	return md5.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

module.exports = {
	MAX_FRAME, varint, u8, i8, bool, u16, i16, i32, i64, f32, f64, str, json, peekVarint, Reader,
	wrap, frame, sizedFrame, Splitter, C, S, pluginLength, readPlugin, FML, readModList, readModIds,
	plainText, offlineUuid,
};
