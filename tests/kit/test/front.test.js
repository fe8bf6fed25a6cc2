'use strict';

const test = require('node:test');
const assert = require('node:assert');
const net = require('node:net');
const { mc, proxyV1, proxyV2, legacyRequest, readLegacy, legacyPing, exchange } = require('..');

test('PROXY headers, byte by byte', () => {
	assert.strictEqual(proxyV1().toString(), 'PROXY TCP4 192.0.2.7 192.0.2.1 40000 25565\r\n');
	assert.strictEqual(proxyV1({ source: '2001:db8::1', destination: '::1' }).toString(),
		'PROXY TCP6 2001:db8::1 ::1 40000 25565\r\n');
	assert.strictEqual(proxyV1({ family: 'UNKNOWN' }).toString(), 'PROXY UNKNOWN\r\n');
	const head = '0d0a0d0a000d0a515549540a';
	assert.strictEqual(proxyV2().toString('hex'), `${head}2111000cc0000207c00002019c4063dd`);
	assert.strictEqual(proxyV2({ source: '2001:db8::1', destination: '::1' }).toString('hex'),
		`${head}2121002420010db8000000000000000000000001000000000000000000000000000000019c4063dd`);
	assert.strictEqual(proxyV2({ command: 'LOCAL', family: 'UNSPEC' }).toString('hex'), `${head}20000000`);
	assert.strictEqual(proxyV2({ tlvs: [[4, Buffer.from('ab')]] }).toString('hex'),
		`${head}21110011c0000207c00002019c4063dd0400026162`);
});

test('all three legacy pings are answered by a third-party server', async (t) => {
	const server = await mc.protocolServer({ motd: 'old times', 'max-players': 7 });
	t.after(() => server.stop());
	for (const form of ['fe', 'fe01', 'fe01fa']) {
		const { motd, online, max } = await legacyPing({ port: server.port, form });
		assert.deepStrictEqual({ motd, online, max }, { motd: 'old times', online: 0, max: 7 });
	}
	assert.strictEqual(legacyRequest('fe01fa').length, 5 + 22 + 2 + 3 + 18 + 4);
	assert.throws(() => readLegacy(Buffer.from('ff000141', 'hex')), /no legacy answer/);
});

test('exchange sends in pieces and notices who does not close', async (t) => {
	const pieces = [];
	const server = net.createServer((socket) => socket.on('data', (chunk) => {
		pieces.push(chunk);
		if (chunk.includes('!'))
			socket.end('done');
	}));
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.after(() => server.close());
	const { port } = server.address();
	assert.strictEqual((await exchange({ port, bytes: Buffer.from('abc!'), segment: 1, gapMs: 20 })).toString(), 'done');
	assert.ok(pieces.length > 1);
	await assert.rejects(exchange({ port, bytes: Buffer.from('abc'), ms: 100 }), /waited 100 ms/);
});
