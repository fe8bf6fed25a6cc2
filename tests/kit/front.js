'use strict';
// What may come before or instead of Minecraft on a port: PROXY headers, legacy pings, plain HTTP.

const net = require('node:net');
const { within } = require('./wait');

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

// PROXY v1. family: TCP4 | TCP6 | UNKNOWN.
function proxyV1({ source = '192.0.2.7', destination = '192.0.2.1', sourcePort = 40000, destinationPort = 25565,
	family = source.includes(':') ? 'TCP6' : 'TCP4' } = {}) {
	if (family === 'UNKNOWN')
		return Buffer.from('PROXY UNKNOWN\r\n');
	return Buffer.from(`PROXY ${family} ${source} ${destination} ${sourcePort} ${destinationPort}\r\n`);
}

function addressBytes(text) {
	if (!text.includes(':'))
		return Buffer.from(text.split('.').map(Number));
	const [head, tail = ''] = text.split('::');
	const words = (part) => (part ? part.split(':').map((word) => parseInt(word, 16)) : []);
	const [a, b] = [words(head), words(tail)];
	const all = text.includes('::') ? [...a, ...Array(8 - a.length - b.length).fill(0), ...b] : a;
	return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}

// PROXY v2. command: PROXY | LOCAL; family: by the source, or UNSPEC; tlvs: [[type, Buffer], ...];
// version and transport are there to be wrong.
function proxyV2({ source = '192.0.2.7', destination = '192.0.2.1', sourcePort = 40000, destinationPort = 25565,
	command = 'PROXY', family, tlvs = [], version = 2, transport = 1 } = {}) {
	const kind = family === 'UNSPEC' ? 0 : source.includes(':') ? 2 : 1;
	const ports = Buffer.alloc(4);
	ports.writeUInt16BE(sourcePort, 0);
	ports.writeUInt16BE(destinationPort, 2);
	const extra = tlvs.map(([type, value]) => {
		const head = Buffer.from([type, value.length >> 8, value.length & 0xff]);
		return Buffer.concat([head, value]);
	});
	const body = Buffer.concat([
		...(kind ? [addressBytes(source), addressBytes(destination), ports] : []), ...extra,
	]);
	const head = Buffer.from([(version << 4) | (command === 'PROXY' ? 1 : 0),
		kind ? (kind << 4) | transport : 0, body.length >> 8, body.length & 0xff]);
	return Buffer.concat([SIGNATURE, head, body]);
}

const utf16 = (text) => Buffer.from(text, 'utf16le').swap16();

// The request of a client up to 1.3 ('fe'), 1.4 - 1.5 ('fe01') or 1.6 ('fe01fa').
function legacyRequest(form, { host = 'localhost', port = 25565 } = {}) {
	if (form === 'fe' || form === 'fe01')
		return Buffer.from(form, 'hex');
	const name = utf16('MC|PingHost');
	const to = utf16(host);
	const head = Buffer.from([0xfe, 0x01, 0xfa, 0, 11]);
	const rest = Buffer.alloc(5);
	rest[0] = 74;
	rest.writeUInt16BE(host.length, 1);
	rest.writeUInt16BE(7 + to.length, 3);
	const size = Buffer.from([rest[3], rest[4]]);
	const end = Buffer.alloc(4);
	end.writeInt32BE(port);
	return Buffer.concat([head, name, size, rest.subarray(0, 3), to, end]);
}

// Reads the answer: { motd, online, max } and, for the newer forms, { protocol, version }.
function readLegacy(bytes) {
	if (bytes[0] !== 0xff || bytes.length !== 3 + 2 * bytes.readUInt16BE(1))
		throw new Error(`no legacy answer: ${bytes.toString('hex')}`);
	const text = Buffer.from(bytes.subarray(3)).swap16().toString('utf16le');
	if (text.startsWith('§1\0')) {
		const [, protocol, version, motd, online, max] = text.split('\0');
		return { protocol: Number(protocol), version, motd, online: Number(online), max: Number(max) };
	}
	const [motd, online, max] = text.split('§');
	return { motd, online: Number(online), max: Number(max) };
}

// Sends bytes (in pieces of `segment`, `gapMs` apart) and collects what comes until the other side
// closes, or until enough(bytes so far).
async function exchange({ port, host = '127.0.0.1', localAddress, bytes, segment = 0, gapMs = 0, ms = 8000,
	end = false, enough = () => false }) {
	const socket = net.connect({ port, host, localAddress, noDelay: true });
	const got = [];
	const done = new Promise((resolve, reject) => {
		socket.on('data', (chunk) => {
			got.push(chunk);
			if (enough(Buffer.concat(got)))
				resolve();
		});
		socket.on('error', reject);
		socket.on('close', resolve);
	});
	done.catch(() => {});
	try {
		const step = segment || bytes.length;
		for (let at = 0; at < bytes.length && !socket.destroyed; at += step) {
			socket.write(bytes.subarray(at, at + step));
			if (segment)
				await new Promise((resolve) => setTimeout(resolve, gapMs));
		}
		if (end)
			socket.end();
		await within(done, ms, 'the other side to close');
		return Buffer.concat(got);
	} finally {
		socket.destroy();
	}
}

async function legacyPing({ form = 'fe01', before = Buffer.alloc(0), ...to }) {
	const enough = (got) => got.length >= 3 && got.length >= 3 + 2 * got.readUInt16BE(1);
	return readLegacy(await exchange({ bytes: Buffer.concat([before, legacyRequest(form)]), enough, ...to }));
}

module.exports = { proxyV1, proxyV2, legacyRequest, readLegacy, legacyPing, exchange };
