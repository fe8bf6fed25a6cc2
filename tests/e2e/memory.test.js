'use strict';
// What a player costs: bytes beyond the process, and allocations per relayed frame. Only the release
// build is measured: a sanitizer's memory is its own.

const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { test, proxy, atEnd, Load, load, loadBackend, mallocEnv, readMallocs, until } = require('./helpers');

const row = process.env.MOONBRIDGE_ROW ? () => {} : test;
const roomy = {
	maxConnections: 16000,
	limits: { exempt: ['127.0.0.0/8'] },
	timeouts: { firstByte: '120s', idle: 'off' },
};

// Bytes a player: what `come` adds, after a first few have warmed everything up.
async function bytesEach(t, moon, n, come) {
	const before = moon.memory().anonymous;
	await come();
	const each = (moon.memory().anonymous - before) / n;
	t.diagnostic(`${t.name}: ${Math.round(each)} bytes a player over ${n} players`);
	return each;
}

function connectMany(t, moon, n) {
	const sockets = Array.from({ length: n }, () => net.connect(moon.port, '127.0.0.1'));
	atEnd(t, () => sockets.forEach((socket) => socket.destroy()));
	return Promise.all(sockets.map((socket) => new Promise((resolve, reject) => {
		socket.on('connect', resolve);
		socket.on('error', reject);
	})));
}

async function stay(t, opts) {
	const crowd = new Load('join', { seconds: 60, ...opts });
	atEnd(t, () => crowd.stop());
	const { joined, failed } = await crowd.joined();
	assert.deepStrictEqual({ joined, failed }, { joined: opts.players, failed: 0 });
}

row('memory: a connection that has not logged in costs at most 512 bytes', async (t) => {
	const moon = await proxy(t, roomy);
	await connectMany(t, moon, 200);
	const open = moon.descriptors();
	const each = await bytesEach(t, moon, 4000, async () => {
		await connectMany(t, moon, 4000);
		await until(() => moon.descriptors() === open + 4000, 20000, 'the proxy to accept 4,000');
	});
	assert.ok(each <= 512, `${each} bytes`);
});

row('memory: 5,000 players in HOLD cost at most 2 KiB each', async (t) => {
	const moon = await proxy(t, roomy);
	await stay(t, { port: moon.port, players: 200, prefix: 'warm' });
	const each = await bytesEach(t, moon, 5000, () => stay(t, { port: moon.port, players: 5000 }));
	assert.ok(each <= 2048, `${each} bytes`);
});

row('memory: 2,000 relayed players cost at most 4 KiB each', async (t) => {
	const server = await loadBackend();
	atEnd(t, () => server.stop());
	const moon = await proxy(t, { ...roomy, backends: [{ name: 'a', address: `127.0.0.1:${server.port}` }] });
	await stay(t, { port: moon.port, players: 200, prefix: 'warm' });
	const each = await bytesEach(t, moon, 2000, () => stay(t, { port: moon.port, players: 2000 }));
	assert.ok(each <= 4096, `${each} bytes`);
});

// Workers only: the main thread rebuilds the server list answers when players come and go.
for (const [door, websocket] of [['TCP', null], ['WebSocket', '/mc']]) {
	row(`no allocation per frame: 100,000 relayed frames over ${door}`, async (t) => {
		const server = await loadBackend({ keepAlive: 0 });
		atEnd(t, () => server.stop());
		const file = path.join(os.tmpdir(), `moonbridge-mallocs-${process.pid}-${door}`);
		const moon = await proxy(t, {
			...roomy,
			backends: [{ name: 'a', address: `127.0.0.1:${server.port}` }],
			start: { env: mallocEnv(file) },
		});
		atEnd(t, () => fs.rmSync(file, { force: true }));
		const count = async (messages) => {
			const before = readMallocs(file).offMain;
			const { frames } = await load('echo', {
				port: moon.port, websocket, players: 4, messages, payload: 200, window: 4, burst: 8,
			});
			return { allocations: readMallocs(file).offMain - before, frames };
		};
		await count(27000); // warm-up of pools and arenas, on each worker
		const few = await count(2000);
		const many = await count(27000);
		t.diagnostic(`${door}: ${few.allocations} allocations with ${few.frames} frames, ` +
			`${many.allocations} with ${many.frames}`);
		assert.ok(many.frames - few.frames >= 100000);
		assert.ok(few.allocations > 0, 'logins do allocate: the counter works');
		assert.ok(many.allocations <= few.allocations + 16, 'more frames, no more allocations');
	});
}
