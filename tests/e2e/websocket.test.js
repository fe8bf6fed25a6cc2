'use strict';
// WebSocket as RFC 6455 demands: the upgrade, frames in any shape, silence, and what we send.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const path = require('node:path');
const {
	test, proxy, backend, player, each, until, connectWs, RawWs, OP, wsFrame, closePayload, wire, atEnd,
} = require('./helpers');
const { wsPeer, Peer, login, statusRequest, counted, counters } = require('./front');

const { S, C } = wire;

async function open(t, moon, opts = {}) {
	const ws = await RawWs.open({ port: moon.port, ...opts });
	atEnd(t, () => ws.destroy());
	return ws;
}

const framesOf = (ws) => new wire.Splitter().push(ws.stream());
const joined = (ws, ms = 5000) => until(() => framesOf(ws).some((f) => f.id === 0x08), ms, 'a position');

// ---- case 36: the upgrade ----------------------------------------------------------------------

const ACCEPTED = [
	['as browsers do', {}],
	['keep-alive beside Upgrade', { headers: { Connection: 'keep-alive, Upgrade' } }],
	['any case', {
		headers: {
			Upgrade: null, Connection: null, 'Sec-WebSocket-Version': null, 'uPGRADE': 'WebSocket', 'CONNECTION': 'uPgRaDe',
			'sec-websocket-version': '13',
		},
	}],
	['Connection over two lines', { headers: { Connection: 'keep-alive' }, extra: 'Connection: Upgrade\r\n' }],
	['Connection folded', { headers: { Connection: 'keep-alive,\r\n Upgrade' } }],
	['a query behind the path', { path: '/mc?token=x' }],
	['a slash behind the path', { path: '/mc/' }],
	['an extension offered', { headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' } }],
	['63 headers', { extra: Array.from({ length: 58 }, (_, i) => `X-${i}: y\r\n`).join('') }],
];

test('case 36: an upgrade is accepted in any case, folded, over lines, with extensions offered', async (t) => {
	const moon = await proxy(t);
	for (const [i, [what, opts]] of ACCEPTED.entries()) {
		const ws = await open(t, moon, opts);
		const { headers } = ws.response;
		assert.equal(headers.upgrade.toLowerCase(), 'websocket', what);
		assert.equal(headers.connection.toLowerCase(), 'upgrade', what);
		assert.equal(headers['sec-websocket-extensions'], undefined, what);
		assert.equal(headers['sec-websocket-protocol'], undefined, what);
		ws.binary(login(`Up${i}`));
		await joined(ws);
	}
});

const REFUSED = [
	['no key', 400, { headers: { 'Sec-WebSocket-Key': null } }],
	['a key of 15 bytes', 400, { headers: { 'Sec-WebSocket-Key': Buffer.alloc(15).toString('base64') } }],
	['no host', 400, { headers: { Host: null } }],
	['version 12', 426, { headers: { 'Sec-WebSocket-Version': '12' } }],
	['no version', 426, { headers: { 'Sec-WebSocket-Version': null } }],
	['no upgrade', 426, { headers: { Upgrade: null, Connection: 'keep-alive' } }],
	['HTTP/1.0', 426, { version: 'HTTP/1.0' }],
	['another path', 404, { path: '/other' }],
	['a longer path', 404, { path: '/mcx' }],
	['POST', 405, { method: 'POST' }],
	['HEAD', 405, { method: 'HEAD' }],
	['65 headers', 431, { extra: Array.from({ length: 65 }, (_, i) => `X-${i}: y\r\n`).join('') }],
	['9 KiB of head', 431, { headers: { 'X-Long': 'y'.repeat(9000) } }],
	['a control character', 400, { headers: { 'X-Bad': 'a\u0001b' } }],
];

test('case 36: what is no upgrade gets the right status code', async (t) => {
	const moon = await proxy(t);
	for (const [what, status, opts] of REFUSED) {
		const ws = await RawWs.connect({ port: moon.port });
		atEnd(t, () => ws.destroy());
		const answer = await ws.upgrade(opts);
		await ws.ended();
		assert.equal(answer.status, status, what);
		assert.equal(answer.body.length, Number(answer.headers['content-length']), what);
		assert.equal(answer.headers['sec-websocket-version'], status === 426 ? '13' : undefined, what);
	}
	await counted(moon, 'http_refused', REFUSED.length);
	assert.equal((await counters(moon)).websockets, 0);
});

test('the subprotocol binary is taken when it is offered', async (t) => {
	const moon = await proxy(t);
	const ws = await open(t, moon, { headers: { 'Sec-WebSocket-Protocol': 'chat, binary' } });
	assert.equal(ws.response.headers['sec-websocket-protocol'], 'binary');
});

test('allowedOrigins: the list, nobody else, and not a client without one', async (t) => {
	const moon = await proxy(t, {
		listen: [{ address: '127.0.0.1:{port}', webSocket: { allowedOrigins: ['https://play.example.org'] } }],
	});
	const statusOf = async (headers) => {
		const ws = await RawWs.connect({ port: moon.port });
		atEnd(t, () => ws.destroy());
		return (await ws.upgrade({ headers })).status;
	};
	assert.equal(await statusOf({ Origin: 'https://play.example.org' }), 101);
	assert.equal(await statusOf({ origin: 'HTTPS://Play.Example.org' }), 101);
	assert.equal(await statusOf({ Origin: 'https://evil.example.org' }), 403);
	assert.equal(await statusOf({ Origin: 'https://play.example.org.evil' }), 403);
	assert.equal(await statusOf({ Origin: 'null' }), 403);
	assert.equal(await statusOf({}), 403);
});

test('case 41: an upgrade and the first frames in one segment, cut at every byte', async (t) => {
	const moon = await proxy(t, { limits: { exempt: ['127.0.0.0/8'] } });
	const all = Buffer.concat([Buffer.from(RawWs.head()), wsFrame({ payload: statusRequest() })]);
	const cuts = [];
	for (let cut = 1; cut <= all.length; cut++) {
		const ws = await RawWs.connect({ port: moon.port });
		atEnd(t, () => ws.destroy());
		ws.write(all.subarray(0, cut));
		cuts.push([ws, all.subarray(cut)]);
	}
	// A whole exchange later the first parts have been read.
	const between = await open(t, moon);
	between.binary(statusRequest());
	await between.frame(OP.BINARY);
	for (const [ws, rest] of cuts)
		if (rest.length)
			ws.write(rest);
	for (const [ws] of cuts) {
		await ws.frame(OP.BINARY);
		assert.equal(ws.response.status, 101);
		assert.equal(framesOf(ws)[0].id, 0x00);
	}
});

// ---- case 37: data ------------------------------------------------------------------------------

// A player over a raw WebSocket on a server that gives frames with id 7A back.
async function echoing(t, opts = {}) {
	const server = await backend(t, { forge: false, echoIds: [0x7a], judge: false, ...opts });
	const moon = await proxy(t, { backends: [server] });
	const ws = await open(t, moon);
	ws.binary(login('Echo'));
	await joined(ws);
	return { ws, moon, server };
}

const echoed = (ws, n, ms = 10000) => until(() => {
	const got = framesOf(ws).filter((f) => f.id === 0x7a);
	if (got.length < n && ws.closed)
		throw new Error('closed');
	return got.length >= n && got;
}, ms, `${n} echoes`);

test('case 37: messages of 0, 1, 125, 126, 65,535, 65,536 bytes and 1 MiB, both ways', async (t) => {
	const { ws } = await echoing(t);
	const want = [];
	for (const size of [125, 126, 127, 65535, 65536, 65537, 1 << 20]) {
		// The frame with its length is as long as the message.
		const head = wire.varint(size).length;
		let frame = wire.sizedFrame(0x7a, size - head, size);
		if (frame.length !== size)
			frame = wire.sizedFrame(0x7a, size - head + (size - frame.length), size);
		assert.equal(frame.length, size);
		ws.binary(Buffer.alloc(0));
		ws.binary(frame);
		want.push(frame);
	}
	const one = wire.frame(0x7a, wire.u8(1));
	for (const byte of one)
		ws.binary(Buffer.from([byte]));
	want.push(one);
	const got = await echoed(ws, want.length);
	assert.ok(Buffer.concat(got.map((f) => f.raw)).equals(Buffer.concat(want)));
});

test('case 37: a message fragmented at every byte, with pings between', async (t) => {
	const { ws } = await echoing(t);
	const frame = wire.sizedFrame(0x7a, 40);
	for (let cut = 0; cut <= frame.length; cut++) {
		ws.send({ payload: frame.subarray(0, cut), fin: false });
		ws.send({ opcode: OP.PING, payload: Buffer.from(`p${cut}`) });
		ws.send({ opcode: OP.CONT, payload: frame.subarray(cut) });
	}
	const bytes = [...frame].map((byte, i) =>
		wsFrame({ opcode: i ? OP.CONT : OP.BINARY, payload: Buffer.from([byte]), fin: i === frame.length - 1 }));
	ws.write(Buffer.concat(bytes));
	const got = await echoed(ws, frame.length + 2);
	for (const f of got)
		assert.ok(f.raw.equals(frame));
	const last = await until(() => ws.frames.findLast((f) => f.opcode === OP.PONG && f.payload.toString() === `p${frame.length}`));
	assert.ok(last.fin && !last.masked);
});

test('case 37: a Minecraft frame across messages, and many in one', async (t) => {
	const { ws } = await echoing(t);
	const frames = Array.from({ length: 50 }, (_, i) => wire.sizedFrame(0x7a, 1 + i * 7, i));
	const all = Buffer.concat(frames);
	ws.binary(all);
	for (let at = 0; at < all.length; at += 13)
		ws.binary(all.subarray(at, at + 13));
	const got = await echoed(ws, 100);
	assert.ok(Buffer.concat(got.map((f) => f.raw)).equals(Buffer.concat([all, all])));
});

test('case 37: TCP segments of one byte', async (t) => {
	const { ws } = await echoing(t);
	const frame = wire.sizedFrame(0x7a, 300);
	for (const byte of wsFrame({ payload: frame }))
		await new Promise((resolve) => ws.socket.write(Buffer.from([byte]), resolve));
	const [got] = await echoed(ws, 1);
	assert.ok(got.raw.equals(frame));
});

const HEAD_OF_LONG = (size) => {
	const head = Buffer.alloc(14);
	head[0] = 0x82;
	head[1] = 0xff;
	head.writeBigUInt64BE(BigInt(size), 2);
	return head;
};

const CLOSES = [
	['an unmasked frame', 1002, wsFrame({ payload: Buffer.from('x'), mask: false })],
	['a reserved bit', 1002, wsFrame({ payload: Buffer.from('x'), rsv: 4 })],
	['an unknown opcode', 1002, wsFrame({ opcode: 3 })],
	['an unknown control opcode', 1002, wsFrame({ opcode: 11 })],
	['a ping of 126 bytes', 1002, wsFrame({ opcode: OP.PING, payload: Buffer.alloc(126) })],
	['a fragmented ping', 1002, wsFrame({ opcode: OP.PING, fin: false })],
	['a continuation of nothing', 1002, wsFrame({ opcode: OP.CONT })],
	['a new message inside one', 1002, Buffer.concat([wsFrame({ fin: false }), wsFrame({})])],
	['a length in too long a form', 1002, wsFrame({ payload: Buffer.from('x'), lengthForm: 16 })],
	['a text message', 1003, wsFrame({ opcode: OP.TEXT, payload: Buffer.from('hello') })],
	['a message over 16 MiB', 1009, HEAD_OF_LONG(16 * 1024 * 1024 + 1)],
	['a length above 2^63', 1002, HEAD_OF_LONG(2n ** 63n + 1n)],
	['a close of one byte', 1002, wsFrame({ opcode: OP.CLOSE, payload: Buffer.from([3]) })],
	['a close with 1005', 1002, wsFrame({ opcode: OP.CLOSE, payload: closePayload(1005) })],
	['a close with 999', 1002, wsFrame({ opcode: OP.CLOSE, payload: closePayload(999) })],
	['a close reason that is no UTF-8', 1007, wsFrame({ opcode: OP.CLOSE, payload: Buffer.from([0x03, 0xe8, 0xff, 0xfe]) })],
	['a close without a code', 1000, wsFrame({ opcode: OP.CLOSE })],
	['a close with 1000', 1000, wsFrame({ opcode: OP.CLOSE, payload: closePayload(1000, 'bye') })],
	['a close with 1001', 1001, wsFrame({ opcode: OP.CLOSE, payload: closePayload(1001) })],
	['a close with 4000', 4000, wsFrame({ opcode: OP.CLOSE, payload: closePayload(4000) })],
];

each([false, true], (inGame) => test(`case 37: the right close code ${inGame ? 'in the game' : 'at once'}`, async (t) => {
	const moon = await proxy(t);
	for (const [i, [what, code, bytes]] of CLOSES.entries()) {
		const ws = await open(t, moon);
		if (inGame) {
			ws.binary(login(`Close${i}`));
			await joined(ws);
		}
		ws.write(bytes);
		const close = await ws.closeFrame();
		assert.equal(close.code, code, `${what}: ${close.reason}`);
		if (code >= 1002 && code < 1010)
			assert.match(close.reason, /^[a-zA-Z0-9 -]{4,123}$/, `${what}: a reason that says what was wrong`);
		await ws.ended();
		assert.equal(ws.frames.filter((f) => f.opcode === OP.CLOSE).length, 1, what);
		assert.equal(ws.frames.at(-1).opcode, OP.CLOSE, `${what}: nothing behind a close`);
		ws.destroy();
	}
	await counted(moon, 'connections', 0);
	await counted(moon, 'players', 0);
}));

test('case 37: our own close ends a kick: 1000 behind the reason', async (t) => {
	const server = await backend(t, { forge: false, refuse: 'not today' });
	const moon = await proxy(t, { backends: [server], initialRouting: { servers: ['a'], whenNoServer: 'disconnect' } });
	const ws = await open(t, moon);
	ws.binary(login('Kick'));
	assert.equal((await ws.closeFrame(8000)).code, 1000);
	assert.match(ws.stream().toString('latin1'), /not today/);
});

test('case 37: the npm client, in all message and fragment sizes', async (t) => {
	const server = await backend(t, { forge: false });
	const moon = await proxy(t, { backends: [server] });
	for (const [i, ws] of [{}, { messageSize: 1 }, { messageSize: 7 }, { fragmentSize: 3 }].entries()) {
		const client = await player(t, moon, { name: `Npm${i}`, forge: false, door: 'ws', ws });
		client.chat(`hello ${i}`);
		await client.sawChat(`<Npm${i}> hello ${i}`);
	}
});

test('case 37: Python websockets plays along', async (t) => {
	const server = await backend(t, { forge: false, echoIds: [0x7a] });
	const moon = await proxy(t, { backends: [server] });
	const child = spawn('/usr/bin/python3', [path.join(__dirname, 'websockets-client.py'), `ws://127.0.0.1:${moon.port}/mc`]);
	let said = '';
	child.stdout.on('data', (text) => { said += text; });
	child.stderr.on('data', (text) => { said += text; });
	const code = await new Promise((resolve) => child.on('close', resolve));
	assert.equal(code, 0, said);
	assert.match(said, /^echoed 3 close 1000$/m);
});

// ---- case 38: silence ----------------------------------------------------------------------------

test('case 38: a silent WebSocket is pinged, whoever is silent', async (t) => {
	const moon = await proxy(t, { timeouts: { webSocketPing: '200ms', firstByte: '10s' } });
	const stream = await connectWs(`ws://127.0.0.1:${moon.port}/mc`);
	atEnd(t, () => stream.destroy());
	// It answers pings and says nothing else.
	await until(() => stream.pings >= 5, 5000, 'five pings');
	assert.equal(stream.closeCode, null);

	// It talks all the time and hears nothing: a middlebox may cut what is silent in our direction.
	const talks = await open(t, moon);
	talks.binary(C.handshake());
	const timer = setInterval(() => talks.send({ opcode: OP.PONG }), 50);
	atEnd(t, () => clearInterval(timer));
	await talks.frame(OP.PING, 3);
});

test('case 38: two unanswered pings, then the peer is gone', async (t) => {
	const moon = await proxy(t, { timeouts: { webSocketPing: '200ms' } });
	const ws = await open(t, moon);
	ws.binary(login('Deaf'));
	await joined(ws);
	const start = Date.now();
	await ws.ended(3000);
	assert.ok(Date.now() - start >= 500, `${Date.now() - start} ms`);
	assert.equal(ws.frames.filter((f) => f.opcode === OP.PING).length, 2);
	const line = await moon.log({ msg: 'session ended', name: 'Deaf' });
	assert.match(line.reason, /ping/);
	await counted(moon, 'connections', 0);
});

test('case 38: a peer that ignores pings but sends data is alive', async (t) => {
	const moon = await proxy(t, { timeouts: { webSocketPing: '150ms' } });
	const ws = await open(t, moon);
	ws.binary(login('Busy'));
	await joined(ws);
	for (let i = 0; i < 20; i++) {
		ws.binary(C.onGround());
		await new Promise((resolve) => setTimeout(resolve, 60));
	}
	assert.equal(ws.fin || ws.closed, false);
	assert.ok(moon.logs({ msg: 'session ended' }).length === 0);
});

test('case 38: many pings at once are answered, and data goes on between', async (t) => {
	const { ws } = await echoing(t);
	const frame = wire.sizedFrame(0x7a, 100);
	const parts = [];
	for (let i = 0; i < 1000; i++)
		parts.push(wsFrame({ opcode: OP.PING, payload: Buffer.from(String(i)) }));
	parts.push(wsFrame({ payload: frame }));
	ws.write(Buffer.concat(parts));
	await echoed(ws, 1);
	await until(() => ws.frames.some((f) => f.opcode === OP.PONG && f.payload.toString() === '999'), 5000, 'the last pong');
	// One pong per turn is enough (RFC 6455, 5.5.3): no flood back.
	assert.ok(ws.frames.filter((f) => f.opcode === OP.PONG).length <= 100);
});

// ---- case 44: what we send ------------------------------------------------------------------------

test('case 44: no message exceeds 64 KiB, and a flush is not cut into more than needed', async (t) => {
	const server = await backend(t, { forge: false });
	const moon = await proxy(t, { backends: [server] });
	const stream = await connectWs(`ws://127.0.0.1:${moon.port}/mc`);
	const peer = new Peer(stream);
	atEnd(t, () => stream.destroy());
	peer.write(login('Flush'));
	await peer.joined();
	await until(() => server.last.steps.includes('position'));

	// 1,000 small frames in one write of the server.
	const before = stream.messages.length;
	const small = Array.from({ length: 1000 }, (_, i) => S.chat(`line ${i}`));
	server.last.write(Buffer.concat(small));
	await peer.frame((f) => f.id === 0x02 && f.raw.equals(small.at(-1)), 5000, 'the last line');
	const bytes = small.reduce((n, frame) => n + frame.length, 0);
	const messages = stream.messages.length - before;
	assert.ok(messages <= Math.ceil(bytes / 65536) + 8, `${messages} messages for ${bytes} bytes`);

	const large = Array.from({ length: 8 }, (_, i) => S.chunk(i, i, Buffer.alloc(300000 + i, i)));
	const from = stream.messages.length;
	server.last.write(Buffer.concat(large));
	await peer.frame((f) => f.raw.equals(large.at(-1)), 5000, 'the last chunk');
	const sizes = stream.messages.slice(from);
	const total = large.reduce((n, frame) => n + frame.length, 0);
	assert.ok(Math.max(...stream.messages) <= 65536, `${Math.max(...stream.messages)}`);
	assert.equal(sizes.reduce((a, b) => a + b, 0), total);
	// Reads of up to 64 KiB, whole frames: no more than two messages for each 64 KiB.
	assert.ok(sizes.length <= 2 * Math.ceil(total / 65536), `${sizes.length} messages for ${total} bytes`);
});

test('our frames are whole, unmasked binary messages', async (t) => {
	const moon = await proxy(t);
	const ws = await open(t, moon);
	ws.binary(login('Whole'));
	await joined(ws);
	for (const frame of ws.frames)
		assert.deepEqual([frame.opcode, frame.fin, frame.rsv, frame.masked], [OP.BINARY, true, 0, false]);
});

test('a legacy ping and a status inside a WebSocket', async (t) => {
	const moon = await proxy(t);
	const peer = (await wsPeer(t, moon.port)).write(statusRequest());
	assert.ok((await peer.status()).players);
	const old = (await wsPeer(t, moon.port)).write([0xfe, 0x01]);
	await old.end();
	assert.equal(old.bytes[0], 0xff);
});
