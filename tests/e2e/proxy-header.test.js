'use strict';
// Whose address a player has: PROXY headers and forwarded headers, from whom they count, and how they are
// cut.

const assert = require('node:assert/strict');
const { test, proxy, each, until, RawWs, wire, wsFrame, atEnd } = require('./helpers');
const { dialPeer, wsPeer, login, statusRequest, proxyV1, proxyV2, V2_SIGNATURE, counted, counters } = require('./front');

const TRUSTED = '127.0.0.1';
const STRANGER = '127.0.0.9';
const at = (mode, more = {}) => ({
	limits: { exempt: ['0.0.0.0/0', '::/0'] },
	listen: [{ address: '127.0.0.1:{port}', proxyProtocol: mode, trusted: [TRUSTED], ...more }],
});

// The address that the log gives the player of that name.
async function addressOf(moon, name) {
	return (await moon.log({ msg: 'player joined the lobby', name })).addr;
}

const TLV = Buffer.concat([Buffer.from([0x04, 0x00, 0x05]), Buffer.alloc(5), Buffer.from([0xe0, 0x01, 0x00]), Buffer.alloc(256)]);

const HEADERS = [
	['v1 TCP4', proxyV1(), '203.0.113.7:4711'],
	['v1 TCP6', proxyV1('2001:db8::7'), '[2001:db8::7]:4711'],
	['v1 UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n'), null],
	['v1 UNKNOWN with words', Buffer.from('PROXY UNKNOWN ffff::1 ::1 1 2\r\n'), null],
	['v2 TCP4', proxyV2(), '203.0.113.7:4711'],
	['v2 TCP6', proxyV2('2001:db8::7'), '[2001:db8::7]:4711'],
	['v2 with TLVs', proxyV2('203.0.113.8', 1, { tlv: TLV }), '203.0.113.8:1'],
	['v2 LOCAL', proxyV2('203.0.113.7', 1, { command: 0, family: 0 }), null],
	['v2 LOCAL with TLVs', proxyV2('203.0.113.7', 1, { command: 0, family: 0, tlv: TLV }), null],
	['v2 of a family that is no IP', proxyV2('203.0.113.7', 1, { family: 0x00 }), null],
];

test('case 34: v1 and v2, TCP4, TCP6, UNKNOWN, LOCAL, with TLVs, from a trusted peer', async (t) => {
	const moon = await proxy(t, at('required'));
	for (const [i, [what, header, want]] of HEADERS.entries()) {
		await (await dialPeer(t, moon.port, { localAddress: TRUSTED })).write(header, login(`Who${i}`)).joined();
		const got = await addressOf(moon, `Who${i}`);
		if (want)
			assert.equal(got, want, what);
		else
			assert.match(got, /^127\.0\.0\.1:\d+$/, `${what}: the peer itself`);
	}
});

each([
	['v1', proxyV1()], ['v2 with TLVs', proxyV2('203.0.113.8', 4711, { tlv: TLV.subarray(0, 11) })],
], ([what, header]) => test(`case 34, 41: ${what} and what follows, cut at every byte`, async (t) => {
	const moon = await proxy(t, at('required'));
	const all = Buffer.concat([header, statusRequest()]);
	const peers = [];
	for (let cut = 1; cut < all.length; cut++) {
		const peer = await dialPeer(t, moon.port);
		peer.write(all.subarray(0, cut));
		peers.push([peer, all.subarray(cut)]);
	}
	// By now the first parts have been read: a status over another connection takes longer.
	await (await dialPeer(t, moon.port)).write(all).status();
	for (const [peer, rest] of peers)
		peer.write(rest);
	for (const [peer] of peers)
		assert.ok((await peer.status()).players);
	await counted(moon, 'refused_proxy_header', 0);
	await counted(moon, 'status_requests', peers.length + 1);
}));

test('case 34: byte by byte, a header and a login', async (t) => {
	const moon = await proxy(t, at('required'));
	const peer = await dialPeer(t, moon.port);
	for (const byte of Buffer.concat([proxyV2('2001:db8::9', 9), login('Slow')]))
		await new Promise((resolve) => peer.stream.write(Buffer.from([byte]), resolve));
	await peer.joined();
	assert.equal(await addressOf(moon, 'Slow'), '[2001:db8::9]:9');
});

test('case 34: optional: trusted with and without, strangers without; a stranger with one is closed', async (t) => {
	const moon = await proxy(t, at('optional'));
	await (await dialPeer(t, moon.port)).write(proxyV1(), login('With')).joined();
	await (await dialPeer(t, moon.port)).write(login('Without')).joined();
	await (await dialPeer(t, moon.port, { localAddress: STRANGER })).write(login('Stranger')).joined();
	assert.equal(await addressOf(moon, 'With'), '203.0.113.7:4711');
	assert.match(await addressOf(moon, 'Without'), /^127\.0\.0\.1:/);
	assert.match(await addressOf(moon, 'Stranger'), /^127\.0\.0\.9:/);

	for (const header of [proxyV1(), proxyV2()]) {
		const peer = await dialPeer(t, moon.port, { localAddress: STRANGER });
		peer.write(header, login('Liar'));
		await peer.end();
		assert.equal(peer.bytes.length, 0);
	}
	await counted(moon, 'refused_proxy_header', 2);
	assert.match((await moon.log({ why: 'proxy_header_untrusted' })).addr, /^127\.0\.0\.9:/);
	assert.equal(moon.logs({ name: 'Liar' }).length, 0);
});

test('case 34: required: whoever sends none is closed, whatever they speak', async (t) => {
	const moon = await proxy(t, at('required'));
	const says = [login('None'), statusRequest(), Buffer.from([0xfe, 0x01]), Buffer.from([0xfe]),
		Buffer.from(RawWs.head())];
	let n = 0;
	for (const localAddress of [TRUSTED, STRANGER]) {
		for (const bytes of says) {
			const peer = (await dialPeer(t, moon.port, { localAddress })).write(bytes);
			await peer.end();
			assert.equal(peer.bytes.length, 0, bytes.toString('latin1'));
			await counted(moon, 'refused_proxy_header', ++n);
		}
	}
});

test('case 34: off: a header is refused even from a trusted peer', async (t) => {
	const moon = await proxy(t);
	const peer = (await dialPeer(t, moon.port)).write(proxyV1(), login('Off'));
	await peer.end();
	assert.equal(peer.bytes.length, 0);
	await counted(moon, 'refused_proxy_header', 1);
});

const BROKEN = [
	['v1 that never ends', Buffer.concat([Buffer.from('PROXY TCP4 '), Buffer.alloc(200, 0x31)])],
	['v1 with a bad address', Buffer.from('PROXY TCP4 1.2.3 127.0.0.1 1 2\r\n')],
	['v1 of an unknown family', Buffer.from('PROXY SCTP4 1.2.3.4 127.0.0.1 1 2\r\n')],
	['v2 of version 3', Buffer.concat([V2_SIGNATURE, Buffer.from([0x31, 0x11, 0, 0])])],
	['v2 too short for its family', Buffer.concat([V2_SIGNATURE, Buffer.from([0x21, 0x11, 0, 4, 1, 2, 3, 4])])],
	['v2 of 65,535 bytes', Buffer.concat([V2_SIGNATURE, Buffer.from([0x21, 0x11, 0xff, 0xff])])],
	['a broken signature', Buffer.from('\r\n\r\nGET / HTTP/1.1\r\n')],
	['a second header behind the first', Buffer.concat([proxyV1(), proxyV1('203.0.113.66')])],
];

test('case 34: a broken header is closed without an answer', async (t) => {
	const moon = await proxy(t, at('optional'));
	for (const [what, header] of BROKEN) {
		const peer = (await dialPeer(t, moon.port)).write(header, login('Bad'));
		await peer.end();
		assert.equal(peer.bytes.length, 0, what);
	}
	await counted(moon, 'connections', 0);
	assert.equal((await counters(moon)).logins, 0);
});

test('case 34: legacy ping, status and WebSocket behind a header', async (t) => {
	const moon = await proxy(t, at('required'));
	for (const header of [proxyV1(), proxyV2()]) {
		for (const ping of ['fe', 'fe01']) {
			const peer = (await dialPeer(t, moon.port)).write(header, Buffer.from(ping, 'hex'));
			await peer.end();
			assert.equal(peer.bytes[0], 0xff);
		}
		assert.ok((await (await dialPeer(t, moon.port)).write(header, statusRequest()).status()).players);
		const ws = await RawWs.connect({ port: moon.port });
		atEnd(t, () => ws.destroy());
		ws.write(header);
		assert.equal((await ws.upgrade()).status, 101);
		ws.binary(login('Ws'));
		await until(() => new wire.Splitter().push(ws.stream()).some((f) => f.id === 0x08), 5000, 'a position');
		assert.equal((await addressOf(moon, 'Ws')), '203.0.113.7:4711');
		ws.destroy();
		await counted(moon, 'players', 0);
	}
});

test('case 41: PROXY, upgrade and login in one segment, cut at every byte', async (t) => {
	const moon = await proxy(t, at('required'));
	const all = Buffer.concat([proxyV2(), Buffer.from(RawWs.head()), wsFrame({ payload: statusRequest() })]);
	const open = [];
	for (let cut = 1; cut <= all.length; cut++) {
		const ws = await RawWs.connect({ port: moon.port });
		ws.write(all.subarray(0, cut));
		open.push([ws, all.subarray(cut)]);
	}
	await (await dialPeer(t, moon.port)).write(proxyV1(), statusRequest()).status();
	for (const [ws, rest] of open)
		if (rest.length)
			ws.write(rest);
	for (const [ws] of open) {
		await ws.frame(2);
		assert.equal(ws.response.status, 101);
		assert.equal(new wire.Splitter().push(ws.stream())[0].id, 0x00);
		ws.destroy();
	}
});

test('a header inside a WebSocket is no header: the web server in front would vouch for it', async (t) => {
	const moon = await proxy(t, at('optional'));
	for (const inner of [proxyV1('198.51.100.1'), proxyV2('198.51.100.1'), Buffer.from(RawWs.head())]) {
		const peer = await wsPeer(t, moon.port);
		peer.write(inner, login('Liar'));
		await peer.end();
		assert.equal(peer.bytes.length, 0);
	}
	assert.equal(moon.logs((line) => line.addr?.startsWith('198.51')).length, 0);
	assert.equal((await counters(moon)).logins, 0);
});

// ---- forwarded headers -----------------------------------------------------------------------

const forwarded = (header, more = {}) => ({
	listen: [{ address: '127.0.0.1:{port}', webSocket: { clientAddress: header, trusted: [TRUSTED, '10.0.0.0/8'] }, ...more }],
});

async function wsAddress(t, moon, name, headers, localAddress = TRUSTED) {
	const ws = await RawWs.open({ port: moon.port, localAddress, extra: headers.map((line) => `${line}\r\n`).join('') });
	atEnd(t, () => ws.destroy());
	ws.binary(login(name));
	return addressOf(moon, name);
}

test('case 39: a forwarded address counts from a trusted network only', async (t) => {
	const moon = await proxy(t, forwarded('X-Forwarded-For'));
	const seen = (name, headers, from) => wsAddress(t, moon, name, headers, from);
	assert.match(await seen('One', ['X-Forwarded-For: 203.0.113.7']), /^203\.0\.113\.7(:0)?$/);
	assert.match(await seen('Case', ['x-FORWARDED-for:203.0.113.8']), /^203\.0\.113\.8/);
	assert.match(await seen('Six', ['X-Forwarded-For: 2001:db8::1']), /2001:db8::1/);
	assert.match(await seen('Port', ['X-Forwarded-For: 203.0.113.9:555']), /^203\.0\.113\.9/);
	// The right end is what the trusted proxies wrote; the left is the player's own story.
	assert.match(await seen('Chain', ['X-Forwarded-For: 6.6.6.6, 203.0.113.10, 10.1.2.3']), /^203\.0\.113\.10/);
	assert.match(await seen('Lines', ['X-Forwarded-For: 6.6.6.6', 'X-Forwarded-For: 203.0.113.11']), /^203\.0\.113\.11/);
	assert.match(await seen('Junk', ['X-Forwarded-For: <script>']), /^127\.0\.0\.1:/);
	assert.match(await seen('None', []), /^127\.0\.0\.1:/);
	assert.match(await seen('Other', ['CF-Connecting-IP: 6.6.6.6']), /^127\.0\.0\.1:/);
	assert.match(await seen('Stranger', ['X-Forwarded-For: 6.6.6.6'], STRANGER), /^127\.0\.0\.9:/);
});

test('case 39: another header by name, and direct ignores all of them', async (t) => {
	const cdn = await proxy(t, forwarded('CF-Connecting-IP'));
	assert.match(await wsAddress(t, cdn, 'Cf', ['CF-Connecting-IP: 203.0.113.1', 'X-Forwarded-For: 6.6.6.6']), /^203\.0\.113\.1/);
	const direct = await proxy(t, {});
	assert.match(await wsAddress(t, direct, 'Direct', ['X-Forwarded-For: 6.6.6.6']), /^127\.0\.0\.1:/);
});

test('case 39: limits go by the forwarded address, not by the web server', async (t) => {
	const moon = await proxy(t, { ...forwarded('X-Forwarded-For'), limits: { perAddress: 2, prefixFactor: 100 } });
	for (let i = 0; i < 8; i++)
		await wsAddress(t, moon, `Far${i}`, [`X-Forwarded-For: 203.0.113.${i}`]);
	await wsAddress(t, moon, 'Again', ['X-Forwarded-For: 203.0.113.0']);
	const third = await RawWs.connect({ port: moon.port });
	atEnd(t, () => third.destroy());
	const answer = await third.upgrade({ extra: 'X-Forwarded-For: 203.0.113.0\r\n' });
	assert.equal(answer.status, 429);
	assert.match(answer.body, /Too many connections/);
	await third.ended();
	assert.equal((await counters(moon)).refused_address, 1);
	assert.equal((await counters(moon)).connections, 9);
});

test('case 27: 100 players within one second behind one load balancer are all let in', async (t) => {
	const moon = await proxy(t, { ...at('required'), limits: { perAddress: 1, newPerSecond: 1, burst: 2 } });
	const start = Date.now();
	const peers = await Promise.all(Array.from({ length: 100 }, async (_, i) => {
		const peer = await dialPeer(t, moon.port);
		return peer.write(proxyV2(`203.0.${i}.7`, 1000 + i), login(`Lb${i}`));
	}));
	await Promise.all(peers.map((peer) => peer.joined(10000)));
	assert.ok(Date.now() - start < 3000, `${Date.now() - start} ms`);
	const now = await counters(moon);
	assert.equal(now.logins, 100);
	assert.equal(now.refused_address + now.refused_rate, 0);
	// The same address again is over its limit: the announced one is what is counted.
	const again = (await dialPeer(t, moon.port)).write(proxyV2('203.0.5.7'), login('Again'));
	assert.match(await again.reason(), /Too many connections/);
	await counted(moon, 'refused_address', 1);
});
