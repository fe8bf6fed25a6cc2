'use strict';

const test = require('node:test');
const assert = require('node:assert');
const net = require('node:net');
const { connectWs, serveWs, RawWs, wsFrame, OP, until } = require('..');
const { serve, clientOf } = require('./pair');

// A WebSocket door before a TCP server.
async function door(t, port) {
	const streams = [];
	const ws = await serveWs((stream) => {
		streams.push(stream);
		stream.on('error', () => {});
		if (port)
			stream.pipe(net.connect(port, '127.0.0.1').on('error', () => {})).pipe(stream);
		else
			stream.on('data', (chunk) => stream.write(chunk));
	});
	t.after(() => ws.stop());
	return { url: `ws://127.0.0.1:${ws.port}/mc`, port: ws.port, streams };
}

for (const opts of [{}, { messageSize: 1 }, { messageSize: 7, fragmentSize: 2 }, { fragmentSize: 1 }])
	test(`a Forge client plays over WebSocket ${JSON.stringify(opts)}`, async (t) => {
		const server = await serve(t, { ids: 100 });
		const { url, streams } = await door(t, server.port);
		const client = clientOf(t, server, { stream: await connectWs(url, opts) });
		await client.connect();
		await client.positioned();
		client.chat('over WebSocket');
		await client.sawChat('over WebSocket');
		client.check();
		server.check();
		if (opts.messageSize)
			assert.ok(Math.max(...streams[0].messages) <= opts.messageSize);
		await client.close();
		assert.strictEqual(streams[0].closeCode.code, 1000);
	});

test('a large stream arrives whole, in order, at both ends', async (t) => {
	const { url } = await door(t);
	const stream = await connectWs(url);
	t.after(() => stream.destroy());
	const sent = Buffer.alloc(3000000);
	for (let i = 0; i < sent.length; i++)
		sent[i] = (i * 31 + (i >> 8)) & 0xff;
	const got = [];
	stream.on('data', (chunk) => got.push(chunk));
	for (let at = 0; at < sent.length; at += 50000)
		stream.write(sent.subarray(at, at + 50000));
	await until(() => got.reduce((n, chunk) => n + chunk.length, 0) >= sent.length, 10000, 'the echo');
	assert.ok(Buffer.concat(got).equals(sent));
});

test('a refused upgrade is an error with its status', async (t) => {
	const server = require('node:http').createServer((_req, res) => res.writeHead(404, { 'Content-Length': 2 }).end('no'));
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.after(() => server.close());
	await assert.rejects(connectWs(`ws://127.0.0.1:${server.address().port}/x`), /answered with 404/);
	const raw = await RawWs.connect({ port: server.address().port });
	t.after(() => raw.destroy());
	const { status, body } = await raw.upgrade({ path: '/x' });
	assert.deepStrictEqual([status, body], [404, 'no']);
});

test('raw: upgrade, echo of every length form, ping, close', async (t) => {
	const { port } = await door(t);
	const ws = await RawWs.open({ port, headers: { upgrade: 'WebSocket', connection: 'keep-alive, Upgrade' } });
	t.after(() => ws.destroy());
	const parts = [0, 1, 125, 126, 65535, 65536, 1048576].map((size) => Buffer.alloc(size, size % 251));
	for (const part of parts)
		ws.binary(part);
	const sent = Buffer.concat(parts);
	await until(() => ws.stream().length >= sent.length, 5000, 'the echo');
	assert.ok(ws.stream().equals(sent));
	ws.send({ opcode: OP.PING, payload: Buffer.from('are you there') });
	assert.strictEqual((await ws.frame(OP.PONG)).payload.toString(), 'are you there');
	ws.close(1000, 'bye');
	assert.deepStrictEqual(await ws.closeFrame(), { code: 1000, reason: 'bye' });
	await ws.ended();
});

test('raw: what a peer refuses is seen with its code', async (t) => {
	const { port } = await door(t);
	for (const [frame, code] of [
		[{ mask: false, payload: Buffer.from('x') }, 1002],
		[{ rsv: 4, payload: Buffer.from('x') }, 1002],
		[{ opcode: 3 }, 1002],
		[{ opcode: OP.PING, payload: Buffer.alloc(126), lengthForm: 16 }, 1002],
	]) {
		const ws = await RawWs.open({ port });
		ws.send(frame);
		assert.strictEqual((await ws.closeFrame()).code, code);
		ws.destroy();
	}
});

test('raw: a wrong accept key is noticed', async (t) => {
	const liar = net.createServer((socket) => socket.once('data', () =>
		socket.write('HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: bad\r\n\r\n')));
	await new Promise((resolve) => liar.listen(0, '127.0.0.1', resolve));
	t.after(() => liar.close());
	const ws = await RawWs.connect({ port: liar.address().port });
	t.after(() => ws.destroy());
	await assert.rejects(ws.upgrade(), /wrong Sec-WebSocket-Accept/);
});

test('frames have the lengths they are asked for', () => {
	const key = Buffer.from([1, 2, 3, 4]);
	assert.strictEqual(wsFrame({ payload: Buffer.from([5, 5]), key }).toString('hex'), '8282010203040407');
	assert.strictEqual(wsFrame({ payload: Buffer.from([5]), mask: false, lengthForm: 16 }).toString('hex'), '827e000105');
	assert.strictEqual(wsFrame({ opcode: OP.PING, mask: false, fin: false, rsv: 7 }).toString('hex'), '7900');
});
