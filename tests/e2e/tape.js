'use strict';
// Byte equality across the relay: what a client sent and received against what a backend received and
// sent, frame by frame, from the server's first PLAY frame on, our own keep-alives excepted.

const kit = require('../kit');
const { atEnd, open } = require('./helpers');

const { Reader } = kit.wire;

// Handshake and Login Start come from the proxy itself, and so does Login Success.
const LOGIN_C = 2;
const LOGIN_S = 1;
// Ids of the proxy's own keep-alives.
const OURS = 0x4d42;

const isOurs = ({ id, data }) => id === 0x00 && data.length === 4 && new Reader(data).u16() === OURS;

// An open stream to the proxy, of which both directions are kept. opts: those of helpers.open.
async function taped(t, moon, opts) {
	const stream = await open(t, moon, opts);
	const tape = { sent: [], received: [] };
	const write = stream.write;
	stream.write = (chunk, ...rest) => {
		tape.sent.push(Buffer.from(chunk));
		return write.call(stream, chunk, ...rest);
	};
	// A listener would start the flow before its reader is there.
	const push = stream.push;
	stream.push = (chunk, ...rest) => {
		if (chunk)
			tape.received.push(Buffer.from(chunk));
		return push.call(stream, chunk, ...rest);
	};
	stream.tape = tape;
	return stream;
}

// A strict client on a taped stream. opts: those of helpers.player.
async function tapedPlayer(t, moon, { door, ws, ...opts }) {
	const stream = await taped(t, moon, { door, ws });
	const client = new kit.ForgeClient({ ...opts, stream });
	atEnd(t, () => {
		client.abort();
		client.check();
	});
	client.tape = stream.tape;
	await client.connect();
	await client.positioned(20000);
	return client;
}

// A recorder in front of a server: { address, last } to be used as a row of `backends`.
async function recorded(t, server, { name = 'a', ...opts } = {}) {
	const recorder = await new kit.Recorder({ host: '127.0.0.1', port: server.port }, opts).start();
	atEnd(t, () => recorder.stop());
	return { name, recorder, row: { name, address: `127.0.0.1:${recorder.port}` } };
}

// Throws unless both sides saw the same frames in both directions. Call it when both are at rest.
function sameOnBothSides(client, server) {
	const clientbound = kit.framesOf(Buffer.concat(client.received), { skip: LOGIN_S, ignore: isOurs });
	const serverbound = kit.framesOf(Buffer.concat(client.sent), { skip: LOGIN_C, ignore: isOurs });
	kit.sameFrames(kit.framesOf(server.clientbound(), { skip: LOGIN_S }), clientbound,
		{ what: 'clientbound frames' });
	kit.sameFrames(serverbound, kit.framesOf(server.serverbound(), { skip: LOGIN_C }),
		{ what: 'serverbound frames' });
	return { clientbound, serverbound };
}

// Compares both sides once nothing is on its way between them any more.
async function rest(tape, recorder) {
	const same = () => {
		try {
			return sameOnBothSides(tape, recorder.last);
		} catch {
			return null;
		}
	};
	await kit.until(async () => same() ?? (await kit.sleep(50), null), 8000, '').catch(() => {});
	return sameOnBothSides(tape, recorder.last);
}

module.exports = { taped, tapedPlayer, recorded, rest };
