'use strict';
// Clients and servers that others wrote: 1.7.10 through the relay and into the lobby, other versions
// through passthrough. Quick by default; MOONBRIDGE_FULL plays every version, and for a minute.

const assert = require('node:assert/strict');
const net = require('node:net');
const { describe } = require('node:test');
const {
	test, proxy, npmPlayer, open, each, atEnd, until, sleep, mc, later, player, wire, e2eRequire,
} = require('./helpers');
const { taped, recorded, rest } = require('./tape');

const DOORS = ['tcp', 'ws'];
const FULL = Boolean(process.env.MOONBRIDGE_FULL);
const SECONDS = FULL ? 60 : 4;

const BOTS = FULL ? ['1.8.9', '1.12.2', '1.16.5', '1.20.4', '1.21.4'] : ['1.8.9'];
const PLAYERS = FULL ? [...BOTS, '26.1'] : ['26.1'];

// The libraries compile each version for a second or more, and nothing else in this process runs
// meanwhile. So they do it before any clock runs, and the proxies here are patient.
const { createSerializer, createDeserializer, states } = e2eRequire('minecraft-protocol');
e2eRequire('mineflayer');
for (const version of new Set(['1.7.10', '1.20.4', ...BOTS.map(named), ...PLAYERS.map(named)])) {
	e2eRequire('prismarine-registry')(version);
	for (const isServer of [true, false]) {
		createSerializer({ state: states.PLAY, isServer, version });
		createDeserializer({ state: states.PLAY, isServer, version });
	}
}
const PATIENT = { timeouts: { firstByte: '60s', login: '60s' } };
const LOADS_MS = 60000;

// 1.8.9 is 1.8.8 on the wire, and the library knows it by that name.
function named(version) {
	return version === '1.8.9' ? '1.8.8' : version;
}

async function npmServer(t, opts) {
	const server = await mc.protocolServer(opts);
	atEnd(t, () => {
		server.stop();
		assert.deepEqual(server.errors, []);
	});
	return server;
}

const addressOf = (server) => `127.0.0.1:${server.port}`;

// Chats until the time is over, and five times at least; each answer is waited for. Returns how often.
async function chatFor(who, seconds) {
	const end = Date.now() + seconds * 1000;
	let n = 0;
	for (; n < 5 || Date.now() < end; n++) {
		who.say(`word ${n}.`);
		await who.sawChat(`<${who.name}> word ${n}.`, 20000);
		await sleep(100);
	}
	return n;
}

describe('third parties', { concurrency: 10 }, () => {
	// ---- 1.7.10, managed

	each(DOORS, (door) => test(`minecraft-protocol 1.7.10 plays on its own server over ${door}: the same bytes`, async (t) => {
		const server = await npmServer(t, { version: '1.7.10' });
		const { row, recorder } = await recorded(t, server);
		const moon = await proxy(t, { ...PATIENT, backends: [row] });
		const stream = await taped(t, moon, { door });
		const alice = mc.protocolClient({ name: 'Alice', stream });
		atEnd(t, () => alice.stop());
		await alice.joined(1, LOADS_MS);
		alice.client.write('custom_payload', { channel: 'any', data: Buffer.alloc(3000, 7) });
		const words = await chatFor(alice, Math.max(SECONDS, 5));
		assert.ok(alice.packets.includes('custom_payload'));
		const asked = () => alice.packets.filter((name) => name === 'keep_alive').length;
		await alice.until(() => asked() >= (FULL ? 10 : 1), 10000, 'keep-alives of the server');
		const { clientbound, serverbound } = await rest(stream.tape, recorder);
		assert.ok(clientbound.length > words && serverbound.length > words);
		assert.deepEqual(moon.logs({ msg: 'session ended' }), []);
	}));

	each(DOORS, (door) => test(`minecraft-protocol 1.7.10 joins the lobby over ${door}`, async (t) => {
		const moon = await proxy(t, PATIENT);
		const alice = await npmPlayer(t, moon, { name: 'Alice', door });
		await alice.joined(1, LOADS_MS);
		await alice.sawChat('Welcome to MoonBridge');
		alice.say('hello');
		await alice.sawChat('Nobody can hear you here.');
		await alice.until(() => alice.packets.filter((name) => name === 'keep_alive').length >= (FULL ? 11 : 1),
			SECONDS * 1000 + 10000, 'keep-alives');
	}));

	test('minecraft-protocol 1.7.10 waits in HOLD and is taken into its server', async (t) => {
		const server = await npmServer(t, { version: '1.7.10' });
		const way = net.createServer((socket) => socket.pipe(net.connect(server.port, '127.0.0.1')).pipe(socket));
		atEnd(t, () => way.close());
		const at = later(t);
		const moon = await proxy(t, { ...PATIENT, backends: [{ name: 'a', address: `unix:${at}` }] });
		const alice = await npmPlayer(t, moon, { name: 'Alice' });
		await alice.joined(1, LOADS_MS);
		way.listen(at);
		await alice.joined(2, LOADS_MS);
		alice.say('hello');
		await alice.sawChat('<Alice> hello');
		assert.ok(alice.packets.includes('respawn'));
	});

	// ---- other versions, passed through

	each(BOTS, (version) => test(`mineflayer ${version} walks on flying-squid through TCP and WebSocket`, async (t) => {
		const server = await mc.flyingSquid({ version: named(version) });
		atEnd(t, () => server.stop());
		const moon = await proxy(t, passing(server));
		await Promise.all(DOORS.map(async (door) => {
			const stream = await open(t, moon, { door });
			const bot = mc.bot({ name: `Bot_${door}`, version: named(version), stream });
			atEnd(t, () => bot.stop());
			await bot.spawned(LOADS_MS);
			await bot.walk(2, LOADS_MS);
		}));
		const lines = moon.logs({ msg: 'connection passed through' });
		assert.deepEqual(lines.map((line) => [line.for, line.backend]), [['login', 'other'], ['login', 'other']]);
	}));

	each(PLAYERS, (version) => test(`minecraft-protocol ${version} plays through TCP and WebSocket`, async (t) => {
		const server = await npmServer(t, { version: named(version) });
		const moon = await proxy(t, passing(server));
		await Promise.all(DOORS.map(async (door) => {
			const stream = await open(t, moon, { door });
			const who = mc.protocolClient({ name: `P_${door}`, version: named(version), stream });
			atEnd(t, () => who.stop());
			await who.joined(1, LOADS_MS);
			await chatFor(who, FULL ? 20 : 2);
		}));
	}));

	test('passthrough by forced host, for a version that is managed too', async (t) => {
		const server = await npmServer(t, { version: '1.7.10' });
		const moon = await proxy(t, {
			...PATIENT,
			backends: [{ name: 'raw', address: addressOf(server), mode: 'passthrough' }],
			initialRouting: { servers: ['lobby'], forcedHosts: { 'raw.example.org': 'raw' } },
		});
		const [alice, bob] = [
			await npmPlayer(t, moon, { name: 'Alice', serverHost: 'raw.example.org' }),
			await npmPlayer(t, moon, { name: 'Bob', serverHost: 'other.example.org' }),
		];
		await alice.joined(1, LOADS_MS);
		await server.player('Alice');
		await bob.joined(1, LOADS_MS);
		await bob.sawChat('Welcome to MoonBridge');
		assert.equal(server.clients.length, 1);
	});

	each(DOORS, (door) => test(`passthrough: the status is the server's own over ${door}`, async (t) => {
		const server = await npmServer(t, { version: '1.20.4', motd: 'behind the proxy', maxPlayers: 7 });
		const moon = await proxy(t, passing(server));
		const stream = await open(t, moon, { door });
		const answer = await statusOf(stream, 765);
		assert.equal(answer.players.max, 7);
		assert.equal(wire.plainText(answer.description), 'behind the proxy');
		const own = await statusOf(await open(t, moon, { door }), 5);
		assert.match(wire.plainText(own.description), /MoonBridge/);
	}));

	test('passthrough: a server that is down: our own status, and a text for a login', async (t) => {
		const moon = await proxy(t, passing({ port: 1 }));
		const answer = await statusOf(await open(t, moon), 765);
		assert.match(wire.plainText(answer.description), /MoonBridge/);
		const who = await npmPlayer(t, moon, { name: 'Alice', version: '1.20.4' });
		assert.match(await who.ended(), /^other cannot be reached right now/);
		assert.equal((await moon.log({ msg: 'session ended', why: 'backend_unreachable' })).backend, 'other');
	});

	test('passthrough: an end on one side is an end on the other', async (t) => {
		const server = await npmServer(t, { version: '1.20.4' });
		const moon = await proxy(t, passing(server));
		const alice = await npmPlayer(t, moon, { name: 'Alice', version: '1.20.4' });
		await alice.joined(1, LOADS_MS);
		(await server.player('Alice')).end('the server says so');
		assert.match(await alice.ended(), /the server says so/);
		const bob = await npmPlayer(t, moon, { name: 'Bob', version: '1.20.4' });
		await bob.joined(1, LOADS_MS);
		const there = await server.player('Bob');
		bob.stop();
		await until(() => there.isGone, 5000, 'the server to see it');
	});

	test('a 1.7 player and a 1.20 player on one port', async (t) => {
		const server = await npmServer(t, { version: '1.20.4' });
		const moon = await proxy(t, passing(server));
		const old = await player(t, moon, { name: 'Old', forge: false });
		const young = await npmPlayer(t, moon, { name: 'Young', version: '1.20.4' });
		await young.joined(1, LOADS_MS);
		await old.sawChat('Welcome to MoonBridge');
		assert.equal(server.clients.length, 1);
	});
});

// The config of a proxy that passes what it does not manage to this server.
function passing(server) {
	return {
		...PATIENT,
		backends: [{ name: 'other', address: addressOf(server), mode: 'passthrough' }],
		initialRouting: { servers: ['lobby'], otherVersions: 'other' },
	};
}

// The answer to a status request, as it stands.
async function statusOf(stream, protocol) {
	const splitter = new wire.Splitter();
	const frames = [];
	stream.on('data', (chunk) => frames.push(...splitter.push(chunk)));
	stream.write(Buffer.concat([wire.C.handshake({ protocol, next: 1 }), wire.C.statusRequest()]));
	await until(() => frames.length, 8000, 'the status');
	stream.destroy();
	return JSON.parse(new wire.Reader(frames[0].data).str());
}
