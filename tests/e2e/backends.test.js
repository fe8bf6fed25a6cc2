'use strict';
// Which server a player comes to, what is said when none takes them, how a link to a server ends, and
// the way out of HOLD.

const assert = require('node:assert/strict');
const { describe } = require('node:test');
const { spawn } = require('node:child_process');
const {
	test, proxy, backend, player, each, atEnd, until, sleep, wire, dial, later, ForgeClient, STEPS,
} = require('./helpers');

const { S, frame, sizedFrame, str, varint, u8, i32, MAX_FRAME } = wire;

const DOORS = ['tcp', 'ws'];
const FULL = Boolean(process.env.MOONBRIDGE_FULL);

// A row of the config for a port that nobody listens on.
const nowhere = (name) => ({ name, address: '127.0.0.1:1' });

// A server that answers a Login Start with these bytes, and with nothing else.
async function answering(t, bytes, how = 'silence') {
	const server = await backend(t, { forge: false, dieAfter: 'login-start', dieHow: how });
	server.on('conn', (conn) => conn.on('step', (step) => {
		if (step === 'login-start')
			conn.write(bytes);
	}));
	return server;
}

// A player who comes in only as far as Login Success, and what they read in the end.
async function reads(t, moon, opts = {}) {
	const who = await player(t, moon, { name: 'Alice', forge: false, wait: false, ...opts });
	await who.connect();
	await who.ended(20000);
	assert.ok(who.kick !== null, `a reason: ${who.why()}`);
	return who;
}

// 127.0.0.1 with a listener that takes no connection any more: further SYNs are dropped.
async function blackHole(t) {
	const script = 'import socket, sys\n' +
		's = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0)\n' +
		'full = []\n' +
		'for i in range(4):\n' +
		'    c = socket.socket(); c.setblocking(False); c.connect_ex(s.getsockname()); full.append(c)\n' +
		'print(s.getsockname()[1], flush=True)\n' +
		'sys.stdin.read()\n';
	const child = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
	atEnd(t, () => child.stdin.end());
	let port = '';
	child.stdout.on('data', (text) => { port += text; });
	await until(() => port.endsWith('\n'), 10000, 'the black hole');
	return { name: 'hole', address: `127.0.0.1:${Number(port)}` };
}

describe('backends', { concurrency: 12 }, () => {
	// ---- placement

	test('the first server of the route that answers takes the player', async (t) => {
		const [b, c] = [await backend(t, { name: 'b' }), await backend(t, { name: 'c' })];
		const moon = await proxy(t, { backends: [nowhere('a'), c, b], servers: ['a', 'b', 'c'] });
		await player(t, moon, { name: 'Alice' });
		assert.deepEqual([b.conns.length, c.conns.length], [1, 0]);
		const line = await moon.log({ msg: 'server did not take the player' });
		assert.deepEqual([line.why, line.backend, line.name], ['backend_unreachable', 'a', 'Alice']);
		assert.match(line.reason, /refused/i);
	});

	test('a server that was spoken to is not replaced by the next one', async (t) => {
		const a = await backend(t, { name: 'a', dieAfter: 'login-start' });
		const b = await backend(t, { name: 'b' });
		const moon = await proxy(t, { backends: [a, b] });
		const alice = await reads(t, moon);
		assert.equal(alice.kick, 'The server a closed the connection. Please join again.');
		assert.deepEqual([a.conns.length, b.conns.length], [1, 0]);
	});

	each([['disconnect', 1], ['disconnect', 2]], ([whenNoServer, n]) =>
		test(`whenNoServer ${whenNoServer} with ${n} servers down: a clear message`, async (t) => {
			const rows = ['a', 'b'].slice(0, n).map(nowhere);
			const servers = rows.map((row) => row.name);
			const moon = await proxy(t, { backends: rows, initialRouting: { servers, whenNoServer } });
			const alice = await reads(t, moon);
			assert.match(alice.kick, n === 1 ? /^a cannot be reached right now/ : /^No server can take you/);
		}));

	test('forced hosts: exact, wildcard, and without what clients hang on them', async (t) => {
		const servers = {};
		for (const name of ['first', 'sky', 'wild', 'deep'])
			servers[name] = await backend(t, { name, forge: false });
		const moon = await proxy(t, {
			backends: Object.values(servers),
			initialRouting: {
				servers: ['first'],
				forcedHosts: {
					'sky.example.org': 'sky', '*.example.org': 'wild', '*.deep.example.org': ['deep'],
				},
			},
		});
		const hosts = [
			['localhost', 'first', 'localhost'], ['example.org', 'first', 'example.org'],
			['sky.example.org', 'sky', 'sky.example.org'], ['SKY.Example.ORG.', 'sky', 'sky.example.org'],
			['sky.example.org\0FML\0', 'sky', 'sky.example.org'],
			['sky.example.org\0' + '203.0.113.9\0' + '0'.repeat(32), 'sky', 'sky.example.org'],
			['sky.example.org///203.0.113.9:4711///1700000000', 'sky', 'sky.example.org'],
			['_minecraft._tcp.sky.example.org', 'sky', 'sky.example.org'],
			['_dc-srv.0123456789ab._minecraft._tcp.sky.example.org.', 'sky', 'sky.example.org'],
			['xsky.example.org', 'wild', 'xsky.example.org'], ['a.b.example.org', 'wild', 'a.b.example.org'],
			['a.deep.example.org', 'deep', 'a.deep.example.org'],
			['notexample.org', 'first', 'notexample.org'], ['', 'first', ''],
		];
		await Promise.all(hosts.map(async ([serverHost, want, clean], i) => {
			await player(t, moon, { name: `P${i}`, forge: false, serverHost, serverPort: 1234 });
			const conn = await servers[want].player(`P${i}`);
			assert.equal(conn.handshake.host, clean);
			assert.equal(conn.handshake.port, 1234);
		}));
	});

	test('a server behind a unix socket', async (t) => {
		const server = await backend(t, { path: later(t) });
		const moon = await proxy(t, { backends: [server] });
		const alice = await player(t, moon, { name: 'Alice' });
		alice.chat('hello');
		await alice.sawChat('<Alice> hello');
	});

	test('case 30: a server by name, and a name that does not exist marks only its own', async (t) => {
		const good = await backend(t, { name: 'good' });
		// Names in onion do not exist in DNS and are not asked for (RFC 7686).
		const moon = await proxy(t, {
			backends: [{ name: 'bad', address: 'no-such-server.onion:25565' },
				{ name: 'good', address: `localhost:${good.port}` }],
			initialRouting: { servers: ['bad', 'good'], forcedHosts: { 'bad.example.org': 'bad' }, whenNoServer: 'disconnect' },
		});
		const started = Date.now();
		await player(t, moon, { name: 'Alice' });
		assert.ok(Date.now() - started < 3000, 'nobody waits for it');
		const line = await moon.log({ msg: 'server did not take the player', backend: 'bad' });
		assert.match(line.reason, /not (exist|found)|no such/i);
		const bob = await reads(t, moon, { name: 'Bob', serverHost: 'bad.example.org' });
		assert.match(bob.kick, /^bad cannot be reached right now/);
	});

	// ---- what a server answers to the login

	test('a refusal reaches the player as the server wrote it', async (t) => {
		const json = '{"translate":"multiplayer.disconnect.server_full","color":"red","with":[{"text":"Zwölf"}]}';
		const server = await answering(t, frame(0x00, str(json)), 'fin');
		const next = await backend(t, { name: 'b' });
		const moon = await proxy(t, { backends: [server, next] });
		const alice = await reads(t, moon, { keepFrames: true });
		const last = alice.trace[alice.trace.length - 1];
		assert.equal(last.id, 0x40);
		assert.ok(last.raw.includes(Buffer.from(json)));
		assert.ok(last.at - alice.playSince >= 950, 'not in the client\'s first second');
		assert.equal(next.conns.length, 0);
		const line = await moon.log({ msg: 'session ended' });
		assert.equal(line.why, 'backend_refused');
	});

	test('a server in online mode: a text that says what to do', async (t) => {
		const moon = await proxy(t, {
			backends: [await answering(t, S.encryptionRequest(Buffer.alloc(162), Buffer.alloc(4)))],
		});
		const alice = await reads(t, moon);
		assert.match(alice.kick, /^a asks for a Mojang login itself\. Its online-mode must be off/);
		assert.equal((await moon.log({ msg: 'session ended' })).why, 'backend_online_mode');
	});

	each([
		['an unknown packet', frame(0x30, Buffer.alloc(9)), /^a sent something that is no Minecraft packet/],
		['garbage', Buffer.alloc(30, 0xff), /^a sent something that is no Minecraft packet/],
		['a refusal without a text', frame(0x00), /^a sent something that is no Minecraft packet/],
		['a frame over 128 KiB', Buffer.concat([varint(200000), varint(0), Buffer.alloc(1000)]), /^a sent a packet larger/],
		['nothing at all', Buffer.alloc(0), /^a did not finish your login/],
	], ([what, bytes, text]) => test(`a server that answers a login with ${what}`, async (t) => {
		const moon = await proxy(t, {
			backends: [await answering(t, bytes)], timeouts: { backendLogin: '2s' },
		});
		assert.match((await reads(t, moon)).kick, text);
	}));

	test('a server that never sends Join Game', async (t) => {
		const server = await backend(t, { dieAfter: 'success', dieHow: 'silence', forge: false });
		const moon = await proxy(t, { backends: [server], timeouts: { firstPlay: '2s' } });
		assert.equal((await reads(t, moon)).kick, 'a did not let you in within 2s. Please join again.');
	});

	test('case 4: a server that needs long before Join Game: the client is kept alive', async (t) => {
		const seconds = FULL ? 45 : 9;
		const server = await backend(t, { delays: { join: seconds * 1000 }, keepAliveMs: 0 });
		const moon = await proxy(t, { backends: [server], timeouts: FULL ? {} : { keepAlive: '1s' } });
		const alice = await player(t, moon, { name: 'Alice', wait: false, readTimeoutMs: FULL ? 20000 : 6000 });
		await alice.connect();
		await alice.positioned(seconds * 1000 + 10000);
		assert.ok(alice.keepAlives.length >= 4);
		assert.deepEqual(server.last.unasked.filter((id) => id !== 0), [], 'their answers stay here');
		alice.opts.readTimeoutMs = 20000;
		const n = alice.keepAlives.length;
		await sleep(2500);
		assert.equal(alice.keepAlives.length, n, 'none of ours in PLAY');
	});

	test('a version that is not managed reads which ones are', async (t) => {
		const moon = await proxy(t);
		const alice = await player(t, moon, { name: 'Alice', protocol: 47, forge: false, wait: false });
		await assert.rejects(alice.connect(), /This network speaks Minecraft 1\.7\.2/);
		assert.equal((await moon.log({ msg: 'session ended' })).why, 'version_unknown');
	});

	test('a vanilla client on a Forge server reads a text after 10 s', async (t) => {
		const moon = await proxy(t, { backends: [await backend(t)] });
		const alice = await reads(t, moon);
		assert.match(alice.kick, /^a runs Forge mods/);
		const last = alice.trace[alice.trace.length - 1];
		assert.ok(last.at - alice.playSince >= 9500);
	});

	// ---- how a link ends

	test('a kick in PLAY passes and is logged', async (t) => {
		const server = await backend(t);
		const moon = await proxy(t, { backends: [server] });
		const alice = await player(t, moon, { name: 'Alice' });
		await afterFirstSecond(alice);
		(await server.player('Alice')).kick('enough of §cyou');
		assert.equal(await alice.ended(), 'enough of §cyou');
		assert.match((await moon.log({ msg: 'server kicks the player' })).reason, /enough of/);
		assert.equal((await moon.log({ msg: 'session ended' })).why, 'backend_kicked');
	});

	test('case 31: a kick that is followed by an RST is still read', async (t) => {
		const server = await backend(t);
		const moon = await proxy(t, { backends: [server] });
		const alice = await player(t, moon, { name: 'Alice' });
		await afterFirstSecond(alice);
		const conn = await server.player('Alice');
		conn.write(S.kick('and out'));
		conn.die('rst');
		assert.equal(await alice.ended(), 'and out');
	});

	each([['fin', 'The server a closed the connection. Please join again.', 'backend_gone'],
		['rst', 'The connection to a was lost. Please join again.', 'backend_lost']], ([how, text, why]) =>
		each(DOORS, (door) => test(`cases 31 and 42: ${how} in the middle of a frame over ${door}`, async (t) => {
			const server = await backend(t, { forge: false });
			const moon = await proxy(t, { backends: [server] });
			const alice = await player(t, moon, { name: 'Alice', door, forge: false });
			await afterFirstSecond(alice);
			const conn = await server.player('Alice');
			conn.chat('before');
			conn.write(sizedFrame(0x7e, 500000).subarray(0, 300000));
			await alice.sawChat('before');
			conn.die(how);
			assert.equal(await alice.ended(), text);
			assert.equal(alice.splitter.pending, 0, 'no half frame');
			assert.ok(!alice.trace.some((f) => f.id === 0x7e));
			assert.equal((await moon.log({ msg: 'session ended' })).why, why);
		})));

	test('case 31: a server that falls silent takes no data', async (t) => {
		const server = await backend(t, { forge: false, record: false });
		const moon = await proxy(t, { backends: [server], timeouts: { stalled: '6s', idle: '4s' } });
		const alice = await player(t, moon, { name: 'Alice', forge: false, moveMs: 100 });
		await afterFirstSecond(alice);
		(await server.player('Alice')).die('silence');
		alice.opts.moveMs = 0; // what it says from here on waits, and is no silence of its own
		for (let i = 0; i < 8; i++)
			alice.write(sizedFrame(0x7e, MAX_FRAME));
		assert.equal(await alice.ended(20000), 'a took no data for 6s. Please join again.');
		assert.equal((await moon.log({ msg: 'session ended' })).why, 'backend_stalled');
	});

	each([['fin', true], ['fin', false], ['rst', false]], ([dieHow, waits]) =>
		test(`case 5: ${dieHow} of a server after each step, ${waits ? 'out of HOLD' : 'first join'}: a text`, (t) =>
			Promise.all(DEATHS.map(async (dieAfter) => {
				const at = later(t);
				const opts = { name: 'a', path: at, dieAfter, dieHow, judge: false };
				const server = waits ? { name: 'a', address: `unix:${at}` } : await backend(t, { ...opts, path: null });
				const moon = await proxy(t, { backends: [server] });
				const alice = await player(t, moon, { name: 'Alice', wait: false });
				await alice.connect();
				if (waits) {
					await alice.positioned();
					await backend(t, opts);
				}
				await endsWithText(alice, dieAfter, waits);
			}))));

	each([true, false], (waits) =>
		test(`case 5: a kick after each step, ${waits ? 'out of HOLD' : 'first join'}: its text`, (t) =>
			Promise.all(KICKS.map(async (kickAfter) => {
				const at = later(t);
				const opts = { name: 'a', path: at, kickAfter, kickText: `at ${kickAfter}`, judge: false };
				const server = waits ? { name: 'a', address: `unix:${at}` } : await backend(t, { ...opts, path: null });
				const moon = await proxy(t, { backends: [server] });
				const alice = await player(t, moon, { name: 'Alice', wait: false });
				await alice.connect();
				if (waits) {
					await alice.positioned();
					await backend(t, opts);
				}
				await until(() => alice.closed || alice.chats.some((text) => text.includes(`at ${kickAfter}`)),
					15000, `the end at ${kickAfter}`);
				if (alice.closed)
					assert.equal(alice.kick, `at ${kickAfter}`);
			}))));

	each([['leaves', 'player_left'], ['is cut off', 'player_lost']], ([how, why]) =>
		test(`a player who ${how} is gone from the server at once`, async (t) => {
			const server = await backend(t, { forge: false });
			const moon = await proxy(t, { backends: [server] });
			const alice = await player(t, moon, { name: 'Alice', forge: false });
			const conn = await server.player('Alice');
			if (how === 'leaves')
				await alice.close();
			else
				alice.abort();
			await conn.ended(2000);
			assert.equal((await moon.log({ msg: 'session ended' })).why, why);
			assert.equal(server.conns.length, 1);
		}));

	test('case 31: a player who leaves while the login is under way is not logged in elsewhere', async (t) => {
		const a = await backend(t, { delays: { success: 60000 } });
		const b = await backend(t, { name: 'b' });
		const moon = await proxy(t, { backends: [a, b] });
		const alice = await player(t, moon, { name: 'Alice', wait: false });
		await alice.connect();
		await until(() => a.last?.steps.includes('login-start'), 5000, 'the login');
		alice.abort();
		await a.last.ended(2000);
		await moon.log({ msg: 'session ended' });
		assert.equal(b.conns.length, 0);
	});

	// ---- one name, twice

	each([
		['refuse', '127.0.0.1', 'the first', /^Somebody with the name/],
		['kickOld', '127.0.0.2', 'the second', /^You logged in from another place/],
		['sameAddress', '127.0.0.1', 'the second', /^You logged in from another place/],
		['sameAddress', '127.0.0.2', 'the first', /^Somebody with the name/],
	], ([duplicateNames, localAddress, winner, text]) =>
		test(`case 19: ${duplicateNames}, from ${localAddress}: ${winner} stays`, async (t) => {
			const server = await backend(t, { forge: false });
			const moon = await proxy(t, { backends: [server], duplicateNames });
			const first = await player(t, moon, { name: 'Alice', forge: false });
			await afterFirstSecond(first);
			const second = await from(t, moon, localAddress, 'ALICE');
			const [stays, goes] = winner === 'the first' ? [first, second] : [second, first];
			if (winner === 'the second')
				await second.connect().then(() => second.positioned());
			else
				await assert.rejects(second.connect());
			await goes.ended();
			assert.match(goes.kick, text);
			stays.chat('still here');
			await stays.sawChat('still here');
			assert.equal(server.players.size, 1);
		}));

	each(['refuse', 'kickOld', 'sameAddress'], (duplicateNames) =>
		test(`case 19: twelve logins of one name at once, ${duplicateNames}: exactly one survives`, async (t) => {
			// It may see the next one before the end of the last: nobody waits for that end yet.
			const server = await backend(t, { forge: false, judge: false });
			const moon = await proxy(t, { backends: [server], duplicateNames });
			const all = await Promise.all(Array.from({ length: 12 }, (_, i) => from(t, moon, '127.0.0.1', 'Alice', DOORS[i % 2])));
			await Promise.all(all.map((who) => who.connect().catch(() => {})));
			await until(() => all.filter((who) => !who.closed).length === 1, 10000, 'all but one to end');
			const [winner] = all.filter((who) => !who.closed);
			await winner.positioned();
			winner.chat('alone');
			await winner.sawChat('alone');
			for (const who of all.filter((one) => one !== winner))
				assert.match(who.kick ?? who.why(), /^(Somebody with the name|You logged in from)/);
			await until(() => server.conns.filter((c) => !c.closed).length === 1, 5000, 'one link to the server');
		}));

	// ---- out of HOLD

	each([
		['a vanilla client', { forge: false }, { forge: false }],
		['a vanilla client over WebSocket', { forge: false, door: 'ws' }, { forge: false }],
		['a vanilla client of protocol 4', { forge: false, protocol: 4 }, { forge: false }],
		['a vanilla client, nether', { forge: false }, { forge: false, dimension: -1 }],
		['a Forge client on a vanilla server', {}, { forge: false }],
		['a Forge client', {}, { ids: 2000 }],
		['a Forge client over WebSocket', { door: 'ws' }, { ids: 20000 }],
		['a Forge client that sends few Acks', { acks: 'few' }, {}],
		['a Forge client, nether', {}, { dimension: -1 }],
		['a Forge client, dimension 7', {}, { dimension: 7 }],
		['a Forge client, dimension 255', {}, { dimension: 255 }],
		['a Forge client, dimension -106', {}, { dimension: -106 }],
		['a Forge client, ServerHello without dimension', {}, { dimension: 1, helloVersion: 1 }],
		['a Forge client, reset first', { resetInWorld: true }, { ids: 2000 }, 'resetFirst'],
		['a Forge client, reset first, dimension 7', { resetInWorld: true }, { dimension: 7 }, 'resetFirst'],
	], ([what, clientOpts, serverOpts, order]) => test(`out of HOLD: ${what}`, async (t) => {
		const { server, alice } = await outOfHold(t, clientOpts, serverOpts, order);
		const conn = await server.player('Alice');
		await conn.playing();
		assert.equal(alice.joins, 2);
		assert.equal(alice.model.world.dimension, serverOpts.dimension ?? 0);
		assert.equal(alice.model.loads.map(({ kind, loaded }) => kind + (loaded ? '!' : '')).join(' '),
			wantedLoads(alice, order));
		if (alice.opts.forge && serverOpts.forge !== false)
			checkForgeOrder(alice, order);
		alice.chat('I am here');
		await alice.sawChat('<Alice> I am here');
		assert.equal(conn.brand, alice.opts.forge ? 'fml,forge' : 'vanilla');
		assert.deepEqual(conn.unasked.filter((id) => id !== 0), []);
		if (alice.opts.forge && serverOpts.forge === false)
			assert.deepEqual(conn.registered, alice.opts.channels, 'the channels are told again');
	}));

	each([['vanilla', { forge: false }], ['Forge', {}]], ([what, opts]) =>
		test(`out of HOLD: what a ${what} client says on its way arrives in the new world`, async (t) => {
			const at = later(t);
			const moon = await proxy(t, { backends: [{ name: 'a', address: `unix:${at}` }] });
			const alice = await player(t, moon, { name: 'Alice', moveMs: 20, ...opts });
			const talk = setInterval(() => alice.chat(`word ${Date.now()}`), 10);
			atEnd(t, () => clearInterval(talk));
			const started = new Promise((resolve) => {
				alice.once(opts.forge === false ? 'joined' : 'plugin', resolve);
			});
			const server = await backend(t, { path: at, ...opts, delays: { modids: 300 } });
			await started;
			alice.chat('on my way');
			if (alice.opts.forge)
				alice.send('examplemod', Buffer.from('mod on its way'));
			await alice.joined(2, 15000);
			const conn = await server.player('Alice');
			await conn.until(() => conn.chats.includes('on my way'), 5000, 'the chat');
			if (alice.opts.forge)
				await conn.until(() => conn.plugins.some((m) => m.data.includes('mod on its way')), 5000, 'the message');
			const last = `word ${Date.now()} is the last`;
			clearInterval(talk);
			alice.chat(last);
			await conn.until(() => conn.chats.includes(last), 5000, 'all that was said');
			const words = conn.chats.filter((text) => text.startsWith('word')).map((text) => Number(text.split(' ')[1]));
			assert.deepEqual(words, [...words].sort((a, b) => a - b), 'in the order in which it was said');
		}));

	test('out of HOLD: a server that takes its time has its keep-alives answered', async (t) => {
		const at = later(t);
		const moon = await proxy(t, { backends: [{ name: 'a', address: `unix:${at}` }] });
		const alice = await player(t, moon, { name: 'Alice' });
		const server = await backend(t, { path: at, keepAliveMs: 200, delays: { register: 1500 } });
		await until(() => server.last?.rttMs.length >= 3, 10000, 'three answers');
		assert.ok(!server.last.steps.includes('register') && alice.joins === 1, 'still on its way');
		await alice.joined(2, 10000);
		await server.player('Alice');
	});

	test('a player who waits is told why, and once', async (t) => {
		const moon = await proxy(t, { backends: [nowhere('a')] });
		const alice = await player(t, moon, { name: 'Alice', forge: false });
		await alice.sawChat('No server is free right now');
		await until(() => moon.logs({ msg: 'server did not take the player' }).length >= 3, 10000, 'retries');
		assert.equal(alice.chats.length, 1);
		await alice.close();
		assert.equal((await moon.log({ msg: 'session ended' })).why, 'player_left');
	});

	test('a vanilla client that waits for a Forge server is told, and stays', async (t) => {
		const at = later(t);
		const moon = await proxy(t, { backends: [{ name: 'a', address: `unix:${at}` }] });
		const alice = await player(t, moon, { name: 'Alice', forge: false });
		const server = await backend(t, { path: at });
		await alice.sawChat('a runs Forge mods');
		await until(() => server.conns.length >= 3, 15000, 'two more tries');
		assert.equal(alice.chats.filter((text) => text.includes('Forge')).length, 1);
		assert.equal(alice.joins, 1);
		assert.ok(!alice.closed);
	});

	test('case 8: a Forge client of 1.7.2 that waits for a Forge server is told to join again', async (t) => {
		const at = later(t);
		const moon = await proxy(t, { backends: [{ name: 'a', address: `unix:${at}` }] });
		const alice = await player(t, moon, { name: 'Alice', protocol: 4, build: 1100 });
		const server = await backend(t, { path: at });
		await alice.sawChat('Please join again');
		await until(() => server.conns.length >= 2, 10000, 'another try');
		assert.ok(!alice.closed && alice.joins === 1);
		const again = await player(t, moon, { name: 'Bob', protocol: 4, build: 1100 });
		assert.equal(again.joins, 1);
		await server.player('Bob');
	});

	test('a player who waits survives a refusal and joins when the server lets them', async (t) => {
		const at = later(t);
		const moon = await proxy(t, { backends: [{ name: 'a', address: `unix:${at}` }] });
		const alice = await player(t, moon, { name: 'Alice', forge: false });
		const server = await backend(t, { path: at, forge: false, refuse: 'starting up' });
		await alice.sawChat('starting up');
		server.opts.refuse = null;
		await alice.joined(2, 15000);
		await server.player('Alice');
	});

	// ---- the lobby

	each(DOORS, (door) => test(`the lobby: a strict client stands, chats and is kept alive over ${door}`, async (t) => {
		const moon = await proxy(t, { timeouts: { keepAlive: '1s', idle: '3s' } });
		const alice = await player(t, moon, { name: 'Alice', forge: door === 'ws', door, readTimeoutMs: 3000 });
		await alice.sawChat('Welcome to MoonBridge');
		alice.chat('anybody?');
		await alice.sawChat('Nobody can hear you here.');
		await alice.until(() => alice.keepAlives.length >= 5, 10000, 'keep-alives');
		assert.equal(new Set(alice.keepAlives).size, alice.keepAlives.length, 'each of its own');
	}));

	// Each answer is longer than what it answers: they would fill the memory of whoever sends them.
	test('the lobby: ten thousand words are not answered ten thousand times', async (t) => {
		const moon = await proxy(t);
		const alice = await player(t, moon, { name: 'Alice', forge: false });
		const started = Date.now();
		for (let i = 0; i < 10000; i++)
			alice.chat('x');
		const seen = alice.keepAlives.length;
		await alice.until(() => alice.keepAlives.length >= seen + 2, 15000, 'keep-alives behind all answers');
		const answers = alice.chats.filter((text) => text.includes('Nobody can hear you')).length;
		assert.ok(answers >= 1 && answers <= 1 + (Date.now() - started) / 1000, `${answers} answers`);
	});

	test('the lobby: a client that answers nothing is gone after the idle limit', async (t) => {
		const moon = await proxy(t, { timeouts: { keepAlive: '1s', idle: '3s' } });
		const alice = await player(t, moon, { name: 'Alice', forge: false, answerKeepAlive: false });
		assert.match(await alice.ended(), /^Nothing was heard from you for 3s/);
	});
});

// Every step after which a server may die or kick (before its Join Game) on its way to a player.
const DEATHS = STEPS.slice(STEPS.indexOf('login-start'), STEPS.indexOf('position') + 1);
const KICKS = STEPS.slice(STEPS.indexOf('login-start'), STEPS.indexOf('join'));

// A death before the server is ready costs a waiting player nothing; after that, and at a first join,
// the player reads who it was.
async function endsWithText(alice, step, waits) {
	await until(() => alice.closed || (waits && alice.chats.some((text) => text.includes('closed the connection') ||
		text.includes('was lost'))), 15000, `the end at ${step}`);
	if (alice.closed)
		assert.match(alice.kick ?? alice.why(), /^(The server a closed the connection|The connection to a was lost)/, step);
}

// Alone: a busy test process would be late itself.
describe('backends, by the clock', () => {
	test('case 29: the first server is a black hole: the join takes under 5.5 s', async (t) => {
		const server = await backend(t);
		const moon = await proxy(t, { backends: [await blackHole(t), server] });
		const started = Date.now();
		const alice = await player(t, moon, { name: 'Alice' });
		const took = Date.now() - started;
		t.diagnostic(`${took} ms`);
		assert.ok(took > 4500 && took < 5500, `${took} ms`);
		assert.ok(alice.keepAlives.length >= 1, 'kept alive meanwhile');
		const line = await moon.log({ msg: 'server did not take the player' });
		assert.equal(line.backend, 'hole');
	});
});

// The client's first second after Login Success, in which a kick would meet its login handler, is over.
const afterFirstSecond = (who) => until(() => Date.now() - who.playSince > 1000, 3000, 'the first second');

// A strict vanilla client from an address of its own, not connected yet.
async function from(t, moon, localAddress, name, door = 'tcp') {
	if (door === 'ws')
		return player(t, moon, { name, door, forge: false, wait: false });
	const stream = await dial({ host: '127.0.0.1', port: moon.port, localAddress });
	const who = new ForgeClient({ name, stream, forge: false });
	atEnd(t, () => {
		who.abort();
		who.check();
	});
	return who;
}

// A player in HOLD, moving about; the server comes up; the player is in its world.
async function outOfHold(t, clientOpts, serverOpts, order = 'leaveFirst') {
	const at = later(t);
	const moon = await proxy(t, { backends: [{ name: 'a', address: `unix:${at}` }], forge: { order } });
	const alice = await player(t, moon, { name: 'Alice', moveMs: 50, ...clientOpts });
	await alice.sawChat('No server is free right now');
	assert.equal(alice.joins, 1);
	const announce = S.plugin('FORGE', Buffer.concat([u8(1), i32(serverOpts.dimension ?? 0)]));
	const server = await backend(t, {
		path: at, ...serverOpts, beforeJoin: serverOpts.forge === false ? [] : [announce],
	});
	await alice.joined(2, 15000);
	await alice.positioned();
	return { server, moon, alice };
}

// HOLD's Join Game, then as few as the order needs; ! is a new world. A Forge client's Join Game is
// passed as it is and brings the world already.
function wantedLoads(alice, order) {
	if (!alice.opts.forge)
		return 'join! join! respawn!';
	return order === 'resetFirst' ? 'join! join! respawn! respawn!' : 'join! respawn! join! respawn';
}

// Out of the old world, the barrier's answer, one reset, then the handshake of the new server.
function checkForgeOrder(alice, order) {
	const names = alice.trace.map(({ id, channel }) => ({ 1: 'join', 7: 'respawn', 0x32: 'barrier' }[id] ?? channel));
	const steps = names.filter((name) => ['join', 'respawn', 'barrier', 'FML|HS'].includes(name))
		.filter((name, i, all) => name !== all[i - 1]).join(' ');
	assert.equal(steps, order === 'resetFirst'
		? 'join FML|HS join respawn' : 'join respawn barrier FML|HS join respawn');
	assert.equal(alice.fml.resets, 1);
	assert.equal(alice.fml.state, 'DONE');
	assert.equal(alice.fml.ignored, 0);
}
