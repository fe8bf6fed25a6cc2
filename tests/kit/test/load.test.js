'use strict';
// mbload and the malloc counter. They are built by meson (the build tree of MOONBRIDGE, or build/).

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Load, load, loadBackend, mallocEnv, readMallocs, failMallocs, serveWs, status, ForgeClient,
	until, wire, MBLOAD } = require('..');
const { serve } = require('./pair');

async function backend(t, opts) {
	const server = await loadBackend({ keepAlive: 1, ...opts });
	t.after(() => server.load.child.kill('SIGKILL'));
	return server;
}

test('500 players join, stay and answer keep-alives', async (t) => {
	const server = await backend(t);
	const players = new Load('join', { port: server.port, players: 500, seconds: 60, sources: 5 });
	assert.deepStrictEqual(await players.joined(), { joined: 500, failed: 0 });
	await new Promise((resolve) => setTimeout(resolve, 1300));
	const result = await players.stop();
	assert.strictEqual(result.code, 0);
	assert.ok(result.keepAlives >= 500);
	const { logins, most, bad } = await server.stop();
	assert.deepStrictEqual({ logins, most, bad }, { logins: 500, most: 500, bad: 0 });
});

test('echoes over TCP, a unix socket and WebSocket', async (t) => {
	const tcp = await backend(t);
	const ws = await serveWs((stream) => stream.pipe(net.connect(tcp.port, '127.0.0.1').on('error', () => {})).pipe(stream)
		.on('error', () => {}));
	t.after(() => ws.stop());
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'kit-load-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	const unix = path.join(dir, 'backend');
	await backend(t, { unix });
	for (const where of [{ port: tcp.port }, { unix }, { port: ws.port, websocket: '/mc' }]) {
		const opts = { ...where, players: 3, messages: 300, warmup: 10, payload: 1000, window: 2, burst: 5 };
		const result = await load('echo', opts);
		assert.deepStrictEqual([result.frames, result.badEchoes], [900, 0]);
	}
	assert.strictEqual((await load('echo', { port: tcp.port, messages: 2, payload: 2097151 })).frames, 2);
});

test('a wrong, a lost and a swapped echo fail the run', async (t) => {
	for (const spoil of [
		(frames) => frames.map((raw) => Buffer.from(raw).fill(0, raw.length - 1)),
		(frames) => frames.slice(1),
		(frames) => frames.toReversed(),
	]) {
		const server = await serve(t, { forge: false });
		server.on('conn', (conn) => {
			let held = [];
			conn.on('frame', ({ id, raw }) => {
				if (id === 3 && held.push(raw) === 4) {
					spoil(held).forEach((bytes) => conn.write(bytes));
					held = [];
				}
			});
		});
		const result = await new Load('echo', { port: server.port, messages: 8, burst: 4, timeout: 2 }).result();
		assert.strictEqual(result.code, 1);
		assert.strictEqual(result.ok, false);
	}
});

test('lost and refused players fail the run, with the reason', async (t) => {
	const server = await serve(t, { forge: false, refuse: 'server is full' });
	const refused = await new Load('join', { port: server.port, players: 2 }).result();
	assert.deepStrictEqual([refused.code, refused.failed], [1, 2]);
	assert.match(refused.reason, /server is full/);
	const kicking = await serve(t, { forge: false });
	const run = new Load('join', { port: kicking.port, players: 2, seconds: 1 });
	await run.joined();
	kicking.last.kick('out');
	const lost = await run.result();
	assert.deepStrictEqual([lost.code, lost.lost], [1, 1]);
	assert.match(lost.reason, /out/);
});

test('status and churn', async (t) => {
	const server = await backend(t);
	const result = await load('status', { port: server.port, players: 4, seconds: 1 });
	assert.ok(result.answers > 100);
	assert.strictEqual((await load('churn', { port: server.port, count: 500, players: 8, junk: 3 })).connections, 500);
	assert.strictEqual((await load('churn', { port: server.port, count: 500, reset: true })).connections, 500);
	assert.strictEqual((await status({ port: server.port })).json.description, 'mbload');
	const nobody = await new Load('churn', { port: 1, count: 3 }).result();
	assert.strictEqual(nobody.code, 1);
});

test('the strict client accepts the backend', async (t) => {
	const server = await backend(t, { tab: 100 });
	const client = new ForgeClient({ port: server.port, forge: false });
	t.after(() => client.abort());
	await client.connect();
	await client.positioned();
	assert.strictEqual(client.model.tab.size, 100);
	client.write(wire.sizedFrame(3, 100));
	await client.until(() => client.trace.some((f) => f.id === 3 && f.size === 100));
	client.check();
});

test('wrong usage ends with 2', () => {
	for (const args of [[], ['nonsense'], ['join', '--players', '0'], ['join', '--players', 'x'], ['echo', '--nothing', '1']])
		assert.strictEqual(spawnSync(MBLOAD, args).status, 2, args.join(' '));
});

test('the malloc counter counts live and makes the n-th allocation fail', async (t) => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'kit-mallocs-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	const file = path.join(dir, 'counters');
	const run = (env) => spawnSync(MBLOAD, ['status', '--port', '1', '--seconds', '1'], { env: { ...process.env, ...env } });
	assert.strictEqual(readMallocs(file), null);
	fs.writeFileSync(file, Buffer.alloc(56));
	assert.strictEqual(readMallocs(file), null);
	run(mallocEnv(file));
	const plain = readMallocs(file);
	assert.ok(plain.allocations > 0 && plain.bytes > 0 && plain.failed === 0);

	fs.rmSync(file);
	const script = 'process.stdin.once("data", () => { const b = []; setInterval(() => b.push(Buffer.alloc(100000)), 1) })';
	const child = require('node:child_process').spawn(process.execPath, ['-e', script],
		{ env: { ...process.env, ...mallocEnv(file) }, stdio: ['pipe', 'ignore', 'ignore'] });
	t.after(() => child.kill('SIGKILL'));
	await until(() => readMallocs(file)?.allocations > 1000, 5000, 'a start');
	const idle = readMallocs(file).allocations;
	child.stdin.write('go');
	await until(() => readMallocs(file).allocations > idle + 50, 5000, 'allocations seen while it runs');
	failMallocs(file, { count: 0 });
	await until(() => readMallocs(file).failed > 0, 5000, 'a failure on order');

	fs.rmSync(file);
	const failing = run(mallocEnv(file, { oomAt: 1, oomCount: 0 }));
	const { failed, allocations } = readMallocs(file);
	assert.strictEqual(failed, allocations);
	assert.strictEqual(failing.status, 1);
});
