'use strict';
// Everything that the strict client and server must notice, each with a stream that has it.

const test = require('node:test');
const assert = require('node:assert');
const { wire, until } = require('..');
const { serve, clientOf, pair } = require('./pair');

const { S, C, FML, frame, str, u8, i32 } = wire;
const hs = (data) => S.plugin('FML|HS', data);

// name, frames that a server in the world sends, what the client says
const IN_WORLD = [
	['a reset under a drawn world', [hs(FML.reset())], /registries changed under a drawn world/],
	['a reset behind a Respawn in one segment', [Buffer.concat([S.respawn({ dimension: -1 }), hs(FML.reset())])],
		/registries changed under a drawn world/],
	['an unknown dimension', [S.respawn({ dimension: 42 })], /dimension 42/],
	['a hardcore bit in a Respawn', [S.respawn({ dimension: 1, gamemode: 8 })], /game mode 8/],
	['an objective created twice', [S.objective('a'), S.objective('a')], /objective a created twice/],
	['an unknown objective removed', [S.objective('a', 1)], /objective a is unknown/],
	['a team created twice', [S.team('r'), S.team('r')], /team r created twice/],
	['an unknown team removed', [S.team('r', 1)], /team r is unknown/],
	['a player taken out of a team', [S.team('r'), S.team('r', 4, ['x'])], /x taken out of team r/],
	['scoreboard left over after a Respawn',
		[S.objective('a'), S.respawn({ dimension: 1 }), S.objective('a')], /objective a created twice/],
	['extra bytes in a keep-alive', [frame(0x00, i32(1), u8(0))], /1 bytes more/],
	['a plugin message longer than it says', [frame(0x3f, str('a'), wire.u16(2), Buffer.alloc(3))], /1 bytes more/],
	['a plugin message cut short', [frame(0x3f, str('a'), wire.u16(9), Buffer.alloc(3))], /9 bytes wanted/],
	['a channel name of 21 characters', [S.plugin('x'.repeat(21), Buffer.alloc(0))], /20 allowed/],
	['a frame longer than allowed', [wire.varint(wire.MAX_FRAME + 1)], /frame length/],
	['Join Game after a reset without a handshake',
		[S.respawn({ dimension: -1 }), 'tick', hs(FML.reset()), S.joinGame()], /Join Game while the handshake/],
	['a second reset', [S.respawn({ dimension: -1 }), 'tick', hs(FML.reset()), hs(FML.reset())],
		/kind 254 in state HELLO/],
	['a wrong kind after the reset', [S.respawn({ dimension: -1 }), 'tick', hs(FML.reset()), hs(FML.ack(2))],
		/kind 255 in state HELLO/],
	['chunks in a dimension left over',
		[S.joinGame({ dimension: 0 }), S.chunk(0, 0)], /left over from another server/, { override: 7, dimension: 7 }],
];

for (const [name, frames, expected, serverOpts] of IN_WORLD)
	test(`client: ${name}`, async (t) => {
		const announce = S.plugin('FORGE', Buffer.concat([u8(1), i32(7), i32(1)]));
		const { client, conn } = await pair(t, { beforeJoin: [announce], ...serverOpts });
		client.check();
		for (const bytes of frames) {
			if (bytes === 'tick')
				await client.until(() => client.model.downloading && !client.queue.length);
			else
				conn.write(bytes);
		}
		await client.ended(2000);
		assert.match(client.errors[0] ?? 'nothing', expected);
		assert.throws(() => client.check(), expected);
	});

// name, frames right after Login Success, what the client says, client's options
const BEFORE_JOIN = [
	['a keep-alive in its first moments', [S.keepAlive(5)], /met the login handler/],
	['a kick in its first moments', [S.kick('no')], /met the login handler/],
	['a position before Join Game', [S.position()], /before the first Join Game/],
	['a Respawn before Join Game', [S.respawn()], /before the first Join Game/],
	['a ModList before the ServerHello', [hs(FML.modList([]))], /kind 2 in state HELLO/],
	['a reset before the first handshake', [hs(FML.reset())], /kind 254 in state HELLO/],
	['two ServerHellos', [hs(FML.serverHello(2, 0)), hs(FML.serverHello(2, 0))], /kind 0 in state WAITINGSERVERDATA/],
	['an empty registry', [hs(FML.serverHello(1)), hs(FML.modList([])), hs(FML.modIds(0))], /empty registry/],
	['Join Game in mid-handshake', [hs(FML.serverHello(1)), hs(FML.modList([])), S.joinGame()],
		/handshake is in WAITINGSERVERCOMPLETE/],
	['a wrong Ack', [hs(FML.serverHello(1)), hs(FML.modList([])), hs(FML.modIds(1)), hs(FML.ack(3))], /Ack 3 of the server/],
	['an unknown dimension at the join', [S.joinGame({ dimension: 9 })], /dimension 9/],
	['an extended length on a vanilla client', [S.plugin('a', Buffer.alloc(40000))], /negative length/, { forge: false }],
	['a dashed uuid in protocol 4', [], /in protocol 4/, { protocol: 4 }],
];

for (const [name, frames, expected, clientOpts] of BEFORE_JOIN)
	test(`client: ${name}`, async (t) => {
		const server = await serve(t, { forge: true, delays: { register: 60000 } });
		server.on('conn', (conn) => {
			if (clientOpts?.protocol === 4)
				conn.succeed = () => conn.write(S.success(wire.offlineUuid('x'), 'x'));
			conn.on('step', (step) => step === 'success' && frames.forEach((bytes) => conn.write(bytes)));
		});
		const client = clientOf(t, server, clientOpts);
		await client.connect().catch(() => {});
		await client.ended(2000);
		assert.match(client.errors[0] ?? 'nothing', expected);
	});

test('client: silence for longer than the read time-out', async (t) => {
	const { client } = await pair(t, { keepAliveMs: 0 }, { readTimeoutMs: 300 });
	await client.ended(2000);
	assert.deepStrictEqual(client.errors, ['timed out']);
});

test('client: a reset on a build that does not know it', async (t) => {
	const { client, conn } = await pair(t, {}, { build: 1208 });
	conn.write(S.respawn({ dimension: -1 }));
	await client.until(() => client.model.downloading);
	conn.write(hs(FML.reset()));
	await client.ended(2000);
	assert.match(client.errors[0], /build 1208/);
});

test('client: a ServerHello without a reset is ignored', async (t) => {
	const { client, conn } = await pair(t, {});
	conn.write(hs(FML.serverHello(2, 0)));
	await client.until(() => client.fml.ignored === 1);
	assert.strictEqual(client.fml.state, 'DONE');
	client.check();
});

test('client: a Join Game empties the scoreboard', async (t) => {
	const { client, conn } = await pair(t, {});
	for (const bytes of [S.objective('a'), S.team('r'), S.joinGame(), S.objective('a'), S.team('r')])
		conn.write(bytes);
	await client.joined(2);
	await client.until(() => client.model.scoreboard.teams.size);
	client.check();
});

// name, what a client sends during the handshake, what the server says
const TO_SERVER = [
	['movement during the handshake', [C.position(0, 64, 0)], /packet 4 {2}during the handshake/],
	['chat during the handshake', [C.chat('hi')], /packet 1 {2}during the handshake/],
	['a mod message during the handshake', [C.plugin('examplemod', Buffer.alloc(1))], /packet 23 examplemod during/],
	['settings during the handshake', [C.settings()], /packet 21/],
	['an Ack out of turn', [C.plugin('FML|HS', FML.ack(2))], /kind 255 in state/],
	['a plugin message with a wrong length', [frame(0x17, str('REGISTER'), wire.i16(9), Buffer.alloc(3))], /9 bytes wanted/],
	['a plugin message of 32,767 bytes', [frame(0x17, str('REGISTER'), wire.i16(32767), Buffer.alloc(32767))], /32767 bytes/],
];

for (const [name, frames, expected] of TO_SERVER)
	test(`server: ${name}`, async (t) => {
		const server = await serve(t, { delays: { register: 60000 } });
		const client = clientOf(t, server);
		await client.connect();
		frames.forEach((bytes) => client.write(bytes));
		await until(() => server.errors.length, 2000, 'the error');
		assert.throws(() => server.check(), expected);
	});

test('server: keep-alives and REGISTER are fine during the handshake', async (t) => {
	const server = await serve(t, { delays: { register: 300 } });
	const client = clientOf(t, server);
	await client.connect();
	client.write(C.keepAlive(0));
	client.send('REGISTER', Buffer.from('a\0b'));
	client.send('UNREGISTER', Buffer.from('b'));
	await client.positioned();
	server.check();
	client.check();
});
