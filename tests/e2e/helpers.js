'use strict';
// Starts proxies, servers and players for a test, and judges and removes them at its end.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const kit = require('../kit');

// Undone newest first: players leave, then the proxy is stopped, then its servers. Every step runs;
// the first error is the test's.
const cleanups = new WeakMap();

function atEnd(t, undo) {
	if (!cleanups.has(t)) {
		const list = [];
		cleanups.set(t, list);
		t.after(() => runAll(list));
	}
	cleanups.get(t).push(undo);
}

async function runAll(list) {
	const errors = [];
	for (const undo of list.reverse()) {
		try {
			await undo();
		} catch (err) {
			errors.push(err);
		}
	}
	if (errors.length)
		throw errors[0];
}

// A scripted server (Forge unless forge: false), started. opts: ForgeServer's; judge: false when it is
// meant to see what a real one would not survive.
async function backend(t, { judge = true, ...opts } = {}) {
	const server = await new kit.ForgeServer({ name: 'a', ...opts }).start();
	atEnd(t, async () => {
		await server.stop();
		if (judge)
			server.check();
	});
	return server;
}

// The proxy, ready. opts.backends: servers of backend() or rows of the config; opts.servers: their
// names in order of the initial route (all of them by default); opts.start: options of Moonbridge;
// everything else is config.
async function proxy(t, { backends = [], servers, start = {}, judge = true, ...config } = {}) {
	const rows = backends.map((b) => (b.address && b.opts ? { name: b.opts.name, address: addressOf(b) } : b));
	const full = { authentication: 'offline', ...config };
	if (rows.length)
		full.backends = rows;
	if (rows.length && !config.initialRouting)
		full.initialRouting = { servers: servers ?? rows.map((row) => row.name) };
	const moon = new kit.Moonbridge(full, start);
	atEnd(t, async () => {
		if (!moon.child)
			return;
		if (judge)
			await moon.stop();
		else
			moon.kill();
	});
	await moon.launch();
	await moon.ready();
	return moon;
}

const addressOf = (server) => (server.opts.path ? `unix:${server.opts.path}` : server.address);

// A unix socket on which a server will listen that is not there yet: a free port may not stay free.
function later(t) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'moonbridge-later-'));
	atEnd(t, () => fs.rmSync(dir, { recursive: true, force: true }));
	return path.join(dir, 'server.sock');
}

// An open stream to the proxy. door: tcp | ws; opts.ws: those of connectWs.
async function open(t, moon, { door = 'tcp', path = '/mc', ws = {} } = {}) {
	const stream = door === 'ws'
		? await kit.connectWs(`ws://127.0.0.1:${moon.port}${path}`, ws)
		: await kit.dial({ host: '127.0.0.1', port: moon.port });
	stream.on('error', () => {});
	atEnd(t, () => { stream.destroy(); });
	return stream;
}

// A strict client in a world. opts: ForgeClient's, `door`, `ws`; forge: false = vanilla; wait: false
// returns it before it connects; judge: false when it is meant to crash.
async function player(t, moon, { door = 'tcp', ws, wait = true, judge = true, ...opts } = {}) {
	const stream = await open(t, moon, { door, ws });
	const client = new kit.ForgeClient({ ...opts, stream });
	atEnd(t, () => {
		client.abort();
		if (judge)
			client.check();
	});
	if (wait) {
		await client.connect();
		await client.positioned(15000);
	}
	return client;
}

// A client of minecraft-protocol, on its way in. opts: mc.protocolClient's, `door`.
async function npmPlayer(t, moon, { door = 'tcp', ws, ...opts } = {}) {
	const stream = await open(t, moon, { door, ws });
	const client = kit.mc.protocolClient({ ...opts, stream });
	atEnd(t, () => client.stop());
	return client;
}

function each(list, define) {
	for (const item of list)
		define(item);
}

module.exports = { ...kit, test, atEnd, backend, proxy, later, open, player, npmPlayer, each };
