'use strict';
// Debian's nginx and haproxy in front of the proxy, as people run them.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { test, proxy, backend, player, each, until, freePort, RawWs, wire, atEnd } = require('./helpers');
const { dialPeer, login, statusRequest, counters } = require('./front');

// A server program in the foreground with a config of its own, ended by its pid.
async function front(t, program, config, args, port) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'moonbridge-front-'));
	const file = path.join(dir, 'front.conf');
	fs.writeFileSync(file, config.replaceAll('{dir}', dir));
	const child = spawn(program, args(file), { stdio: ['ignore', 'pipe', 'pipe'], cwd: dir });
	let said = '';
	child.stdout.on('data', (text) => { said += text; });
	child.stderr.on('data', (text) => { said += text; });
	let gone = false;
	child.on('close', () => { gone = true; });
	child.on('error', (err) => { said += err.message; gone = true; });
	const kill = () => child.kill('SIGKILL');
	process.once('exit', kill);
	atEnd(t, async () => {
		child.kill('SIGTERM');
		await until(() => gone, 5000, `${program} to end`).catch(kill);
		process.off('exit', kill);
		fs.rmSync(dir, { recursive: true, force: true });
	});
	await until(async () => {
		if (gone)
			throw new Error(`${program} ended: ${said}`);
		return new Promise((resolve) => {
			const socket = net.connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true); });
			socket.on('error', () => resolve(false));
		});
	}, 10000, () => `${program} to listen: ${said}`);
}

function nginx(t, port, body) {
	const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path {dir}/${name};`).join('\n');
	const config = `daemon off; master_process off; pid {dir}/pid; error_log stderr; worker_processes 1;
		${fs.existsSync('/usr/lib/nginx/modules/ngx_stream_module.so') && body.stream
		? 'load_module /usr/lib/nginx/modules/ngx_stream_module.so;' : ''}
		events { worker_connections 256; }
		${body.http ? `http { access_log off; ${temp} ${body.http} }` : ''}
		${body.stream ? `stream { ${body.stream} }` : ''}`;
	return front(t, 'nginx', config, (file) => ['-c', file, '-e', 'stderr'], port);
}

function haproxy(t, port, body) {
	const config = `global
	maxconn 256
defaults
	timeout connect 5s
	timeout client 1m
	timeout server 1m
	timeout tunnel 1h
${body}
`;
	return front(t, 'haproxy', config, (file) => ['-db', '-f', file], port);
}

// A player through the front: a world, a chat and a chunk of half a megabyte.
async function plays(t, server, port, name) {
	const client = await player(t, { port }, { name, forge: false, door: 'ws' });
	client.chat('hello');
	await client.sawChat(`<${name}> hello`);
	server.last.write(wire.S.chunk(3, 3, Buffer.alloc(500000, 7)));
	server.last.chat('behind the chunk');
	await client.sawChat('behind the chunk');
	return client;
}

async function playsWs(t, server, port, name) {
	const peer = await RawWs.open({ port });
	atEnd(t, () => peer.destroy());
	peer.binary(login(name));
	const frames = () => new wire.Splitter().push(peer.stream());
	await until(() => frames().some((f) => f.id === 0x08), 5000, 'a position');
	server.last.write(wire.S.chunk(3, 3, Buffer.alloc(500000, 7)));
	await until(() => frames().some((f) => f.id === 0x21 && f.raw.length > 500000), 5000, 'the chunk');
	return peer;
}

test('nginx proxies WebSockets; players have their own addresses', async (t) => {
	const server = await backend(t, { forge: false });
	const moon = await proxy(t, {
		backends: [server],
		listen: [{
			address: '127.0.0.1:{port}', accept: ['webSocket'],
			webSocket: { path: '/mc', clientAddress: 'X-Forwarded-For', trusted: ['127.0.0.1'] },
		}],
	});
	const port = await freePort();
	await nginx(t, port, {
		http: `server { listen 127.0.0.1:${port};
			location / {
				proxy_pass http://127.0.0.1:${moon.port};
				proxy_http_version 1.1;
				proxy_set_header Upgrade $http_upgrade;
				proxy_set_header Connection "upgrade";
				proxy_set_header Host $host;
				proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
				proxy_buffering off;
			} }`,
	});
	await playsWs(t, server, port, 'Nginx');
	assert.match((await moon.log({ msg: 'player joined', name: 'Nginx' })).addr, /^127\.0\.0\.1/);

	// From another address, with a forged list of its own: nginx appends the truth.
	const far = await RawWs.open({ port, localAddress: '127.0.0.5', extra: 'X-Forwarded-For: 6.6.6.6\r\n' });
	atEnd(t, () => far.destroy());
	far.binary(login('Far'));
	assert.match((await moon.log({ msg: 'player joined', name: 'Far' })).addr, /^127\.0\.0\.5/);

	// What we answer to a page reaches the browser through nginx.
	const page = await RawWs.connect({ port });
	atEnd(t, () => page.destroy());
	page.write('GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
	assert.equal((await page.answered()).status, 404);
});

each([['v1', 'send-proxy'], ['v2', 'send-proxy-v2']], ([version, word]) =>
	test(`haproxy in TCP mode with PROXY ${version}: Minecraft, status, legacy ping, WebSocket`, async (t) => {
		const server = await backend(t, { forge: false });
		const moon = await proxy(t, {
			backends: [server],
			listen: [{ address: '127.0.0.1:{port}', proxyProtocol: 'required', trusted: ['127.0.0.1'] }],
			limits: { perAddress: 3 },
		});
		const port = await freePort();
		await haproxy(t, port, `frontend in
	mode tcp
	bind 127.0.0.1:${port}
	default_backend out
backend out
	mode tcp
	server moon 127.0.0.1:${moon.port} ${word}`);
		for (let i = 0; i < 5; i++) {
			const peer = await dialPeer(t, port, { localAddress: `127.0.5.${i + 1}` });
			await peer.write(login(`Ha${i}`)).joined();
			const line = await moon.log({ msg: 'player joined', name: `Ha${i}` });
			assert.equal(line.addr, `127.0.5.${i + 1}:${peer.stream.localPort}`);
		}
		await playsWs(t, server, port, 'HaWs');
		assert.ok((await (await dialPeer(t, port)).write(statusRequest()).status()).players);
		const ping = (await dialPeer(t, port)).write([0xfe, 0x01]);
		await ping.end();
		assert.equal(ping.bytes[0], 0xff);
		assert.equal((await counters(moon)).refused_address, 0);
	}));

test('haproxy in HTTP mode with a PROXY header and a forwarded one', async (t) => {
	const server = await backend(t, { forge: false });
	const moon = await proxy(t, {
		backends: [server],
		listen: [{
			address: '127.0.0.1:{port}', proxyProtocol: 'optional', trusted: ['127.0.0.1'],
			webSocket: { clientAddress: 'X-Forwarded-For', trusted: ['127.0.0.1'] },
		}],
	});
	const port = await freePort();
	await haproxy(t, port, `frontend in
	mode http
	option forwardfor
	bind 127.0.0.1:${port}
	default_backend out
backend out
	mode http
	server moon 127.0.0.1:${moon.port}`);
	const ws = await RawWs.open({ port, localAddress: '127.0.0.6' });
	atEnd(t, () => ws.destroy());
	ws.binary(login('HaHttp'));
	assert.match((await moon.log({ msg: 'player joined', name: 'HaHttp' })).addr, /^127\.0\.0\.6/);
	await playsWs(t, server, port, 'HaHttp2');
});

test('haproxy checks our health with the PROXY protocol (LOCAL) and is not refused', async (t) => {
	const moon = await proxy(t, {
		listen: [{ address: '127.0.0.1:{port}', proxyProtocol: 'required', trusted: ['127.0.0.1'] }],
	});
	const port = await freePort();
	await haproxy(t, port, `frontend in
	mode tcp
	bind 127.0.0.1:${port}
	default_backend out
backend out
	mode tcp
	server moon 127.0.0.1:${moon.port} send-proxy-v2 check check-send-proxy inter 100ms fall 1`);
	await until(async () => (await counters(moon)).accepted >= 5, 5000, 'five checks');
	assert.equal((await counters(moon)).refused_proxy_header, 0);
	await (await dialPeer(t, port)).write(login('Healthy')).joined();
});

test('a strict client plays through nginx over WebSocket', async (t) => {
	const server = await backend(t, { forge: false });
	const moon = await proxy(t, { backends: [server] });
	const port = await freePort();
	await nginx(t, port, {
		http: `server { listen 127.0.0.1:${port};
			location / { proxy_pass http://127.0.0.1:${moon.port}; proxy_http_version 1.1;
				proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade"; } }`,
	});
	const client = await plays(t, server, port, 'Strict');
	assert.equal(client.model.world.chunks, 2, 'the first one and the large one');
});
