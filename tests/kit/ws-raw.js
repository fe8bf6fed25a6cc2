'use strict';
// A WebSocket client on a bare socket, for what a library would never send: any request head, any
// frame. Independent of `ws`.

const net = require('node:net');
const crypto = require('node:crypto');
const { until } = require('./wait');

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const OP = { CONT: 0, TEXT: 1, BINARY: 2, CLOSE: 8, PING: 9, PONG: 10 };

// The bytes of one frame. lengthForm: 7, 16 or 64 forces a (too long) form of the length.
function wsFrame({ opcode = OP.BINARY, payload = Buffer.alloc(0), fin = true, rsv = 0, mask = true,
	key = crypto.randomBytes(4), lengthForm = 0 } = {}) {
	const size = payload.length;
	const form = lengthForm || (size < 126 ? 7 : size < 65536 ? 16 : 64);
	const head = Buffer.alloc({ 7: 2, 16: 4, 64: 10 }[form]);
	head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
	head[1] = (mask ? 0x80 : 0) | { 7: size, 16: 126, 64: 127 }[form];
	if (form === 16)
		head.writeUInt16BE(size, 2);
	if (form === 64)
		head.writeBigUInt64BE(BigInt(size), 2);
	if (!mask)
		return Buffer.concat([head, payload]);
	const masked = Buffer.from(payload);
	for (let i = 0; i < size; i++)
		masked[i] ^= key[i & 3];
	return Buffer.concat([head, key, masked]);
}

function closePayload(code, reason = '') {
	const head = Buffer.alloc(2);
	head.writeUInt16BE(code);
	return Buffer.concat([head, Buffer.from(reason)]);
}

class RawWs {
	constructor(socket) {
		this.socket = socket;
		this.buffer = Buffer.alloc(0);
		// { status, reason, headers, body } once the head has come.
		this.response = null;
		// Frames of the server: { opcode, fin, rsv, masked, payload }.
		this.frames = [];
		this.fin = false;
		this.closed = false;
		socket.setNoDelay(true);
		socket.on('data', (chunk) => this.onData(chunk));
		socket.on('end', () => { this.fin = true; });
		socket.on('error', (err) => { this.error = err; });
		socket.on('close', () => { this.closed = true; });
	}

	static async connect({ port, host = '127.0.0.1', localAddress } = {}) {
		const socket = net.connect({ port, host, localAddress });
		await new Promise((resolve, reject) => {
			socket.once('connect', resolve);
			socket.once('error', reject);
		});
		return new RawWs(socket);
	}

	// Connects and upgrades; opts: port, path and those of `head`.
	static async open(opts) {
		const ws = await RawWs.connect(opts);
		await ws.upgrade(opts);
		if (ws.response.status !== 101)
			throw new Error(`upgrade answered with ${ws.response.status}: ${ws.response.body}`);
		return ws;
	}

	// The text of a correct request head; `headers` replaces by name (null = leave out), in any
	// spelling; `extra` is put in as it is, lines with CRLF.
	static head({ path = '/mc', method = 'GET', version = 'HTTP/1.1', headers = {}, extra = '',
		key = crypto.randomBytes(16).toString('base64') } = {}) {
		const lines = {
			Host: 'localhost', Upgrade: 'websocket', Connection: 'Upgrade',
			'Sec-WebSocket-Key': key, 'Sec-WebSocket-Version': '13',
		};
		for (const [name, value] of Object.entries(headers)) {
			for (const known of Object.keys(lines))
				if (known.toLowerCase() === name.toLowerCase())
					delete lines[known];
			if (value !== null)
				lines[name] = value;
		}
		const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`).join('');
		return `${method} ${path} ${version}\r\n${text}${extra}\r\n`;
	}

	// Sends a head (and `after` in the same write) and waits for the answer's head.
	async upgrade({ after = Buffer.alloc(0), ...opts } = {}) {
		const key = opts.key ?? crypto.randomBytes(16).toString('base64');
		this.socket.write(Buffer.concat([Buffer.from(RawWs.head({ ...opts, key })), after]));
		await this.answered();
		if (this.response.status === 101) {
			const want = crypto.createHash('sha1').update(key + GUID).digest('base64');
			if (this.response.headers['sec-websocket-accept'] !== want)
				throw new Error('wrong Sec-WebSocket-Accept');
		}
		return this.response;
	}

	async answered(ms = 5000) {
		await until(() => this.response || this.closed, ms, 'the answer to the upgrade');
		if (!this.response)
			throw new Error('closed without an answer');
		return this.response;
	}

	write(bytes) {
		return this.socket.write(bytes);
	}

	send(opts) {
		return this.write(wsFrame(opts));
	}

	binary(payload, opts) {
		return this.send({ payload, ...opts });
	}

	close(code, reason) {
		return this.send({ opcode: OP.CLOSE, payload: code ? closePayload(code, reason) : Buffer.alloc(0) });
	}

	// The binary payloads so far, as one stream.
	stream() {
		return Buffer.concat(this.frames.filter((f) => f.opcode <= OP.BINARY).map((f) => f.payload));
	}

	// The n-th (0 = first) frame with this opcode.
	frame(opcode, n = 0, ms = 5000) {
		return until(() => {
			const got = this.frames.filter((f) => f.opcode === opcode)[n];
			if (!got && this.closed)
				throw new Error(`closed without frame ${n} of opcode ${opcode}`);
			return got;
		}, ms, `frame ${n} of opcode ${opcode}`);
	}

	// { code, reason } of the server's close frame; code null when it had none.
	async closeFrame(ms = 5000) {
		const { payload } = await this.frame(OP.CLOSE, 0, ms);
		if (payload.length < 2)
			return { code: null, reason: '' };
		return { code: payload.readUInt16BE(), reason: payload.toString('utf8', 2) };
	}

	// The server has sent FIN, or the connection is gone.
	ended(ms = 5000) {
		return until(() => this.fin || this.closed, ms, 'the end of the connection');
	}

	destroy() {
		this.socket.destroy();
	}

	onData(chunk) {
		this.buffer = Buffer.concat([this.buffer, chunk]);
		if (!this.response)
			this.readHead();
		if (this.response?.status === 101)
			while (this.readFrame());
		else if (this.response)
			this.response.body = this.buffer.toString('utf8');
	}

	readHead() {
		const end = this.buffer.indexOf('\r\n\r\n');
		if (end < 0)
			return;
		const [first, ...lines] = this.buffer.toString('latin1', 0, end).split('\r\n');
		const [, status, reason] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(first) ?? [];
		if (!status)
			throw new Error(`no HTTP answer: ${first}`);
		const headers = {};
		for (const line of lines) {
			const colon = line.indexOf(':');
			headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
		}
		this.buffer = this.buffer.subarray(end + 4);
		this.response = { status: Number(status), reason, headers, body: '' };
	}

	readFrame() {
		const b = this.buffer;
		if (b.length < 2)
			return false;
		let size = b[1] & 0x7f;
		let at = 2;
		if (size === 126) {
			if (b.length < 4)
				return false;
			size = b.readUInt16BE(2);
			at = 4;
		} else if (size === 127) {
			if (b.length < 10)
				return false;
			size = Number(b.readBigUInt64BE(2));
			at = 10;
		}
		const masked = b[1] >= 0x80;
		if (b.length < at + size)
			return false;
		this.frames.push({
			opcode: b[0] & 15, fin: b[0] >= 0x80, rsv: (b[0] >> 4) & 7, masked,
			payload: Buffer.from(b.subarray(at, at + size)),
		});
		this.buffer = b.subarray(at + size);
		return true;
	}
}

module.exports = { RawWs, wsFrame, closePayload, OP };
