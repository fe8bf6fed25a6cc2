'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Recorder, framesOf, sameFrames, wire, sleep } = require('..');
const { serve, clientOf } = require('./pair');

const { S } = wire;

async function recorded(t, serverOpts, recorderOpts) {
	const server = await serve(t, serverOpts);
	const recorder = await new Recorder({ host: '127.0.0.1', port: server.port }, recorderOpts).start();
	t.after(() => recorder.stop());
	const client = clientOf(t, { port: recorder.port });
	await client.connect();
	await client.positioned();
	await server.last.playing();
	return { server, recorder, client };
}

test('two recorders in a row hold what the server sent and got', async (t) => {
	const server = await serve(t, { ids: 2000 });
	const inner = await new Recorder({ host: '127.0.0.1', port: server.port }).start();
	const outer = await new Recorder({ host: '127.0.0.1', port: inner.port }, { segment: 700 }).start();
	t.after(() => Promise.all([inner.stop(), outer.stop()]));
	const client = clientOf(t, { port: outer.port });
	await client.connect();
	await client.positioned();
	client.write(wire.sizedFrame(0x03, 60000));
	await server.last.until(() => server.last.frames.at(-1).id === 3, 2000, 'the large frame');
	for (const tape of [inner.last, outer.last]) {
		assert.ok(tape.clientbound().equals(server.last.bytesOut()));
		assert.ok(tape.serverbound().equals(server.last.bytesIn()));
	}
	sameFrames(framesOf(inner.last.clientbound()), framesOf(outer.last.clientbound()));
});

test('sameFrames notices a changed byte, a missing and an extra frame', () => {
	const list = (...frames) => framesOf(Buffer.concat(frames));
	const [a, b, c] = [S.keepAlive(1), S.keepAlive(2), S.chat('x')];
	sameFrames(list(a, b), list(a, b));
	sameFrames(list(a), list(a, b), { prefix: true });
	assert.throws(() => sameFrames(list(a, b), list(a, a)), /1 differs/);
	assert.throws(() => sameFrames(list(a, b), list(a)), /2 and 1/);
	assert.throws(() => sameFrames(list(a), list(a, b)), /1 and 2/);
	assert.throws(() => sameFrames(list(a, b), list(a), { prefix: true }), /2 and 1/);
	assert.deepStrictEqual(framesOf(Buffer.concat([a, b, c]), { skip: 1, ignore: (f) => f.id === 2 }).length, 1);
});

test('FIN, RST and cut pass through', async (t) => {
	const one = await recorded(t, {});
	await one.client.close();
	await one.server.last.ended();
	assert.ok(one.server.last.fin);
	const two = await recorded(t, {});
	two.server.last.die('rst');
	await two.client.ended();
	assert.match(two.client.streamError?.message ?? 'FIN', /ECONNRESET/);
	const three = await recorded(t, {});
	three.recorder.cut();
	await three.client.ended();
	await three.server.last.ended();
});

test('a slow side slows the other one down', async (t) => {
	const { server, recorder, client } = await recorded(t, { record: false });
	client.stopReading();
	const block = S.plugin('x', Buffer.alloc(1000000));
	let written = 0;
	while (server.last.write(block) && written < 200)
		written++;
	await sleep(200);
	assert.ok(recorder.last.s2c.reduce((sum, chunk) => sum + chunk.length, 0) < 60e6);
	server.check();
});
