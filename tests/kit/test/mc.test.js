'use strict';
// The third-party peers against the scripted ones: two witnesses for one protocol.

const test = require('node:test');
const assert = require('node:assert');
const net = require('node:net');
const { mc, connectWs, serveWs, ForgeClient } = require('..');
const { serve } = require('./pair');

test('the npm client on the scripted server, over TCP and over a stream', async (t) => {
	const server = await serve(t, { forge: false });
	const ws = await serveWs((stream) => stream.pipe(net.connect(server.port, '127.0.0.1')).pipe(stream));
	t.after(() => ws.stop());
	const stream = await connectWs(`ws://127.0.0.1:${ws.port}/mc`);
	for (const opts of [{ port: server.port }, { stream, serverHost: 'play.example.org' }]) {
		const player = mc.protocolClient({ name: 'npm', ...opts });
		t.after(() => player.stop());
		await player.joined();
		const conn = await server.player('npm');
		player.say('hello');
		await player.sawChat('<npm> hello');
		if (opts.stream)
			assert.strictEqual(conn.handshake.host, 'play.example.org');
		conn.kick('the end');
		assert.strictEqual(await player.ended(), 'the end');
		await conn.ended();
	}
	server.check();
});

test('the npm client reads a refusal in the login and the status', async (t) => {
	const server = await serve(t, { forge: false, refuse: 'full' });
	const player = mc.protocolClient({ port: server.port });
	t.after(() => player.stop());
	assert.strictEqual(await player.ended(), 'full');
	assert.strictEqual((await mc.ping({ port: server.port })).description.text, 'server');
});

test('the scripted client on the npm server', async (t) => {
	const server = await mc.protocolServer();
	t.after(() => server.stop());
	const client = new ForgeClient({ port: server.port });
	t.after(() => client.abort());
	await client.connect();
	await client.positioned();
	client.chat('hello');
	await client.sawChat('hello');
	client.send('mods', Buffer.from([1, 2, 3]));
	assert.deepStrictEqual([...(await client.sawPlugin('mods')).data], [1, 2, 3]);
	client.check();
	assert.deepStrictEqual(server.errors, []);
});

for (const version of ['1.8.9', '1.20.4', '26.1'])
	test(`npm client and server of ${version}`, async (t) => {
		const server = await mc.protocolServer({ version });
		t.after(() => server.stop());
		const player = mc.protocolClient({ port: server.port, version });
		t.after(() => player.stop());
		await player.joined();
		player.say('hello');
		await player.sawChat('hello');
		(await server.player('Player')).end('the end');
		assert.strictEqual(await player.ended(), 'the end');
	});

test('a bot walks on flying-squid', async (t) => {
	const server = await mc.flyingSquid({ version: '1.12.2' });
	t.after(() => server.stop());
	const walker = mc.bot({ port: server.port, version: '1.12.2' });
	t.after(() => walker.stop());
	await walker.spawned();
	await walker.walk(2);
	await server.stop();
	await walker.ended();
});
