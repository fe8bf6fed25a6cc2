'use strict';
// Allocation n fails: once, or from there on. Never a crash or a hang: a start either says what is
// wrong and ends with 1, or it works; a running proxy may lose who just came, and the next join works.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const kit = require('../kit');

const POINTS = Number(process.env.OOM_POINTS || 60);
const OP_MS = 4000;
const END_MS = 10000;
const NEVER = 1e12;

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'moonbridge-oom-'));
const counts = path.join(dir, 'counts');
let tests = 0;
let failed = 0;

function result(name, problems) {
	tests++;
	if (!problems.length) {
		console.log(`ok ${tests} - ${name}`);
		return;
	}
	failed++;
	console.log(`not ok ${tests} - ${name}`);
	for (const line of problems.slice(0, 8).join('\n').split('\n'))
		console.log(`# ${line}`);
}

// At most POINTS numbers of 1..n, the first ones dense: that is where each library begins.
function points(n) {
	const dense = Math.min(n, Math.ceil(POINTS / 3));
	const all = new Set(Array.from({ length: dense }, (_, i) => i + 1));
	const step = Math.max(1, (n - dense) / (POINTS - dense));
	for (let at = dense + 1; at <= n; at += step)
		all.add(Math.floor(at));
	return [...all];
}

function newCounts() {
	fs.rmSync(counts, { force: true });
	return counts;
}

function verdict({ code, signal, output }, mayWork) {
	if (signal || code === null)
		return `ended by ${signal}: ${output.slice(-300)}`;
	if (code === 0 && mayWork)
		return null;
	if (code !== 1)
		return `exit code ${code}: ${output.slice(-300)}`;
	return output.trim() ? null : 'exit code 1 without a word';
}

async function checkConfig(config) {
	const problems = [];
	const checked = { ...config, listen: '127.0.0.1:25577' };
	const run = (opts) => kit.Moonbridge.run(['--check', '{config}'],
		{ config: checked, ms: END_MS, env: kit.mallocEnv(newCounts(), opts) });
	const fine = await run({});
	const { allocations } = kit.readMallocs(counts);
	if (fine.code !== 0)
		problems.push(`without failures: ${fine.output}`);
	for (const oomCount of [1, 0]) {
		for (const oomAt of points(allocations)) {
			const bad = verdict(await run({ oomAt, oomCount }), true);
			if (bad)
				problems.push(`allocation ${oomAt} of ${allocations}${oomCount ? '' : ' and all after it'}: ${bad}`);
		}
	}
	result(`--check, ${allocations} allocations`, problems);
}

async function settled(promise, ms, what) {
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => reject(Object.assign(new Error(`${what}: no end`), { late: true })), ms);
	});
	try {
		return await Promise.race([promise, late]);
	} finally {
		clearTimeout(timer);
	}
}

let names = 0;

async function join(port, serverHost) {
	const client = new kit.ForgeClient({ forge: false, name: `Oom${++names}`, port, serverHost, graceMs: 0 });
	try {
		await client.connect();
		await kit.until(() => client.joins > 0 || client.closed, OP_MS, 'Join Game');
		if (!client.joins)
			throw new Error(`no Join Game: ${client.why()}`);
	} finally {
		client.close?.();
		client.stream?.destroy();
	}
}

// Status, lobby, server. Problems as texts; only what never ends when `strict` is off.
async function visit(port, strict) {
	const problems = [];
	const ops = {
		status: () => kit.status({ port }),
		lobby: () => join(port, 'lobby.test'),
		server: () => join(port, 'server.test'),
	};
	for (const [name, op] of Object.entries(ops)) {
		try {
			await settled(op(), OP_MS, name);
		} catch (err) {
			if (strict || err.late || /to be|Join Game$/.test(err.message))
				problems.push(`${name}: ${err.message}`);
		}
	}
	return problems;
}

function configFor(server) {
	return {
		listen: '127.0.0.1:{port}',
		workers: 2,
		limits: { exempt: ['127.0.0.0/8'] },
		backends: [{ name: 'one', address: `127.0.0.1:${server.port}` }],
		initialRouting: { servers: ['one'], forcedHosts: { 'lobby.test': 'lobby' }, whenNoServer: 'disconnect' },
	};
}

// Ready, or ended; null: neither, in time.
async function startOne(config, opts) {
	const proxy = new kit.Moonbridge(config, { env: kit.mallocEnv(newCounts(), opts) });
	await proxy.launch();
	await kit.until(() => proxy.exit || kit.READY.test(proxy.output), END_MS, () => `start: ${proxy.output}`);
	return proxy;
}

async function tryStart(config, opts) {
	let proxy;
	try {
		proxy = await startOne(config, opts);
		if (proxy.exit)
			return verdict({ ...proxy.exit, output: proxy.output }, false);
		// With all memory gone for ever nobody can join; it must still live and stop.
		const problems = await visit(proxy.port, opts.oomCount !== 0);
		await proxy.stop();
		return problems.join('; ') || null;
	} catch (err) {
		return err.message.slice(-400);
	} finally {
		proxy?.kill();
	}
}

async function start(config) {
	const problems = [];
	const fine = await startOne(config, {});
	const { allocations } = kit.readMallocs(counts);
	await fine.stop();
	for (const oomCount of [1, 0]) {
		for (const oomAt of points(allocations)) {
			const bad = await tryStart(config, { oomAt, oomCount });
			if (bad)
				problems.push(`allocation ${oomAt} of ${allocations}${oomCount ? '' : ' and all after it'}: ${bad}`);
		}
	}
	result(`start, ${allocations} allocations`, problems);
}

async function failWhileRunning(proxy, n, count, problems) {
	const what = `allocation ${n}${count > 1 ? ` and ${count - 1} after it` : ''}`;
	kit.failMallocs(counts, { after: n - 1, count });
	const during = await visit(proxy.port, false);
	problems.push(...during.map((text) => `${what}, during: ${text}`));
	kit.failMallocs(counts, { after: NEVER });
	const after = await visit(proxy.port, true);
	problems.push(...after.map((text) => `${what}, after: ${text}`));
	if (proxy.exit)
		throw new Error(`${what}: ${JSON.stringify(proxy.exit)} ${proxy.output.slice(-600)}`);
}

async function running(config) {
	const problems = [];
	const proxy = await startOne(config, {});
	problems.push(...await visit(proxy.port, true));
	const before = kit.readMallocs(counts).allocations;
	problems.push(...await visit(proxy.port, true));
	const allocations = kit.readMallocs(counts).allocations - before;
	const descriptors = proxy.descriptors();
	try {
		for (const n of points(allocations))
			await failWhileRunning(proxy, n, 1, problems);
		for (const n of points(allocations).filter((_, i) => i % 3 === 0))
			await failWhileRunning(proxy, n, 20, problems);
		await proxy.backTo(descriptors);
		await proxy.stop();
	} catch (err) {
		problems.push(err.message);
	} finally {
		proxy.kill();
	}
	result(`a visit, ${allocations} allocations`, problems);
}

async function main() {
	if (!fs.existsSync(kit.MALLOCS)) {
		console.log(`Bail out! there is no ${kit.MALLOCS}; build without sanitizers first`);
		process.exit(1);
	}
	const server = await new kit.ForgeServer({ forge: false, eid: 7 }).start();
	const config = configFor(server);
	await checkConfig(config);
	await start(config);
	await running(config);
	console.log(`1..${tests}`);
	await server.stop();
	fs.rmSync(dir, { recursive: true, force: true });
	process.exit(failed ? 1 : 0);
}

main().catch((err) => {
	console.log(`not ok ${tests + 1} - ${err.stack.replaceAll('\n', '\n# ')}`);
	process.exit(1);
});
