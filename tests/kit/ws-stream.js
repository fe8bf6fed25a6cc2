'use strict';
// Minecraft over WebSocket with the npm package `ws`: binary messages are one byte stream.

const { Duplex } = require('node:stream');
const path = require('node:path');
const { createRequire } = require('node:module');

// `ws` and the other packages live with the end-to-end tests.
const e2eRequire = createRequire(path.join(__dirname, '..', 'e2e', 'package.json'));

class WsStream extends Duplex {
	// opts.messageSize: bytes per message (0 = one message per write, Infinity too)
	// opts.fragmentSize: bytes per frame of a message (0 = unfragmented)
	constructor(ws, opts = {}) {
		super();
		this.ws = ws;
		this.opts = { messageSize: 0, fragmentSize: 0, ...opts };
		// Sizes of received messages; pings seen; { code, reason } once closed.
		this.messages = [];
		this.pings = 0;
		this.closeCode = null;
		ws.on('message', (data, isBinary) => this.onMessage(data, isBinary));
		ws.on('ping', () => { this.pings++; });
		ws.on('error', (err) => this.destroy(err));
		ws.on('close', (code, reason) => {
			this.closeCode = { code, reason: reason.toString() };
			this.push(null);
			this.destroy();
		});
	}

	onMessage(data, isBinary) {
		if (!isBinary) {
			this.destroy(new Error('text message'));
			return;
		}
		this.messages.push(data.length);
		if (!this.push(data))
			this.ws.pause();
	}

	_read() {
		if (this.ws.readyState === this.ws.OPEN || this.ws.readyState === this.ws.CLOSING)
			this.ws.resume();
	}

	_write(chunk, _encoding, done) {
		if (this.ws.readyState !== this.ws.OPEN) {
			done(new Error('WebSocket is closed'));
			return;
		}
		const size = this.opts.messageSize || chunk.length;
		let last = () => {};
		for (let at = 0; at < chunk.length; at += size) {
			last = at + size >= chunk.length ? done : undefined;
			this.sendMessage(chunk.subarray(at, at + size), last);
		}
		if (!chunk.length)
			done();
	}

	sendMessage(bytes, done) {
		const size = this.opts.fragmentSize || bytes.length;
		for (let at = 0; at < bytes.length; at += size) {
			const fin = at + size >= bytes.length;
			this.ws.send(bytes.subarray(at, at + size), { binary: true, fin }, fin ? done : undefined);
		}
	}

	_final(done) {
		this.ws.close(1000);
		done();
	}

	_destroy(err, done) {
		if (this.ws.readyState !== this.ws.CLOSED)
			this.ws.terminate();
		done(err);
	}
}

// An open WsStream to 'ws://host:port/path'. opts: those of WsStream, `headers`, and `client`
// (options of the package, e.g. autoPong).
function connectWs(url, { headers = {}, client = {}, ...opts } = {}) {
	const { WebSocket } = e2eRequire('ws');
	const ws = new WebSocket(url, { headers, perMessageDeflate: true, ...client });
	return new Promise((resolve, reject) => {
		const stream = new WsStream(ws, opts);
		ws.once('open', () => resolve(stream));
		ws.once('unexpected-response', (_req, res) => {
			reject(new Error(`upgrade answered with ${res.statusCode}`));
			stream.destroy();
		});
		stream.once('error', reject);
	});
}

// A WebSocket server that hands each connection to `onStream` as a WsStream: for backends and for
// the kit's own tests. Returns { port, stop() }.
async function serveWs(onStream, opts = {}) {
	const { WebSocketServer } = e2eRequire('ws');
	const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
	server.on('connection', (ws) => onStream(new WsStream(ws, opts)));
	await new Promise((resolve, reject) => {
		server.once('listening', resolve);
		server.once('error', reject);
	});
	return {
		port: server.address().port,
		stop: () => new Promise((resolve) => {
			for (const ws of server.clients)
				ws.terminate();
			server.close(resolve);
		}),
	};
}

module.exports = { WsStream, connectWs, serveWs, e2eRequire };
