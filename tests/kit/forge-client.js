'use strict';
// A scripted client of protocol 4 or 5, Forge or vanilla, as strict as the real one and with its two
// threads: FML|HS, REGISTER, keep-alive and kick act at once (network thread), all else waits for the
// next tick of the main thread. What would crash or disconnect a real client closes this one and is
// kept in `errors`.

const net = require('node:net');
const { EventEmitter } = require('node:events');
const { Reader, Splitter, C, readPlugin, plainText } = require('./wire');
const { ClientModel } = require('./client-model');
const { FmlClient } = require('./fml-client');
const { until } = require('./wait');

const FORGE_MODS = (build) => [['mcp', '9.05'], ['FML', '7.10.99.99'], ['Forge', `10.13.4.${build}`],
	['examplemod', '1.0']];
const FORGE_CHANNELS = ['FML|HS', 'FML', 'FML|MP', 'FORGE', 'examplemod'];

const DEFAULTS = {
	name: 'Player',
	protocol: 5,
	forge: true,
	host: '127.0.0.1',
	port: 25577,
	serverHost: 'localhost',
	serverPort: 25565,
	build: 1614,
	mods: null,
	channels: null,
	acks: 'all',
	rejectMods: null,
	// Survives a reset of its registries in a world that is on screen.
	resetInWorld: false,
	// One tick of the main thread.
	tickMs: 20,
	// Bytes a second that this client reads; 0 = as they come.
	readRate: 0,
	readTimeoutMs: 20000,
	// Before its first tick after Login Success the login handler meets keep-alives and kicks.
	graceMs: 950,
	// Movement packets: one every so many ms while in a world; 0 = none.
	moveMs: 0,
	answerKeepAlive: true,
	answerTransaction: true,
	// Keep whole frames in `trace`, not only their ids.
	keepFrames: false,
};

// Handlers of the main thread by packet id.
const MAIN = {
	0x01: 'onJoinGame', 0x02: 'onChat', 0x07: 'onRespawn', 0x08: 'onPosition', 0x21: 'onChunk',
	0x26: 'onChunk', 0x32: 'onTransaction', 0x38: 'onTab', 0x39: 'onAbilities', 0x3a: 'onTabComplete',
	0x3b: 'onObjective', 0x3c: 'onScore', 0x3d: 'onDisplay', 0x3e: 'onTeam',
};

class ForgeClient extends EventEmitter {
	constructor(opts = {}) {
		super();
		this.opts = { ...DEFAULTS, ...opts };
		this.opts.mods ??= FORGE_MODS(this.opts.build);
		this.opts.channels ??= this.opts.forge ? FORGE_CHANNELS : [];
		this.model = new ClientModel();
		this.fml = this.opts.forge ? new FmlClient(this, this.opts) : null;
		this.stage = 'new';
		this.errors = [];
		this.kick = null;
		this.closed = false;
		this.rejected = null;
		this.uuid = null;
		this.trace = [];
		this.chats = [];
		this.plugins = [];
		this.keepAlives = [];
		this.transactions = [];
		this.joins = 0;
		this.positions = 0;
		this.queue = [];
		this.splitter = new Splitter();
		this.bytesIn = 0;
		this.sent = [];
	}

	// ---- life ----

	// Connects (or takes opts.stream, any open Duplex), logs in; resolves at Login Success, rejects
	// when the connection ends before.
	async connect() {
		this.stream = this.opts.stream ?? await dial(this.opts);
		this.lastByte = Date.now();
		this.stream.on('error', (err) => { this.streamError = err; });
		this.stream.on('close', () => this.onClosed());
		this.stream.on('end', () => this.onClosed());
		this.startReading();
		this.tickBefore = this.lastTick = Date.now();
		this.ticker = setInterval(() => this.tick(), this.opts.tickMs);
		this.stage = 'login';
		const { protocol, serverHost, serverPort, name } = this.opts;
		this.write(Buffer.concat([
			C.handshake({ protocol, host: serverHost, port: serverPort, next: 2 }),
			C.loginStart(name),
		]));
		await until(() => this.stage === 'play' || this.closed, 30000, 'Login Success');
		if (this.stage !== 'play')
			throw new Error(`no login: ${this.why()}`);
		return this;
	}

	startReading() {
		if (!this.opts.readRate) {
			this.stream.on('data', (chunk) => this.onData(chunk));
			return;
		}
		this.stream.pause();
		let last = Date.now();
		this.reader = setInterval(() => {
			const want = Math.max(1, Math.floor(this.opts.readRate * (Date.now() - last) / 1000));
			const chunk = this.stream.read(want) ?? this.stream.read();
			last = Date.now();
			if (chunk)
				this.onData(chunk);
		}, 20);
	}

	// Reads nothing from now on, like a frozen client; its own timers go on.
	stopReading() {
		this.stream.pause();
		clearInterval(this.reader);
		this.frozen = true;
	}

	resumeReading() {
		this.frozen = false;
		this.lastByte = Date.now();
		this.stream.resume();
	}

	onClosed() {
		if (this.closed)
			return;
		this.runMain();
		this.closed = true;
		clearInterval(this.ticker);
		clearInterval(this.reader);
		this.stream.destroy();
		this.emit('closed', this.why());
	}

	// Leaves properly (FIN).
	close() {
		this.leaving = true;
		this.stream?.end();
		return this.ended();
	}

	// Is gone at once (RST where the stream can).
	abort() {
		this.leaving = true;
		if (this.stream?.resetAndDestroy)
			this.stream.resetAndDestroy();
		else
			this.stream?.destroy();
	}

	why() {
		return this.errors[0] ?? this.kick ?? this.rejected ?? this.streamError?.message ??
			(this.closed ? 'closed without a word' : 'open');
	}

	// Throws when anything happened that a real client would not have survived.
	check() {
		if (this.errors.length)
			throw new Error(`client ${this.opts.name}: ${this.errors.join('; ')}`);
	}

	crash(text) {
		this.errors.push(text);
		this.emit('crash', text);
		this.stream.destroy();
	}

	// A mod rejection: the client closes by itself.
	reject(text) {
		this.rejected = text;
		this.stream.end();
	}

	// ---- waiting ----

	// Like wait.until, but fails at once when the client crashed or the connection ended.
	until(check, ms = 5000, what = check.toString()) {
		return until(() => {
			const value = check();
			if (!value && this.closed)
				throw new Error(`${this.opts.name}: ${this.why()}, while waiting for ${what}`);
			return value;
		}, ms, () => `${this.opts.name}: ${what}`);
	}

	// The n-th Join Game has run on the main thread.
	joined(n = 1, ms = 5000) {
		return this.until(() => this.joins >= n, ms, `Join Game ${n}`);
	}

	// Stands in a world: a position came after the last world change.
	positioned(ms = 5000) {
		return this.until(() => this.model.position && !this.model.downloading, ms, 'a position');
	}

	sawChat(part, ms = 5000) {
		return this.until(() => this.chats.find((text) => text.includes(part)), ms, `chat "${part}"`);
	}

	sawPlugin(channel, ms = 5000) {
		return this.until(() => this.plugins.find((m) => m.channel === channel), ms, channel);
	}

	// Resolves with why() when the connection has ended.
	async ended(ms = 10000) {
		await until(() => this.closed || !this.stream, ms, () => `${this.opts.name}: the end`);
		return this.why();
	}

	// ---- sending ----

	// Whole frames, as they are.
	write(bytes) {
		if (this.stream.writable)
			this.stream.write(bytes);
	}

	send(channel, data) {
		this.sent.push({ channel, data });
		this.write(C.plugin(channel, data));
	}

	chat(text) {
		this.write(C.chat(text));
	}

	// ---- network thread ----

	onData(chunk) {
		this.lastByte = Date.now();
		this.bytesIn += chunk.length;
		try {
			for (const frame of this.splitter.push(chunk)) {
				if (this.errors.length)
					return;
				this.onFrame(frame);
			}
		} catch (err) {
			this.crash(err.message);
		}
	}

	onFrame(frame) {
		const entry = { id: frame.id, size: frame.body.length, stage: this.stage, at: Date.now() };
		if (this.opts.keepFrames)
			entry.raw = frame.raw;
		this.trace.push(entry);
		this.emit('frame', frame);
		if (this.stage === 'login')
			this.onLogin(frame);
		else
			this.onPlay(frame, entry);
	}

	onLogin({ id, data }) {
		const r = new Reader(data);
		if (id === 0x00) {
			this.kick = plainText(JSON.parse(r.str()));
			this.stream.end();
		} else if (id === 0x02) {
			this.uuid = r.str(36);
			this.loginName = r.str(16);
			r.done();
			this.checkUuid();
			this.stage = 'play';
			// The earliest that it may have come: a busy process reads late, but it did read since then.
			this.playSince = this.tickBefore;
			this.fml?.start();
		} else {
			throw new Error(`packet ${id} in login`);
		}
	}

	checkUuid() {
		const form = this.opts.protocol >= 5 ? /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ : /^[0-9a-f]{32}$/;
		if (!form.test(this.uuid))
			throw new Error(`uuid ${this.uuid} in protocol ${this.opts.protocol}`);
	}

	onPlay({ id, data }, entry) {
		if (id === 0x00 || id === 0x40)
			return this.onUrgent(id, data);
		if (id === 0x01)
			this.fml?.onJoinGame();
		if (id === 0x3f)
			return this.onPlugin(data, entry);
		this.queue.push({ id, data });
		return undefined;
	}

	onUrgent(id, data) {
		if (!this.joins && Date.now() - this.playSince < this.opts.graceMs)
			throw new Error(`packet ${id} met the login handler`);
		const r = new Reader(data);
		if (id === 0x40) {
			this.kick = plainText(JSON.parse(r.str()));
			r.done();
			this.stream.end();
			return;
		}
		const value = r.i32();
		r.done();
		this.keepAlives.push(value);
		if (this.opts.answerKeepAlive)
			this.write(C.keepAlive(value));
	}

	onPlugin(data, entry) {
		const message = readPlugin(data, this.opts.forge);
		entry.channel = message.channel;
		message.at = this.trace.length - 1;
		this.plugins.push(message);
		if (this.fml && message.channel === 'FML|HS')
			this.fml.onMessage(message.data);
		else if (this.fml && message.channel === 'FORGE')
			this.onForge(message.data);
		this.emit('plugin', message);
	}

	onForge(data) {
		const r = new Reader(data);
		if (r.u8() === 1)
			this.model.dimensions.add(r.i32());
	}

	// ---- main thread ----

	tick() {
		this.tickBefore = this.lastTick;
		this.lastTick = Date.now();
		this.runMain();
		if (this.closed)
			return;
		if (!this.frozen && Date.now() - this.lastByte > this.opts.readTimeoutMs) {
			this.crash('timed out');
			return;
		}
		const now = Date.now();
		if (this.model.downloading && now - (this.lastIdle ?? 0) >= 1000) {
			this.lastIdle = now;
			this.write(C.keepAlive(0));
		}
		if (this.opts.moveMs && this.model.position && now - (this.lastMove ?? 0) >= this.opts.moveMs) {
			this.lastMove = now;
			const { x, y, z } = this.model.position;
			this.write(C.position(x, y - 1.62, z));
		}
	}

	runMain() {
		const work = this.queue;
		this.queue = [];
		try {
			for (const { id, data } of work) {
				if (this.errors.length)
					return;
				if (!this.model.world && id !== 0x01 && MAIN[id] && id !== 0x02)
					throw new Error(`packet ${id} before the first Join Game`);
				if (MAIN[id])
					this[MAIN[id]](data, id);
			}
		} catch (err) {
			this.crash(err.message);
		}
	}

	onJoinGame(data) {
		this.model.joinGame(data);
		this.joins++;
		this.write(C.settings());
		this.send('MC|Brand', Buffer.from(this.opts.forge ? 'fml,forge' : 'vanilla'));
		if (!this.opts.forge && this.opts.channels.length)
			this.send('REGISTER', Buffer.from(this.opts.channels.join('\0')));
		this.emit('joined');
	}

	onRespawn(data) {
		this.model.respawn(data);
	}

	onPosition(data) {
		const { x, y, z, yaw, pitch } = this.model.positioned(data);
		this.positions++;
		this.write(C.positionLook(x, y - 1.62, z, yaw, pitch, false));
		this.emit('positioned');
	}

	onTransaction(data) {
		const r = new Reader(data);
		const [window, action, accepted] = [r.u8(), r.i16(), r.bool()];
		r.done();
		this.transactions.push(action);
		if (!accepted && this.opts.answerTransaction)
			this.write(C.transaction(window, action, true));
	}

	onChat(data) {
		const r = new Reader(data);
		this.chats.push(plainText(JSON.parse(r.str())));
		r.done();
	}

	onTabComplete(data) {
		const r = new Reader(data);
		this.completions = Array.from({ length: r.varint() }, () => r.str());
		r.done();
	}

	onChunk() { this.model.chunk(); }
	onTab(data) { this.model.tabItem(data); }
	onAbilities(data) { this.model.abilities(data); }
	onObjective(data) { this.model.scoreboard.objective(data); }
	onScore(data) { this.model.scoreboard.score(data); }
	onDisplay(data) { this.model.scoreboard.displayed(data); }
	onTeam(data) { this.model.scoreboard.team(data); }
}

function dial({ host, port, path, localAddress }) {
	return new Promise((resolve, reject) => {
		const socket = net.connect(path ? { path } : { host, port, localAddress });
		socket.setNoDelay(true);
		socket.once('error', reject);
		socket.once('connect', () => {
			socket.off('error', reject);
			resolve(socket);
		});
	});
}

// { json, text, latencyMs } of a server's status answer.
async function status({ stream, ...opts } = {}) {
	const socket = stream ?? await dial({ ...DEFAULTS, ...opts });
	const started = Date.now();
	const splitter = new Splitter();
	return new Promise((resolve, reject) => {
		let text = null;
		socket.on('error', reject);
		socket.on('close', () => reject(new Error('closed before the status was whole')));
		socket.on('data', (chunk) => {
			for (const { id, data } of splitter.push(chunk)) {
				if (id === 0x00) {
					text = new Reader(data).str();
					socket.write(C.ping(42));
				} else {
					const pong = new Reader(data).i64();
					resolve({ json: JSON.parse(text), text, pong, latencyMs: Date.now() - started });
					socket.destroy();
				}
			}
		});
		const { protocol = 5, serverHost = 'localhost' } = opts;
		socket.write(Buffer.concat([C.handshake({ protocol, host: serverHost, next: 1 }),
			C.statusRequest()]));
	});
}

module.exports = { ForgeClient, dial, status, FORGE_MODS, FORGE_CHANNELS };
