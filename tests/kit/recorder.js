'use strict';
// A transparent TCP relay that keeps what passes: put one before the proxy and one behind it and
// compare. It can also cut what it forwards into small segments.

const net = require('node:net');
const { Splitter } = require('./wire');

class Tape {
	constructor(client, server) {
		this.client = client;
		this.server = server;
		// serverbound and clientbound: Buffers in order of arrival.
		this.c2s = [];
		this.s2c = [];
		this.closed = false;
	}

	serverbound() { return Buffer.concat(this.c2s); }
	clientbound() { return Buffer.concat(this.s2c); }
}

class Recorder {
	// target: { host, port } or { path }. segment: bytes per write (0 = as it came).
	constructor(target, { segment = 0, host = '127.0.0.1', port = 0 } = {}) {
		this.target = target;
		this.segment = segment;
		this.host = host;
		this.port = port;
		this.tapes = [];
	}

	async start() {
		this.net = net.createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
		await new Promise((resolve, reject) => {
			this.net.once('error', reject);
			this.net.listen(this.port, this.host, resolve);
		});
		this.port = this.net.address().port;
		return this;
	}

	get last() {
		return this.tapes[this.tapes.length - 1];
	}

	accept(client) {
		const server = net.connect({ ...this.target, allowHalfOpen: true });
		const tape = new Tape(client, server);
		this.tapes.push(tape);
		this.pipe(client, server, tape.c2s);
		this.pipe(server, client, tape.s2c);
		client.on('close', () => { tape.closed = true; });
	}

	pipe(from, to, kept) {
		from.setNoDelay(true);
		from.on('data', (chunk) => {
			kept.push(chunk);
			this.forward(from, to, chunk);
		});
		from.on('end', () => to.end());
		from.on('error', () => (to.resetAndDestroy ? to.resetAndDestroy() : to.destroy()));
		from.on('close', () => to.destroySoon());
	}

	forward(from, to, chunk) {
		let room = true;
		const step = this.segment || chunk.length;
		for (let at = 0; at < chunk.length; at += step)
			room = to.write(chunk.subarray(at, at + step));
		if (!room) {
			from.pause();
			to.once('drain', () => from.resume());
		}
	}

	// Both directions of every connection are cut at once.
	cut(how = 'rst') {
		for (const { client, server } of this.tapes)
			for (const socket of [client, server])
				if (how === 'rst')
					socket.resetAndDestroy();
				else
					socket.end();
	}

	async stop() {
		const closed = new Promise((resolve) => this.net.close(resolve));
		for (const { client, server } of this.tapes) {
			client.destroy();
			server.destroy();
		}
		await closed;
	}
}

// The frames of a recorded direction: handshake and login are left out (`skip` frames), and so is
// what `ignore(frame)` names.
function framesOf(bytes, { skip = 0, ignore = () => false } = {}) {
	return new Splitter().push(bytes).slice(skip).filter((frame) => !ignore(frame));
}

// Throws with place and bytes when two lists of frames differ. `prefix`: b may be longer.
function sameFrames(a, b, { prefix = false, what = 'frames' } = {}) {
	const n = Math.min(a.length, b.length);
	for (let i = 0; i < n; i++)
		if (!a[i].raw.equals(b[i].raw))
			throw new Error(`${what}: ${i} differs: ${show(a[i])} and ${show(b[i])}`);
	if (a.length > b.length || (!prefix && a.length !== b.length))
		throw new Error(`${what}: ${a.length} and ${b.length} of them; first extra one: ` +
			show((a[n] ?? b[n])));
}

function show({ id, raw }) {
	return `id ${id}, ${raw.length} bytes ${raw.subarray(0, 32).toString('hex')}`;
}

module.exports = { Recorder, framesOf, sameFrames };
