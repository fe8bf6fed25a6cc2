'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Recorder, ForgeClient, status, sleep, framesOf, sameFrames, wire } = require('..');
const { serve, clientOf, pair } = require('./pair');

const { S, C, FML } = wire;

const ORDER = ['accept', 'handshake', 'login-start', 'success', 'register', 'hello', 'c-register',
	'c-hello', 'c-modlist', 'modlist', 'c-ack2', 'modids', 'ack2', 'c-ack3', 'ack3', 'join'];

for (const ids of [2, 20000])
	test(`a Forge client plays on a Forge server with ${ids} names`, async (t) => {
		const { server, client, conn } = await pair(t, { ids });
		assert.deepStrictEqual(conn.steps.filter((step) => ORDER.includes(step)), ORDER);
		assert.deepStrictEqual(client.fml.history, ['HELLO', 'WAITINGSERVERDATA',
			'WAITINGSERVERCOMPLETE', 'PENDINGCOMPLETE', 'COMPLETE', 'DONE']);
		assert.strictEqual(client.fml.registry.ids.size, ids);
		assert.strictEqual(conn.brand, 'fml,forge');
		assert.ok(!conn.handshake.host.includes('\0'), 'no marker in the host');
		client.chat('hello');
		await client.sawChat('<Player> hello');
		client.send('examplemod', Buffer.from([1, 2, 3]));
		assert.strictEqual((await client.sawPlugin('examplemod')).data.length, 3);
		client.check();
		server.check();
	});

test('a client that sends only the Acks 2, 4 and 5 gets in', async (t) => {
	const { server, conn } = await pair(t, {}, { acks: 'few' });
	await conn.until(() => conn.steps.includes('c-ack5'));
	assert.ok(!conn.steps.includes('c-ack3'));
	server.check();
});

test('a vanilla client on a vanilla server, protocols 4 and 5', async (t) => {
	for (const protocol of [4, 5]) {
		const { server, client, conn } = await pair(t, { forge: false }, { forge: false, protocol });
		assert.strictEqual(client.uuid.length, protocol === 5 ? 36 : 32);
		assert.strictEqual(conn.brand, 'vanilla');
		client.check();
		server.check();
	}
});

test('a vanilla client hangs on a Forge server, a Forge client does not on a vanilla one', async (t) => {
	const forge = await serve(t, {});
	const vanilla = clientOf(t, forge, { forge: false });
	await vanilla.connect();
	await sleep(200);
	assert.strictEqual(vanilla.joins, 0);
	const { client } = await pair(t, { forge: false });
	assert.deepStrictEqual(client.fml.history, ['HELLO', 'DONE']);
	client.check();
});

test('a refused login, a kick and a mod rejection are read', async (t) => {
	const refusing = await serve(t, { refuse: 'you are banned' });
	await assert.rejects(clientOf(t, refusing).connect(), /you are banned/);
	const kicking = await pair(t, {});
	kicking.conn.kick('restart');
	assert.strictEqual(await kicking.client.ended(), 'restart');
	kicking.client.check();
	const rejected = clientOf(t, await serve(t, {}), { rejectMods: () => 'wrong mods' });
	await rejected.connect();
	assert.strictEqual(await rejected.ended(), 'wrong mods');
});

for (const step of ['handshake', 'login-start', 'success', 'register', 'hello', 'c-hello', 'c-modlist',
	'modlist', 'c-ack2', 'modids', 'ack2', 'c-ack3', 'ack3', 'join', 'position'])
	test(`a server that dies after ${step}`, async (t) => {
		const server = await serve(t, { dieAfter: step, ids: 10 });
		const client = clientOf(t, server);
		await client.connect().catch(() => {});
		assert.strictEqual(await client.ended(), 'closed without a word');
		assert.strictEqual(server.last.steps.at(-1), step);
	});

test('a dimension by override, announced before Join Game', async (t) => {
	for (const dimension of [7, 150, 255, -106]) {
		const announce = S.plugin('FORGE', Buffer.concat([wire.u8(1), wire.i32(dimension), wire.i32(1)]));
		const { client } = await pair(t, { dimension, beforeJoin: [announce] });
		assert.strictEqual(client.model.world.dimension, dimension);
		client.check();
	}
});

test('a move as a proxy makes it: out, barrier, reset, handshake, in', async (t) => {
	const { server, client, conn } = await pair(t, {});
	conn.write(S.respawn({ dimension: -1 }));
	conn.write(S.transaction(0, 77, false));
	const answer = C.transaction(0, 77, true);
	await conn.until(() => conn.frames.some((f) => f.raw.equals(answer)), 2000, 'the barrier');
	await conn.reset();
	await client.joined(2);
	await client.positioned();
	assert.strictEqual(client.fml.resets, 1);
	assert.deepStrictEqual(client.model.loads.map((l) => [l.kind, l.dimension]),
		[['join', 0], ['respawn', -1], ['join', 0]]);
	client.check();
	server.check();
});

test('the handshake in 1-byte segments gives the same trace', async (t) => {
	const server = await serve(t, { ids: 50, keepAliveMs: 0 });
	const recorder = await new Recorder({ host: '127.0.0.1', port: server.port }, { segment: 1 }).start();
	t.after(() => recorder.stop());
	const direct = clientOf(t, server, { name: 'PlayerA' });
	const cut = clientOf(t, { port: recorder.port }, { name: 'PlayerB' });
	for (const client of [direct, cut]) {
		await client.connect();
		await client.positioned();
	}
	assert.deepStrictEqual(cut.trace.map((f) => [f.id, f.size]), direct.trace.map((f) => [f.id, f.size]));
	const [a, b] = server.conns;
	await b.playing();
	const idle = (frame) => frame.id === 0 && frame.data.length === 4;
	const ignore = { skip: 2, ignore: idle };
	sameFrames(framesOf(a.bytesIn(), ignore), framesOf(b.bytesIn(), ignore));
	assert.ok(recorder.last.clientbound().equals(b.bytesOut()));
	assert.ok(recorder.last.serverbound().equals(b.bytesIn()));
});

test('what no table knows arrives: id -26, extra bytes, empty payload, the largest frame', async (t) => {
	const frames = [wire.frame(-26, Buffer.from('abc')), wire.frame(0x1d, Buffer.alloc(12, 1)),
		S.plugin('empty', Buffer.alloc(0)), wire.frame(0x55), wire.sizedFrame(0x26, wire.MAX_FRAME)];
	const { client, conn } = await pair(t, {}, { keepFrames: true });
	for (const frame of frames)
		conn.write(frame);
	await client.until(() => client.trace.at(-1).size === wire.MAX_FRAME);
	for (const frame of frames)
		assert.ok(client.trace.some((got) => got.raw.equals(frame)));
	client.check();
});

test('keep-alives are answered, and sent unasked while the terrain is loading', async (t) => {
	const { client, conn } = await pair(t, { keepAliveMs: 500, delays: { position: 1800 } });
	await conn.until(() => conn.rttMs.length >= 3);
	assert.ok(conn.unasked.includes(0));
	client.check();
});

test('a slow reader is slow and reads it all', async (t) => {
	const server = await serve(t, {});
	const client = clientOf(t, server, { readRate: 100000 });
	await client.connect();
	await client.positioned();
	const before = client.bytesIn;
	server.last.write(S.plugin('examplemod', Buffer.alloc(60000)));
	const started = Date.now();
	await client.sawPlugin('examplemod');
	assert.ok(Date.now() - started > 300, 'it takes its time');
	assert.ok(client.bytesIn - before >= 60000);
});

test('status', async (t) => {
	const server = await serve(t, { name: 'shown' });
	const { json, pong } = await status({ port: server.port });
	assert.strictEqual(json.description.text, 'shown');
	assert.strictEqual(pong, 42n);
});

test('a second login of a name is noticed', async (t) => {
	const { server } = await pair(t, {});
	const second = new ForgeClient({ port: server.port });
	t.after(() => second.abort());
	await second.connect();
	assert.throws(() => server.check(), /twice: Player/);
	assert.strictEqual(FML.reset()[0], 0xfe);
});
