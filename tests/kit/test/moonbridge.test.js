'use strict';

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const net = require('node:net');
const { Moonbridge, parseLogfmt } = require('..');

const OPTS = { wrapper: [process.execPath], binary: path.join(__dirname, 'fake-proxy.js') };
const start = (config, opts) => Moonbridge.start(config, { ...OPTS, ...opts });

test('starts, is ready, is measured, stops', async () => {
	const proxy = await start({});
	const line = await proxy.log({ msg: 'ready' });
	assert.strictEqual(line.workers, '3');
	assert.strictEqual(line.listen, `127.0.0.1:${proxy.port}`);
	const before = proxy.descriptors();
	const socket = net.connect(proxy.port, '127.0.0.1');
	await new Promise((resolve) => socket.once('connect', resolve));
	while (proxy.descriptors() === before)
		await new Promise((resolve) => setTimeout(resolve, 5));
	socket.destroy();
	await proxy.backTo(before);
	const { rss, pss } = proxy.memory();
	assert.ok(rss > 1e6 && pss > 1e6);
	assert.ok(proxy.cpuNs() > 0n);
	await proxy.stop();
	assert.ok(!fs.existsSync(proxy.dir));
});

test('a silent program is ready when it answers; a config may be text', async () => {
	const proxy = await start('{"listen": "127.0.0.1:{port}", "fault": "silent"}');
	await proxy.stop();
});

test('a program that ends at start is an error with its output', async () => {
	await assert.rejects(start({ fault: 'start' }), /key=listen/);
});

test('a wrong exit code and a sanitizer report fail the stop', async () => {
	await assert.rejects((await start({ fault: 'code' })).stop(), /"code":1/);
	await assert.rejects((await start({ fault: 'sanitizer' })).stop(), /heap-use-after-free/);
	await (await start({ fault: 'code' }, { expectExit: 1 })).stop();
});

test('run: code and output of a program that ends by itself', async (t) => {
	const script = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'kit-test-')), 'run');
	t.after(() => fs.rmSync(path.dirname(script), { recursive: true }));
	fs.writeFileSync(script, `#!/bin/sh\nexec "${process.execPath}" "${OPTS.binary}" "$@"\n`, { mode: 0o755 });
	const good = await Moonbridge.run(['--version'], { binary: script });
	assert.deepStrictEqual([good.code, good.stdout], [0, 'args --version\n']);
	assert.strictEqual((await Moonbridge.run(['--bad'], { binary: script })).code, 2);
	const check = await Moonbridge.run(['--check', '{config}'], { binary: script, config: { a: 1 } });
	assert.match(check.output, /args --check .*moonbridge\.yml/);
	assert.ok((await Moonbridge.run([], { binary: '/nonexistent' })).error);
});

test('logfmt', () => {
	assert.deepStrictEqual(parseLogfmt('level=info msg="a \\"b\\" c" n=4 empty= id=x-1'),
		{ level: 'info', msg: 'a "b" c', n: '4', empty: '', id: 'x-1' });
});
