'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { wire } = require('..');

const hex = (bytes) => bytes.toString('hex');

test('VarInts, also long forms and negative ones', () => {
	assert.strictEqual(hex(wire.varint(0)), '00');
	assert.strictEqual(hex(wire.varint(300)), 'ac02');
	assert.strictEqual(hex(wire.varint(-1)), 'ffffffff0f');
	assert.strictEqual(hex(wire.varint(3, 3)), '838000');
	for (const value of [0, 1, 127, 128, 2097151, -1, -26, 2147483647])
		assert.deepStrictEqual(wire.peekVarint(wire.varint(value)), { value, size: wire.varint(value).length });
	assert.deepStrictEqual(wire.peekVarint(Buffer.from([0x83, 0x80, 0x00])), { value: 3, size: 3 });
	assert.strictEqual(wire.peekVarint(Buffer.from([0x80])), null);
	assert.throws(() => wire.peekVarint(Buffer.alloc(6, 0x80)), /longer than 5/);
});

test('the splitter finds the same frames wherever the stream is cut', () => {
	const stream = Buffer.concat([
		wire.C.keepAlive(7), wire.frame(-26), wire.sizedFrame(3, 300),
		wire.wrap(Buffer.concat([wire.varint(1, 4), Buffer.from('abc')])),
	]);
	const whole = new wire.Splitter().push(stream);
	assert.deepStrictEqual(whole.map((f) => f.id), [0, -26, 3, 1]);
	assert.strictEqual(hex(Buffer.concat(whole.map((f) => f.raw))), hex(stream));
	for (let size = 1; size < 20; size++) {
		const splitter = new wire.Splitter();
		const frames = [];
		for (let at = 0; at < stream.length; at += size)
			frames.push(...splitter.push(stream.subarray(at, at + size)));
		assert.deepStrictEqual(frames, whole);
		assert.strictEqual(splitter.pending, 0);
	}
});

test('the splitter takes the largest frame and refuses a larger one, and an empty one', () => {
	const largest = wire.sizedFrame(3, wire.MAX_FRAME);
	assert.strictEqual(new wire.Splitter().push(largest)[0].raw.length, wire.MAX_FRAME + 3);
	assert.throws(() => new wire.Splitter().push(wire.varint(wire.MAX_FRAME + 1)), /frame length/);
	assert.throws(() => new wire.Splitter().push(Buffer.from([0])), /frame length 0/);
});

test('plugin messages: plain and extended length', () => {
	for (const size of [0, 1, 32767, 32768, 70000, 2000000]) {
		const data = Buffer.alloc(size, 5);
		const [frame] = new wire.Splitter().push(wire.S.plugin('channel', data));
		const message = wire.readPlugin(frame.data, true);
		assert.strictEqual(message.channel, 'channel');
		assert.ok(message.data.equals(data));
		if (size > 32767)
			assert.throws(() => wire.readPlugin(frame.data, false), /negative/);
	}
	assert.strictEqual(hex(wire.pluginLength(70000)), '917002');
});

test('the registry of 20,000 names is as large as a real one', () => {
	const size = wire.FML.modIds(20000).length;
	assert.ok(size > 350000 && size < 450000, `${size}`);
	assert.strictEqual(wire.readModIds(new wire.Reader(wire.FML.modIds(20000).subarray(1))).size, 20000);
});

test('the uuid of an offline player', () => {
	assert.strictEqual(wire.offlineUuid('Notch'), 'b50ad385-829d-3141-a216-7e7d7539ba7f');
});
