'use strict';
// The front door's own helpers: a peer of which a test decides every byte, what it reads back, and the
// counters of the proxy.

const net = require('node:net');
const { Moonbridge, until, wire, connectWs, atEnd } = require('./helpers');

const { C, Reader, Splitter } = wire;

// Collects what comes; nothing is sent but what the test writes.
class Peer {
	constructor(stream) {
		this.stream = stream;
		this.chunks = [];
		this.ended = false;
		this.closed = false;
		this.error = null;
		stream.on('data', (chunk) => this.chunks.push(chunk));
		stream.on('end', () => { this.ended = true; });
		stream.on('close', () => { this.closed = true; });
		stream.on('error', (err) => { this.error = err; });
		stream.setNoDelay?.(true);
	}

	write(...parts) {
		this.stream.write(Buffer.concat(parts.map((part) => Buffer.from(part))));
		return this;
	}

	get bytes() {
		return Buffer.concat(this.chunks);
	}

	get frames() {
		return new Splitter().push(this.bytes);
	}

	// The first frame that `test` likes, once it is there.
	frame(test, ms = 5000, what = test.toString()) {
		return until(() => {
			const got = this.frames.find(test);
			if (!got && (this.ended || this.closed))
				throw new Error(`ended without ${what}: ${this.bytes.subarray(0, 200).toString('latin1')}`);
			return got;
		}, ms, what);
	}

	// The JSON of a status answer.
	async status() {
		const answer = await this.frame((f) => f.id === 0x00, 5000, 'a status answer');
		return JSON.parse(new Reader(answer.data).str());
	}

	// In the lobby, or in a server's world.
	joined(ms = 5000) {
		return this.frame((f) => f.id === 0x08, ms, 'a position');
	}

	// The text of a refusal in LOGIN or a kick in PLAY. Login Success is the frame between the two.
	async reason(ms = 5000) {
		const text = (f, all) => f.id === 0x40 || (f.id === 0x00 && !all.some((g) => g.id === 0x02));
		const got = await until(() => {
			const all = this.frames;
			const found = all.find((f) => text(f, all));
			if (!found && (this.ended || this.closed))
				throw new Error(`ended without a reason: ${this.bytes.length} bytes`);
			return found;
		}, ms, 'a reason');
		return wire.plainText(JSON.parse(new Reader(got.data).str()));
	}

	end(ms = 5000) {
		return until(() => this.ended || this.closed, ms, 'the end of the connection');
	}
}

// A connection over TCP (or a unix socket: path). opts: host, localAddress.
async function dialPeer(t, to, opts = {}) {
	const target = to.port || to.path ? { ...to } : { port: to };
	const socket = net.connect({ ...(target.path ? {} : { host: '127.0.0.1' }), ...target, ...opts });
	const peer = new Peer(socket);
	atEnd(t, () => { socket.destroy(); });
	await until(() => !socket.connecting || peer.error, 5000, 'the connection');
	if (peer.error)
		throw peer.error;
	return peer;
}

// The same behind a WebSocket of the npm package.
async function wsPeer(t, port, { path = '/mc', ...opts } = {}) {
	const stream = await connectWs(`ws://127.0.0.1:${port}${path}`, opts);
	atEnd(t, () => { stream.destroy(); });
	return new Peer(stream);
}

const login = (name, more = {}) => Buffer.concat([C.handshake({ next: 2, ...more }), C.loginStart(name)]);
const statusRequest = (more = {}) => Buffer.concat([C.handshake({ next: 1, ...more }), C.statusRequest()]);

// PROXY headers. from: the player's address and port; tlv: bytes behind the addresses of version 2.
function proxyV1(from = '203.0.113.7', port = 4711) {
	const kind = from.includes(':') ? 'TCP6' : 'TCP4';
	return Buffer.from(`PROXY ${kind} ${from} ${kind === 'TCP6' ? '::1' : '127.0.0.1'} ${port} 25565\r\n`);
}

const V2_SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

function ipBytes(text) {
	if (!text.includes(':'))
		return Buffer.from(text.split('.').map(Number));
	const [head, tail = ''] = text.split('::');
	const words = (part) => (part ? part.split(':').map((w) => parseInt(w, 16)) : []);
	const [a, b] = [words(head), words(tail)];
	const all = [...a, ...Array(8 - a.length - b.length).fill(0), ...b];
	return Buffer.concat(all.map(wire.u16));
}

function proxyV2(from = '203.0.113.7', port = 4711, { command = 1, family, tlv = Buffer.alloc(0) } = {}) {
	const six = from.includes(':');
	const addresses = Buffer.concat([ipBytes(from), ipBytes(six ? '::1' : '127.0.0.1'), wire.u16(port),
		wire.u16(25565)]);
	const body = Buffer.concat([command === 0 ? Buffer.alloc(0) : addresses, tlv]);
	return Buffer.concat([V2_SIGNATURE, Buffer.from([0x20 | command, family ?? (six ? 0x21 : 0x11)]),
		wire.u16(body.length), body]);
}

// The counters now: SIGUSR1 and the line it brings.
async function counters(moon) {
	const before = moon.logs({ msg: 'counters' }).length;
	moon.signal('SIGUSR1');
	const line = await until(() => moon.logs({ msg: 'counters' })[before], 5000, 'the counters');
	return Object.fromEntries(Object.entries(line).map(([key, value]) => [key, /^\d+$/.test(value) ? Number(value) : value]));
}

// Waits until a counter has the value (what is counted at a close may come a turn later).
async function counted(moon, name, value) {
	let last;
	await until(async () => {
		last = (await counters(moon))[name];
		return last === value;
	}, 5000, () => `counter ${name} to be ${value}, it is ${last}`);
}

// Descriptors of a proxy at rest. It takes connections before it has opened the last of its own; once it
// answers a signal it has.
async function descriptorsOf(moon) {
	await counters(moon);
	return moon.descriptors();
}

// `--check` of a config text: what moonbridge says and its exit code.
function checkConfig(text) {
	return Moonbridge.run(['--check', '{config}'], { config: text });
}

module.exports = {
	Peer, dialPeer, wsPeer, login, statusRequest, proxyV1, proxyV2, V2_SIGNATURE, counters, counted,
	descriptorsOf, checkConfig,
};
