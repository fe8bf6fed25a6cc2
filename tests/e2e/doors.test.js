'use strict';
// One port, many languages: what the first bytes say, what a listener accepts, and where it listens.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { test, proxy, backend, player, npmPlayer, until, freePort, Moonbridge, RawWs, wire, atEnd } = require('./helpers');
const { dialPeer, wsPeer, login, statusRequest, counted, counters } = require('./front');

// The text of a legacy answer: FF, length in units, UTF-16BE.
function legacyText(bytes) {
	assert.equal(bytes[0], 0xff);
	const units = bytes.readUInt16BE(1);
	assert.equal(bytes.length, 3 + units * 2, 'length and text agree');
	return Buffer.from(bytes.subarray(3)).swap16().toString('utf16le');
}

const LEGACY_LONG = Buffer.concat([Buffer.from('fe01fa000b', 'hex'),
	Buffer.from('MC|PingHost', 'utf16le').swap16(), Buffer.from('0019', 'hex'), Buffer.from([74]),
	Buffer.from('0009', 'hex'), Buffer.from('localhost', 'utf16le').swap16(), Buffer.from('000063dd', 'hex')]);

const STATUS = { status: { motd: 'Hello §ctests', maxPlayers: 42 } };

test('case 35: Minecraft, WebSocket, legacy ping and plain HTTP on one port', async (t) => {
	const moon = await proxy(t, STATUS);
	const tcp = await player(t, moon, { name: 'Tcp', forge: false });
	const ws = await player(t, moon, { name: 'Ws', forge: false, door: 'ws' });
	assert.ok(tcp.joins === 1 && ws.joins === 1);

	const list = await (await dialPeer(t, moon.port)).write(statusRequest()).status();
	assert.equal(list.players.max, 42);

	const http = await RawWs.connect({ port: moon.port });
	http.write('GET / HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n');
	const answer = await http.answered();
	await http.ended();
	assert.equal(answer.status, 404);
	assert.equal(answer.body.length, Number(answer.headers['content-length']));
	assert.match(answer.body, /Minecraft/);
	assert.equal(answer.headers.connection, 'close');
	http.destroy();
});

test('case 35: the three legacy pings are answered', async (t) => {
	const moon = await proxy(t, STATUS);
	for (const hex of ['fe', 'fe01', LEGACY_LONG.toString('hex')]) {
		const peer = (await dialPeer(t, moon.port)).write(Buffer.from(hex, 'hex'));
		await peer.end();
		const text = legacyText(peer.bytes);
		if (hex === 'fe')
			assert.equal(text, 'Hello tests§0§42');
		else
			assert.match(text, /^§1\u0000127\u0000[^\u0000]+\u0000Hello §ctests\u00000\u000042$/);
	}
});

test('case 35: a handshake of 254 bytes is no legacy ping, however it is cut', async (t) => {
	const moon = await proxy(t, STATUS);
	// FE 01 00: a frame of 254 bytes.
	const rest = 254 - 1 - 1 - 2 - 2 - 1;
	const bytes = statusRequest({ host: 'h'.repeat(rest) });
	assert.equal(bytes.subarray(0, 3).toString('hex'), 'fe0100');
	for (const cut of [1, 2, 3]) {
		const peer = (await dialPeer(t, moon.port)).write(bytes.subarray(0, cut));
		await until(() => peer.stream.writableLength === 0);
		setTimeout(() => peer.write(bytes.subarray(cut)), 20);
		assert.equal((await peer.status()).players.max, 42);
	}
});

test('case 35: garbage is closed without a word and counted', async (t) => {
	// Some of it looks like the beginning of a long frame: its rest is waited for.
	const moon = await proxy(t, { timeouts: { firstByte: '500ms', login: '500ms' } });
	const junk = [
		Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), Buffer.from([0x16, 3, 1, 2, 0, 1, 0]), Buffer.alloc(64),
		Buffer.from([0x03, 0x05, 0x01, 0x00]), Buffer.from('ffffffff0f', 'hex'),
	];
	for (const bytes of junk) {
		const peer = (await dialPeer(t, moon.port)).write(bytes);
		await peer.end();
		assert.equal(peer.bytes.length, 0);
	}
	await counted(moon, 'scanners', junk.length);
	assert.equal((await counters(moon)).connections, 0);
});

function noControls(moon) {
	for (const line of moon.output.split('\n'))
		assert.doesNotMatch(line, /[\u0000-\u0008\u000b-\u001f\u007f]/, 'nothing unescaped in the log');
}

const NO_FRAMES = [
	['a first frame of 4,097 bytes', wire.wrap(Buffer.alloc(4097))],
	['a length of 2^31-1', Buffer.from('ffffffff07', 'hex')],
	['a length in five bytes', Buffer.from('8f80808000', 'hex')],
	['a length of zero', Buffer.from('00', 'hex')],
];

test('case 21: a first frame that is none ends the connection at once', async (t) => {
	const moon = await proxy(t);
	for (const [what, bytes] of NO_FRAMES) {
		const peer = (await dialPeer(t, moon.port)).write(bytes);
		await peer.end(2000).catch(() => assert.fail(what));
		assert.equal(peer.bytes.length, 0, what);
	}
	await counted(moon, 'scanners', NO_FRAMES.length);
});

test('case 21: a player reads which packet was too long, and the log has its length', async (t) => {
	const moon = await proxy(t);
	const handshake = wire.C.handshake();
	const long = (await dialPeer(t, moon.port)).write(handshake, wire.varint(4097), Buffer.alloc(100));
	assert.match(await long.reason(), /larger than 4096 bytes/);
	await long.end();
	const line = await moon.log({ why: 'player_frame_too_big' });
	assert.match(line.reason, /direction=C .*length=4097/);

	const zero = (await dialPeer(t, moon.port)).write(handshake, Buffer.from([0]));
	assert.match(await zero.reason(), /no Minecraft packet/);
	const other = (await dialPeer(t, moon.port)).write(handshake, wire.frame(0x05));
	assert.match(await other.reason(), /no Minecraft packet/);

	const play = await dialPeer(t, moon.port);
	play.write(login('Long'));
	await play.joined();
	play.write(Buffer.from('ffffff7f', 'hex'), Buffer.alloc(64));
	assert.match(await play.reason(), /larger than 2097151 bytes/);
});

test('case 21: the largest frame of the client passes to the server', async (t) => {
	const server = await backend(t, { forge: false });
	const moon = await proxy(t, { backends: [server] });
	const peer = (await dialPeer(t, moon.port)).write(login('Big'));
	await peer.joined();
	peer.write(wire.sizedFrame(0x7a, wire.MAX_FRAME));
	const got = await until(() => server.last?.frames.find((f) => f.id === 0x7a), 5000, 'the frame at the server');
	assert.deepEqual(got.raw, wire.sizedFrame(0x7a, wire.MAX_FRAME));
});

const REFUSALS = [
	['another version', login('Old', { protocol: 3 }), /1\.7\.2-1\.7\.10/],
	['a newer version', login('New', { protocol: 769 }), /1\.7\.2-1\.7\.10/],
	['an empty name', login(''), /cannot be used here/],
	['a name of spaces', login('   '), /cannot be used here/],
	['a name with a control character', login('a\nb'), /cannot be used here/],
	['a name with a section sign', login('§cred'), /cannot be used here/],
	['a name that looks like a variable', login('${HOME}'), /cannot be used here/],
	['a name of 17 characters', login('a'.repeat(17)), /cannot be used here/],
];

test('case 26: other versions and bad names are refused with a text', async (t) => {
	const moon = await proxy(t);
	for (const [what, bytes, text] of REFUSALS) {
		const peer = (await dialPeer(t, moon.port)).write(bytes);
		const reason = await peer.reason();
		assert.match(reason, text, what);
		assert.doesNotMatch(reason, /[\u0000-\u001f]/, what);
		await peer.end();
	}
	await counted(moon, 'ends', REFUSALS.length);
	noControls(moon);
});

test('case 26: hosts with control characters and ${...} reach neither log nor routing unescaped', async (t) => {
	const moon = await proxy(t, { logLevel: 'debug' });
	const hosts = ['a\nlevel=error msg=forged', '${PATH}', 'x"y\\z', '\u001b[31mred', 'é.example', '\u202eabc'];
	for (const [i, host] of hosts.entries()) {
		const peer = (await dialPeer(t, moon.port)).write(login(`Host${i}`, { host }));
		await peer.joined();
		peer.stream.destroy();
	}
	await counted(moon, 'ends', hosts.length);
	assert.equal(moon.logs({ msg: 'forged' }).length, 0);
	assert.ok(!moon.output.includes(process.env.PATH));
	noControls(moon);
});

// ---- tails -------------------------------------------------------------------------------------

// A server that keeps the first frame of its connections.
async function handshakeServer(t) {
	const server = net.createServer((socket) => {
		const splitter = new wire.Splitter();
		socket.on('error', () => {});
		socket.on('data', (chunk) => {
			for (const frame of splitter.push(chunk))
				server.frames.push(frame);
		});
	});
	server.frames = [];
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	atEnd(t, () => new Promise((resolve) => {
		server.close(resolve);
		for (const peer of server.peers)
			peer.destroy();
	}));
	server.peers = [];
	server.on('connection', (socket) => server.peers.push(socket));
	return server;
}

const hostOf = (frame) => {
	const r = new wire.Reader(frame.data);
	r.varint();
	return r.str();
};

const TAILS = [
	['a tail of its own', '\0evil\0tail', ''],
	['a forged forwarding', '\x00127.0.0.1\x00069a79f444e94726a5befca90e38aaf5', ''],
	['a RealIP tail', '///198.51.100.7:1234///1700000000', ''],
	['the Forge marker', '\0FML\0', '\0FML\0'],
	['the marker of newer Forge', '\0FML3\0', '\0FML3\0'],
	['the marker and a forgery', '\0FML\0\x00127.0.0.1\x00069a79f4', '\0FML\0'],
];

test('case 17: no tail of a client reaches a passthrough server by a forced host, but the Forge marker', async (t) => {
	const server = await handshakeServer(t);
	const moon = await proxy(t, {
		backends: [{ name: 'new', address: `127.0.0.1:${server.address().port}`, mode: 'passthrough' }],
		initialRouting: { servers: ['lobby'], forcedHosts: { 'new.example': 'new' } },
	});
	for (const [what, tail, kept] of TAILS) {
		const n = server.frames.length;
		(await dialPeer(t, moon.port)).write(login('Tail', { protocol: 769, host: `new.example${tail}` }));
		await until(() => server.frames.length === n + 2, 5000, what);
		assert.equal(hostOf(server.frames[n]), `new.example${kept}`, what);
		assert.deepEqual(server.frames[n + 1].raw, wire.C.loginStart('Tail'));
	}
});

test('case 17: handshakeTails keep passes the handshake as it came', async (t) => {
	const server = await handshakeServer(t);
	const moon = await proxy(t, {
		backends: [{ name: 'new', address: `127.0.0.1:${server.address().port}`, mode: 'passthrough', handshakeTails: 'keep' }],
		initialRouting: { servers: ['lobby'], otherVersions: 'new' },
	});
	for (const [what, tail] of TAILS) {
		const n = server.frames.length;
		const bytes = wire.C.handshake({ protocol: 769, host: `x.example${tail}` });
		(await dialPeer(t, moon.port)).write(bytes, wire.C.loginStart('Tail'));
		await until(() => server.frames.length === n + 2, 5000, what);
		assert.deepEqual(server.frames[n].raw, bytes, what);
	}
});

test('case 17: a managed server gets no tail either, and forced hosts see through all of them', async (t) => {
	const forced = await backend(t, { name: 'forced', forge: false });
	const moon = await proxy(t, {
		backends: [forced], initialRouting: { servers: ['lobby'], forcedHosts: { '*.example.org': 'forced' } },
	});
	const hosts = [...TAILS.map(([, tail]) => `a.example.org${tail}`), 'a.example.org.', 'A.Example.ORG',
		'_minecraft._tcp.a.example.org', '_dc-srv.5f._minecraft._tcp.a.example.org'];
	for (const [i, host] of hosts.entries()) {
		const peer = (await dialPeer(t, moon.port)).write(login(`Tail${i}`, { host }));
		await peer.joined();
		const line = await moon.log({ msg: 'player joined', name: `Tail${i}` });
		assert.equal(line.backend, 'forced', host);
		const first = forced.last.frames[0];
		assert.doesNotMatch(first.raw.toString('latin1'), /\0evil|127\.0\.0\.1\0|069a79f4|198\.51|FML/, host);
	}
});

// A proxy that is expected to end by itself.
async function endOf(t, config) {
	const moon = new Moonbridge(config);
	atEnd(t, () => { moon.kill(); moon.removeFiles(); });
	await moon.launch();
	await until(() => moon.exit, 5000, 'the proxy to end');
	return moon;
}

// ---- listeners ---------------------------------------------------------------------------------

test('each listener accepts what its list says', async (t) => {
	const [mc, ws, ping] = [await freePort(), await freePort(), await freePort()];
	const moon = await proxy(t, {
		listen: [
			{ address: `127.0.0.1:${mc}`, accept: ['minecraft'] },
			{ address: `127.0.0.1:${ws}`, accept: ['webSocket'], webSocket: { path: '/play' } },
			{ address: `127.0.0.1:${ping}`, accept: ['legacyPing'] },
		],
	});
	const speak = {
		minecraft: async (port) => {
			const peer = (await dialPeer(t, port)).write(login('Mc'));
			return peer.joined().then(() => { peer.stream.destroy(); return true; }, () => false);
		},
		webSocket: async (port) => {
			try {
				const peer = (await wsPeer(t, port, { path: '/play' })).write(login('Ws'));
				await peer.joined();
				peer.stream.destroy();
				return true;
			} catch {
				return false;
			}
		},
		legacyPing: async (port) => {
			const peer = (await dialPeer(t, port)).write([0xfe, 0x01]);
			await peer.end();
			return peer.bytes[0] === 0xff;
		},
	};
	const got = {};
	for (const [kind, say] of Object.entries(speak))
		got[kind] = [await say(mc), await say(ws), await say(ping)];
	assert.deepEqual(got, {
		minecraft: [true, false, false], webSocket: [false, true, false], legacyPing: [false, false, true],
	});
	assert.equal(moon.exit, null);
});

test('an IPv6 listener takes players over TCP and WebSocket', async (t) => {
	const port = await freePort();
	const moon = await proxy(t, { listen: `[::1]:${port}`, start: { port, connectTo: { host: '::1', port } } });
	const peer = (await dialPeer(t, { port, host: '::1' })).write(login('Six'));
	await peer.joined();
	const line = await moon.log({ name: 'Six' });
	assert.match(line.addr, /^\[::1\]:\d+$/);
	const ws = await RawWs.open({ port, host: '::1' });
	ws.binary(login('SixWs'));
	await until(() => new wire.Splitter().push(ws.stream()).some((f) => f.id === 0x08));
	ws.destroy();
});

test('a unix socket takes players, replaces a stale file and is gone afterwards', async (t) => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'moonbridge-unix-'));
	const file = path.join(dir, 'players.sock');
	atEnd(t, () => {
		assert.ok(!fs.existsSync(file), 'the socket file is removed at the end');
		fs.rmSync(dir, { recursive: true });
	});
	// A file that a killed process left: nobody listens on it.
	const stale = require('node:child_process').spawnSync(process.execPath, ['-e',
		`require('net').createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, 'SIGKILL'))`]);
	assert.equal(stale.signal, 'SIGKILL');
	assert.ok(fs.existsSync(file));

	const moon = await proxy(t, { listen: `unix:${file}`, start: { connectTo: { path: file } } });
	const peers = [];
	for (let i = 0; i < 9; i++)
		peers.push((await dialPeer(t, { path: file })).write(login(`Unix${i}`)));
	for (const peer of peers)
		await peer.joined();
	const list = await (await dialPeer(t, { path: file })).write(statusRequest()).status();
	assert.ok(list.players);
	assert.equal((await counters(moon)).logins, 9);
});

test('a second proxy does not take a port or a socket file that is in use', async (t) => {
	const file = path.join(os.tmpdir(), `moonbridge-busy-${process.pid}.sock`);
	const moon = await proxy(t, { listen: ['127.0.0.1:{port}', `unix:${file}`] });
	for (const listen of [`127.0.0.1:${moon.port}`, `unix:${file}`]) {
		const second = await endOf(t, { listen });
		assert.equal(second.exit.code, 1, listen);
		assert.match(second.output, /cannot listen on .*another program/);
	}
	const peer = (await dialPeer(t, { path: file })).write(login('Still'));
	await peer.joined();
});

test('sockets of a parent (socket activation) are taken by name', async (t) => {
	const [a, b] = [await freePort(), await freePort()];
	const moon = await proxy(t, {
		listen: [
			{ address: 'inherited:players', accept: ['minecraft'] },
			{ address: 'inherited:web', accept: ['webSocket'] },
		],
		allowOfflinePublicAccess: true,
		start: {
			connectTo: { host: '127.0.0.1', port: a },
			wrapper: ['/usr/bin/python3', path.join(__dirname, 'hand-over.py'), `players=127.0.0.1:${a}`, `web=127.0.0.1:${b}`],
		},
	});
	const peers = [];
	for (let i = 0; i < 9; i++)
		peers.push((await dialPeer(t, a)).write(login(`Tcp${i}`)));
	for (const peer of peers)
		await peer.joined();
	await (await wsPeer(t, b)).write(login('Web')).joined();
	assert.equal((await counters(moon)).logins, 10);
});

test('a socket that nobody handed over: refused with its name and a remedy', async (t) => {
	const moon = await endOf(t, { listen: 'inherited:players', allowOfflinePublicAccess: true });
	assert.equal(moon.exit.code, 1);
	assert.match(moon.output, /inherited:players.*FileDescriptorName=/s);
});

test('the npm client joins on both doors', async (t) => {
	const moon = await proxy(t);
	await (await npmPlayer(t, moon, { name: 'NpmTcp' })).joined();
	await (await npmPlayer(t, moon, { name: 'NpmWs', door: 'ws' })).joined();
});
