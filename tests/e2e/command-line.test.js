'use strict';
// What the program says to those who start and stop it: exit codes, config errors, the goodbye.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { test, proxy, backend, player, each, until, sleep, wire, Moonbridge } = require('./helpers');
const { dialPeer, wsPeer, login, checkConfig } = require('./front');

const run = (args, opts) => Moonbridge.run(args, opts);

test('--help and --version say it on stdout and end with 0', async () => {
	const help = await run(['--help']);
	assert.equal(help.code, 0);
	assert.match(help.stdout, /Usage: moonbridge.*--config FILE.*Exit code: 0 fine, 1 failed, 2 wrong usage/s);
	assert.equal((await run(['-h'])).stdout, help.stdout);
	const version = await run(['--version']);
	assert.equal(version.code, 0);
	assert.match(version.stdout, /^MoonBridge \d+\.\d+\.\d+\n$/);
});

test('wrong usage ends with 2 and a hint', async () => {
	for (const args of [['--nonsense'], ['--config'], ['file.yml'], ['-x'], ['--check', 'a.yml', 'b.yml'], ['--version=3']]) {
		const got = await run(args);
		assert.equal(got.code, 2, args.join(' '));
		assert.match(got.output, /Try 'moonbridge --help'/, args.join(' '));
		assert.equal(got.stdout, '', args.join(' '));
	}
});

test('--print-config is a config that loads and prints the same again', async () => {
	const first = await run(['--print-config']);
	assert.equal(first.code, 0);
	const check = await checkConfig(first.stdout);
	assert.equal(check.code, 0, check.output);
	const again = await run(['--print-config', '--config', '{config}'], { config: first.stdout });
	assert.equal(again.code, 0, again.output);
	const body = (text) => text.split('\n').filter((line) => !line.startsWith('#')).join('\n');
	assert.equal(body(again.stdout), body(first.stdout));
});

test('--check of a good config, of the built-in one, and of a file that is not there', async () => {
	const good = await checkConfig('listen: "127.0.0.1:25999"\nbackends:\n  - {name: a, address: "127.0.0.1:1"}\n');
	assert.equal(good.code, 0);
	assert.match(good.stdout, /fine: 1 listeners, 1 backends/);
	assert.equal((await run(['--check'])).code, 0);
	const missing = await run(['--check', '/nowhere/moonbridge.yml']);
	assert.equal(missing.code, 1);
	assert.match(missing.output, /\/nowhere\/moonbridge\.yml/);
	assert.equal((await run(['--config', '/nowhere/moonbridge.yml'])).code, 1);
});

test('started with stdin, stdout and stderr closed, no socket gets their numbers', async (t) => {
	const wrapper = ['sh', '-c', 'exec "$@" <&- >&- 2>&-', 'sh'];
	const moon = await proxy(t, { start: { wrapper } });
	for (const fd of [0, 1, 2])
		assert.equal(fs.readlinkSync(`/proc/${moon.pid}/fd/${fd}`), '/dev/null', `descriptor ${fd}`);
	await player(t, moon, { name: 'Bob', forge: false });
});

// What is wrong, its line, its key, and words of the remedy.
const BROKEN = [
	['a misspelt key', 'maxConections: 5\n', 1, 'maxConections', /did you mean maxConnections/],
	['a misspelt key further in', 'timeouts:\n  login: 5s\n  dail: 5s\n', 3, 'timeouts.dail', /did you mean dial/],
	['a word where a number belongs', 'maxConnections: many\n', 1, 'maxConnections', /a whole number/],
	['a number out of range', 'limits:\n  perAddress: 0\n', 2, 'limits.perAddress', /from 1 to/],
	['a duration without a unit', 'timeouts:\n  idle: 30\n', 2, 'timeouts.idle', /unit|duration/],
	['a size without a unit', 'limits:\n  unsentHigh: 100\n', 2, 'limits.unsentHigh', /unit|size/],
	['an unknown word', 'initialRouting:\n  whenNoServer: kick\n', 2, 'initialRouting.whenNoServer', /hold or disconnect/],
	['an address without a port', 'backends:\n  - name: a\n    address: "10.0.0.7"\n', 3, 'backends[0].address', /host:port/],
	['a server that is not there', 'backends:\n  - {name: hub, address: "h:1"}\ninitialRouting:\n  servers: [hubb]\n', 4,
		'initialRouting.servers[0]', /did you mean hub\?/],
	['one name twice', 'backends:\n  - {name: a, address: "h:1"}\n  - {name: a, address: "h:2"}\n', 3, 'backends[1].name', /once|twice|already|other/],
	['a bad network', 'limits:\n  exempt: ["10.0.0.0/33"]\n', 2, 'limits.exempt[0]', /network|10\.0\.0\.0\/8/],
	['broken YAML', 'backends:\n  - {name: a\nlisten: x\n', 2, null, /close the bracket/],
	['a tab', 'limits:\n\tperAddress: 5\n', 2, null, /spaces|tab/],
	['a variable that is not set', 'backends:\n  - name: a\n    address: "${NOT_SET_ANYWHERE}:1"\n', 3, 'backends[0].address',
		/NOT_SET_ANYWHERE/],
	['a public address offline', 'listen: "0.0.0.0:25599"\n', 1, 'listen', /allowOfflinePublicAccess: true/],
	['an icon that is not there', 'status:\n  icon: nowhere.png\n', 2, 'status.icon', /nowhere\.png/],
];

test('--check: every error names file, line, key and remedy', async () => {
	for (const [what, text, line, key, remedy] of BROKEN) {
		const got = await checkConfig(text);
		assert.equal(got.code, 1, what);
		const first = got.output.split('\n')[0];
		assert.match(first, new RegExp(`^/\\S*moonbridge\\.yml:${line}:`), `${what}: ${got.output}`);
		if (key)
			assert.ok(first.includes(`${key}:`), `${what}: ${first}`);
		assert.match(first, remedy, what);
	}
});

test('--check tells all errors of a file at once, in order', async () => {
	const got = await checkConfig('maxConections: 5\nworkers: 900\ntimeouts:\n  login: fast\n');
	assert.equal(got.code, 1);
	assert.deepEqual(got.output.trim().split('\n').map((line) => /:(\d+): (\S+):/.exec(line)?.slice(1)),
		[['1', 'maxConections'], ['2', 'workers'], ['4', 'timeouts.login']]);
});

test('case 20: a public address offline is refused at start, with the key', async () => {
	for (const listen of ['0.0.0.0:{port}', '[::]:{port}', '*:{port}', '192.0.2.1:{port}']) {
		const moon = new Moonbridge({ listen });
		await moon.launch();
		await until(() => moon.exit, 5000, 'the proxy to end');
		moon.removeFiles();
		assert.equal(moon.exit.code, 1, listen);
		assert.match(moon.output, /moonbridge\.yml:\d+: listen: .*allowOfflinePublicAccess: true/, listen);
	}
});

test('case 20: with the permission it listens everywhere', async (t) => {
	const moon = await proxy(t, { listen: '*:{port}', allowOfflinePublicAccess: true });
	for (const host of ['127.0.0.1', '::1'])
		await (await dialPeer(t, { port: moon.port, host })).write(login(`H${host.length}`)).joined();
	// A mapped address is shown and limited as what it is.
	assert.match((await moon.log({ name: 'H9' })).addr, /^127\.0\.0\.1:/);
});

test('without a config: the lobby on 127.0.0.1:25577, and how to join', async (t) => {
	const moon = new Moonbridge({});
	moon.spawn([]);
	t.after(() => moon.kill());
	await until(() => moon.exit || /msg=ready/.test(moon.output), 5000, 'ready');
	// Somebody else may have the port: then it says so.
	if (moon.exit) {
		assert.match(moon.output, /cannot listen on 127\.0\.0\.1:25577: .*in use.*another/);
		return;
	}
	assert.match(moon.stdout, /Minecraft 1\.7\.2-1\.7\.10\s+127\.0\.0\.1:25577/);
	assert.match(moon.stdout, /ws:\/\/127\.0\.0\.1:25577\/mc/);
	assert.match(moon.stdout, /--print-config > moonbridge\.yml/);
	await (await dialPeer(t, 25577)).write(login('First')).joined();
	await (await wsPeer(t, 25577)).write(login('FirstWs')).joined();
	await moon.stop();
});

// ---- the goodbye -----------------------------------------------------------------------------

each(['SIGTERM', 'SIGINT'], (signal) => test(`${signal}: every player reads the goodbye, within the drain`, async (t) => {
	const server = await backend(t, { forge: false, judge: false });
	const moon = await proxy(t, {
		backends: [server], initialRouting: { servers: ['a'], forcedHosts: { 'lobby.example': 'lobby' } },
	});
	const peers = [];
	for (let i = 0; i < 12; i++) {
		const peer = i % 2 ? await wsPeer(t, moon.port) : await dialPeer(t, moon.port);
		peers.push(peer.write(login(`Bye${i}`, { host: i % 4 < 2 ? 'localhost' : 'lobby.example' })));
	}
	for (const peer of peers)
		await peer.joined();
	// In the middle of a login, and one who has said nothing yet.
	const silent = await dialPeer(t, moon.port);
	const start = Date.now();
	moon.signal(signal);
	for (const peer of peers)
		assert.match(await peer.reason(), /shutting down/);
	await silent.end();
	assert.equal(silent.bytes.length, 0);
	for (const peer of peers)
		await peer.end();
	for (const peer of peers)
		peer.stream.destroy();
	await until(() => moon.exit, 7000, 'the end');
	const ms = Date.now() - start;
	assert.equal(moon.exit.code, 0);
	assert.ok(ms < 6000, `${ms} ms`);
	assert.equal(moon.logs({ why: 'shutdown', level: 'info' }).length > 0, true);
	await until(() => server.conns.every((c) => c.closed), 2000, 'the servers to see them leave');
}));

test('SIGTERM: a player who does not read does not hold it up longer than the drain', async (t) => {
	const server = await backend(t, { forge: false, judge: false });
	const moon = await proxy(t, { backends: [server], timeouts: { drain: '1s' } });
	const peer = (await dialPeer(t, moon.port)).write(login('Deaf'));
	await peer.joined();
	peer.stream.pause();
	for (let i = 0; i < 40; i++)
		server.last.write(wire.S.chunk(i, i, Buffer.alloc(500000)));
	await sleep(300);
	const start = Date.now();
	moon.signal('SIGTERM');
	await until(() => moon.exit, 7000, 'the end');
	const ms = Date.now() - start;
	assert.ok(ms >= 800 && ms < 3000, `${ms} ms`);
	assert.equal(moon.exit.code, 0);
});

test('a second SIGTERM ends it at once', async (t) => {
	const server = await backend(t, { forge: false, judge: false });
	// It ends without joining its threads, as it should: no leak to report.
	const env = { TSAN_OPTIONS: `${process.env.TSAN_OPTIONS ?? ''}:report_thread_leaks=0` };
	const moon = await proxy(t, { backends: [server], judge: false, start: { env } });
	const peer = (await dialPeer(t, moon.port)).write(login('Deaf'));
	await peer.joined();
	peer.stream.pause();
	for (let i = 0; i < 40; i++)
		server.last.write(wire.S.chunk(i, i, Buffer.alloc(500000)));
	await sleep(300);
	moon.signal('SIGTERM');
	await moon.log({ msg: 'stopping: every player reads a goodbye' });
	moon.signal('SIGTERM');
	await until(() => moon.exit, 1000, 'the end');
	assert.equal(moon.exit.code, 1);
});

test('a player who leaves during the drain is no error, and nobody new comes in', async (t) => {
	const moon = await proxy(t);
	const leaver = await player(t, moon, { name: 'Leaver', forge: false });
	moon.signal('SIGTERM');
	await until(() => leaver.closed, 5000, 'the goodbye');
	await until(() => moon.exit, 5000, 'the end');
	await assert.rejects(dialPeer(t, moon.port), /ECONNREFUSED/);
});

test('READY and STOPPING reach systemd', async (t) => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'moonbridge-notify-'));
	const file = path.join(dir, 'notify');
	// Node has no datagram sockets of the unix kind.
	const listener = spawn('/usr/bin/python3', ['-u', '-c',
		'import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\nprint("bound")\nwhile True: print(s.recv(4096).decode())', file]);
	let said = '';
	listener.stdout.on('data', (text) => { said += text; });
	t.after(() => {
		listener.kill('SIGKILL');
		fs.rmSync(dir, { recursive: true, force: true });
	});
	await until(() => said.includes('bound'), 5000, 'the socket');
	const moon = await proxy(t, { start: { env: { NOTIFY_SOCKET: file } } });
	await until(() => said.includes('READY=1'), 3000, 'READY=1');
	moon.signal('SIGTERM');
	await until(() => said.includes('STOPPING=1'), 3000, 'STOPPING=1');
	await until(() => moon.exit, 7000, 'the end');
});
