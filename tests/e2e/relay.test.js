'use strict';
// The relay changes nothing: bytes on both sides are equal, whatever mods send; and what a slow, a
// frozen or a busy player costs the others.

const assert = require('node:assert/strict');
const { describe } = require('node:test');
const {
	test, proxy, backend, player, each, atEnd, until, sleep, wire, Recorder,
} = require('./helpers');
const { taped, tapedPlayer, recorded, rest } = require('./tape');

const { S, C, frame, sizedFrame, varint, wrap, i32, u8, str, MAX_FRAME } = wire;

const DOORS = ['tcp', 'ws'];
const SLOW = Boolean(process.env.MOONBRIDGE_ROW);
const FULL = Boolean(process.env.MOONBRIDGE_FULL);

// ---- what mods send --------------------------------------------------------------------------

// An entity's metadata: items of types that no vanilla client knows.
const metadata = (id, type, bytes) =>
	frame(0x1c, i32(id), u8((type << 5) | 3), bytes, u8((type >> 3) | 0x80), u8(0x7f));

const ODD_FRAMES = [
	wrap(varint(-26)),
	wrap(Buffer.concat([varint(-26), Buffer.from('payload of a mod')])),
	frame(0x1d, i32(7), u8(1), u8(2), Buffer.from([0, 20]), Buffer.from('abc')),
	metadata(7, 14, Buffer.from([1, 2, 3])),
	metadata(7, 18, Buffer.from([9])),
	wrap(varint(0x7e)),
	wrap(varint(0x7fffffff)),
	frame(300, Buffer.alloc(200, 0xee)),
	Buffer.concat([Buffer.from([0x85, 0x80, 0x00]), varint(0x7d, 5)]),
];

const CLIENTBOUND = [
	...ODD_FRAMES,
	S.plugin('', Buffer.alloc(0)),
	S.plugin('empty', Buffer.alloc(0)),
	S.plugin('nobody:knows', Buffer.from([0, 1, 2])),
	S.plugin('long', Buffer.alloc(40000, 0x5a)),
	S.plugin('longest', Buffer.alloc(0x1fff9a - 8, 0xa5)),
	sizedFrame(0x7c, MAX_FRAME),
	S.chat('behind the largest frame'),
];

const SERVERBOUND = [
	...ODD_FRAMES,
	C.plugin('empty', Buffer.alloc(0)),
	C.plugin('nobody:knows', Buffer.from([0, 1, 2])),
	C.plugin('largest', Buffer.alloc(32766 - 20, 0x5a)),
	sizedFrame(0x7c, MAX_FRAME),
	C.chat('behind the largest frame'),
];

// The strict client model does not read what a test makes unreadable on purpose.
const UNREADABLE = [
	frame(0x3f, str('odd'), Buffer.from([0xff, 0xff, 0x01, 0x02])),
	frame(0x3f, Buffer.from([0x7f, 1])),
	frame(0x08),
	frame(0x07, Buffer.alloc(3)),
	frame(0x01),
	frame(0x00),
];

describe('relay', { concurrency: 6 }, () => {
	// ---- readers that do not keep up

	each(DOORS, (door) => test(`case 23: a client that never reads costs no memory and ends as stalled over ${door}`, async (t) => {
		const server = await backend(t, { forge: false, record: false, keepAliveMs: 0 });
		const moon = await proxy(t, { backends: [server], workers: 1, timeouts: { stalled: '3s' } });
		const bob = await player(t, moon, { name: 'Bob', forge: false });
		const alice = await player(t, moon, { name: 'Alice', forge: false, door });
		const conn = await server.player('Alice');
		await conn.playing();
		alice.stopReading();
		const before = moon.memory().anonymous;
		let peak = before;
		const watch = setInterval(() => {
			if (!moon.exit)
				peak = Math.max(peak, moon.memory().anonymous);
		}, 50);
		atEnd(t, () => clearInterval(watch));
		const poured = pour(conn, 1024 * 1024 * 1024);
		await staysQuick(bob, 40, 2000);
		const line = await moon.log({ msg: 'session ended', name: 'Alice' }, 30000);
		await poured;
		clearInterval(watch);
		t.diagnostic(`memory grew by ${(peak - before) >> 10} KiB`);
		assert.equal(line.why, 'player_stalled');
		if (!SLOW)
			assert.ok(peak - before < 4 * 1024 * 1024, `${peak - before} bytes`);
		await staysQuick(bob, 1, 2000);
	}));

	// What the kernel has buffered drains in steps: here too the rate times the limit is several of them.
	each(DOORS, (door) => test(`case 23: a slow reader is never ended over ${door}`, async (t) => {
		const [readRate, stalled, seconds] = FULL ? [20000, '30s', 45] : [100000, '8s', 13];
		const server = await backend(t, { forge: false, record: false, keepAliveMs: 0 });
		const moon = await proxy(t, { backends: [server], timeouts: { stalled } });
		const alice = await player(t, moon, { name: 'Alice', forge: false, door, readRate, moveMs: 500 });
		const conn = await server.player('Alice');
		await conn.playing();
		const poured = pour(conn, 64 * 1024 * 1024);
		await sleep(seconds * 1000);
		assert.deepEqual(moon.logs({ msg: 'session ended' }), []);
		assert.ok(!conn.closed && conn.socket.writableLength > 0, `the server is not done: ${conn.errors}`);
		alice.abort();
		await poured;
	}));

	// ---- what mods send

	each(DOORS, (door) => test(`protocol 4 over ${door}: the same bytes`, async (t) => {
		const server = await backend(t, { forge: false });
		const { row, recorder } = await recorded(t, server);
		const moon = await proxy(t, { backends: [row] });
		const alice = await tapedPlayer(t, moon, { name: 'Alice', door, forge: false, protocol: 4 });
		assert.equal((await server.player('Alice')).handshake.protocol, 4);
		alice.chat('hello');
		await alice.sawChat('<Alice> hello');
		await rest(alice.tape, recorder);
	}));

	each(DOORS, (door) => test(`case 9: a Forge trace with what mods send over ${door}: the same bytes`, async (t) => {
		const server = await backend(t, { ids: 20000, echo: false });
		const { row, recorder } = await recorded(t, server);
		const moon = await proxy(t, { backends: [row] });
		const alice = await tapedPlayer(t, moon, { name: 'Alice', door });
		const conn = await server.player('Alice');
		await conn.playing();
		for (const bytes of CLIENTBOUND)
			conn.write(bytes);
		for (const bytes of SERVERBOUND)
			alice.write(bytes);
		await alice.sawChat('behind the largest frame', 20000);
		await conn.until(() => conn.chats.includes('behind the largest frame'), 20000);
		const { clientbound, serverbound } = await rest(alice.tape, recorder);
		each(ODD_FRAMES, (odd) => {
			assert.ok(clientbound.some((f) => f.raw.equals(odd)), odd.subarray(0, 16).toString('hex'));
			assert.ok(serverbound.some((f) => f.raw.equals(odd)), odd.subarray(0, 16).toString('hex'));
		});
		assert.ok(clientbound.some((f) => f.body.length === MAX_FRAME));
		assert.ok(serverbound.some((f) => f.body.length === MAX_FRAME));
		assert.equal(alice.fml.registry.ids.size, 20000);
	}));

	test('watched packets that cannot be read pass as they are', async (t) => {
		const server = await backend(t, { forge: false });
		const { row, recorder } = await recorded(t, server);
		const moon = await proxy(t, { backends: [row] });
		const stream = await taped(t, moon, { door: 'tcp' });
		stream.on('data', () => {});
		stream.write(Buffer.concat([C.handshake(), C.loginStart('Alice')]));
		const conn = await server.player('Alice');
		each(UNREADABLE, (bytes) => conn.write(bytes));
		conn.chat('all said');
		const last = S.chat('all said');
		await until(() => Buffer.concat(stream.tape.received).includes(last), 5000, 'the last frame');
		stream.write(C.keepAlive(5).subarray(0, 2));
		stream.write(C.keepAlive(5).subarray(2));
		stream.write(C.plugin('here', Buffer.alloc(1)));
		await conn.until(() => conn.plugins.length === 1);
		const { clientbound } = await rest(stream.tape, recorder);
		each(UNREADABLE, (bytes) => assert.ok(clientbound.some((f) => f.raw.equals(bytes))));
	});

	each(DOORS, (door) => test(`case 6: a handshake in 1-byte segments gives the same trace over ${door}`, async (t) => {
		const whole = await traceOf(t, door, 0);
		const cut = await traceOf(t, door, 1);
		assert.ok(whole.some((line) => line.startsWith('63 FML|HS')), whole.join());
		assert.deepEqual(cut, whole);
	}));

	test('case 12: entity id 0 is the client\'s own', async (t) => {
		const server = await backend(t, { eid: 0 });
		const { row, recorder } = await recorded(t, server);
		const moon = await proxy(t, { backends: [row] });
		const alice = await tapedPlayer(t, moon, { name: 'Alice' });
		assert.equal(alice.model.eid, 0);
		await rest(alice.tape, recorder);
	});

	// ---- keep-alives

	each(DOORS, (door) => test(`keep-alives pass, and the log has the round-trip time over ${door}`, async (t) => {
		const server = await backend(t, { keepAliveMs: 300 });
		const moon = await proxy(t, { backends: [server] });
		const alice = await player(t, moon, { name: 'Alice', door, answerKeepAlive: false });
		const conn = await server.player('Alice');
		for (let n = 0; n < 3; n++) {
			const asked = await alice.until(() => alice.keepAlives[n], 5000, `keep-alive ${n}`);
			await sleep(60);
			alice.write(C.keepAlive(asked));
		}
		await conn.until(() => conn.rttMs.length === 3, 5000, 'three answers');
		await alice.close();
		const line = await moon.log({ msg: 'session ended', name: 'Alice' });
		assert.ok(line.rtt_ms >= 50 && line.rtt_ms <= 5000, `rtt_ms=${line.rtt_ms}`);
		assert.deepEqual(conn.unasked.filter((id) => id !== 0), []);
	}));

	each([1, 2, 3, 4, 5], (size) => test(`case 40: a keep-alive whose id takes ${size} bytes is one`, async (t) => {
		const server = await backend(t, { forge: false, keepAliveMs: 0, delays: { join: 1500 } });
		const moon = await proxy(t, { backends: [server] });
		const alice = await player(t, moon, { name: 'Alice', forge: false, answerKeepAlive: false, wait: false });
		await alice.connect();
		await alice.until(() => alice.keepAlives.length === 1, 5000, 'our own keep-alive');
		alice.write(longKeepAlive(alice.keepAlives[0], size));
		await alice.positioned();
		const conn = await server.player('Alice');
		assert.deepEqual(conn.unasked.filter((id) => id !== 0), [], 'answers to ours are swallowed');

		conn.keepAlives.set(77, Date.now());
		conn.write(longKeepAlive(77, size));
		await alice.until(() => alice.keepAlives.includes(77), 5000, 'the server\'s');
		await sleep(60);
		alice.write(longKeepAlive(77, size));
		await conn.until(() => conn.rttMs.length === 1, 5000, 'the answer');
		await alice.close();
		const line = await moon.log({ msg: 'session ended', name: 'Alice' });
		assert.ok(Number(line.rtt_ms) >= 50, `rtt_ms=${line.rtt_ms}`);
	}));

	// ---- limits of the wire

	each(DOORS, (door) => test(`case 21: one byte more than the largest frame is refused over ${door}`, async (t) => {
		const server = await backend(t, { forge: false });
		const moon = await proxy(t, { backends: [server] });
		const alice = await player(t, moon, { name: 'Alice', door, forge: false });
		const conn = await server.player('Alice');
		await sleep(Math.max(0, alice.playSince + 1000 - Date.now()));
		conn.write(Buffer.concat([varint(MAX_FRAME + 1), varint(0x21), Buffer.alloc(1000)]));
		assert.match(await alice.ended(), /^a sent a packet larger than /);
		const line = await moon.log({ msg: 'session ended', name: 'Alice' });
		assert.equal(line.why, 'frame_too_big');
		assert.equal(line.backend, 'a');
		assert.equal(line.reason, `direction=S id=33 length=${MAX_FRAME + 1}`);
		await conn.ended();
	}));

	test('case 28: 400 mod messages a second from one player are normal', async (t) => {
		const server = await backend(t);
		const moon = await proxy(t, { backends: [server] });
		const alice = await player(t, moon, { name: 'Alice' });
		await (await server.player('Alice')).playing();
		const n = 800;
		for (let i = 0; i < n; i += 8) {
			for (let k = i; k < i + 8; k++)
				alice.send('examplemod', i32(k));
			await sleep(20);
		}
		const mine = () => alice.plugins.filter((m) => m.channel === 'examplemod');
		await alice.until(() => mine().length === n, 10000, `${n} answers`);
		mine().forEach((m, i) => assert.equal(m.data.readInt32BE(), i));
		assert.deepEqual(moon.logs({ msg: 'session ended' }), []);
	});
});

// Ids, channels and sizes of what a Forge client receives up to its position, with every byte a segment
// of its own on both sides of the proxy.
async function traceOf(t, door, segment) {
	const server = await backend(t, { ids: 200, keepAliveMs: 0 });
	const { row, recorder } = await recorded(t, server, { segment });
	const moon = await proxy(t, { backends: [row] });
	const front = await new Recorder({ host: '127.0.0.1', port: moon.port }, { segment }).start();
	atEnd(t, () => front.stop());
	const alice = await tapedPlayer(t, { port: front.port }, { name: 'Alice', door });
	await (await server.player('Alice')).playing();
	await rest(alice.tape, recorder);
	return alice.trace.filter((f) => f.stage === 'play' && f.id !== 0).map((f) => `${f.id} ${f.channel ?? ''} ${f.size}`);
}

// A keep-alive whose id takes `size` bytes.
const longKeepAlive = (value, size) => wrap(Buffer.concat([varint(0, size), i32(value)]));

// Sends chunks until the connection ends or `bytes` are out; waits when the socket is full.
async function pour(conn, bytes) {
	const one = S.chunk(0, 0, Buffer.alloc(30000, 7));
	for (let sent = 0; sent < bytes && !conn.closed; sent += one.length) {
		if (conn.socket.write(one))
			continue;
		await new Promise((resolve) => {
			conn.socket.once('drain', resolve);
			conn.once('closed', resolve);
		});
	}
}

// A chat comes back within `ms`, `n` times.
async function staysQuick(who, n, ms) {
	for (let i = 0; i < n; i++) {
		const started = Date.now();
		who.chat(`still here ${i}`);
		await who.sawChat(`still here ${i}`, ms);
		await sleep(Math.max(0, 50 - (Date.now() - started)));
	}
}
