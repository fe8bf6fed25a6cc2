'use strict';
// The core of the front door with one worker, as on a machine of two cores: nothing may need a second.

const assert = require('node:assert/strict');
const { test, proxy, backend, player, until, load, RawWs, OP } = require('./helpers');
const { dialPeer, wsPeer, login, statusRequest, proxyV1, proxyV2, counted, counters, descriptorsOf } = require('./front');

test('one worker: all doors, a server, a name taken, limits, the goodbye', async (t) => {
	const server = await backend(t, { forge: false, judge: false });
	const moon = await proxy(t, {
		workers: 1, backends: [server], duplicateNames: 'refuse',
		listen: [{ address: '127.0.0.1:{port}', proxyProtocol: 'optional', trusted: ['127.0.0.1'] }],
	});
	for (const door of ['tcp', 'ws']) {
		const client = await player(t, moon, { name: `One_${door}`, forge: false, door });
		client.chat('hello');
		await client.sawChat(`<One_${door}> hello`);
	}
	await (await dialPeer(t, moon.port)).write(proxyV1(), login('V1')).joined();
	await (await dialPeer(t, moon.port)).write(proxyV2(), login('V2')).joined();
	const twice = (await dialPeer(t, moon.port)).write(login('V2'));
	assert.match(await twice.reason(), /already playing/);
	await until(async () => (await (await dialPeer(t, moon.port)).write(statusRequest()).status()).players.online === 4,
		3000, 'four players in the list');
	const ping = (await dialPeer(t, moon.port)).write([0xfe]);
	await ping.end();
	assert.equal(ping.bytes[0], 0xff);
	const bad = await RawWs.open({ port: moon.port });
	bad.send({ opcode: OP.TEXT });
	assert.equal((await bad.closeFrame()).code, 1003);
	bad.destroy();

	const last = (await wsPeer(t, moon.port)).write(login('Last'));
	await last.joined();
	moon.signal('SIGTERM');
	assert.match(await last.reason(), /shutting down/);
	// A second SIGTERM, the clean-up's, would end it with 1.
	await until(() => moon.exit, 7000, 'the end');
});

test('one worker: churn leaves nothing behind', async (t) => {
	const moon = await proxy(t, { workers: 1, limits: { exempt: ['127.0.0.0/8'] } });
	const before = await descriptorsOf(moon);
	await load('churn', { port: moon.port, count: 2000, players: 64, junk: 5 });
	await load('join', { port: moon.port, players: 200, seconds: 0 });
	await counted(moon, 'connections', 0);
	await moon.backTo(before);
	assert.equal((await counters(moon)).logins, 200);
});
