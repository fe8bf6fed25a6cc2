'use strict';
// A scripted game server of protocols 4 and 5: Forge (with the FML handshake) or vanilla. It keeps
// every byte of every connection, takes its time, dies or kicks where a test says, and is as strict
// as the real one about what may arrive when.

const net = require('node:net');
const { EventEmitter } = require('node:events');
const { Reader, Splitter, S, FML, readModList, plainText, offlineUuid } = require('./wire');
const { until } = require('./wait');

// Everything a server does or sees, in order. `dieAfter`, `kickAfter`, `delays` and `conn.steps`
// speak these names; c-... is what came from the client.
const STEPS = ['accept', 'handshake', 'login-start', 'success', 'register', 'hello', 'c-register',
	'c-hello', 'c-modlist', 'modlist', 'c-ack2', 'modids', 'ack2', 'c-ack3', 'c-ack4', 'ack3', 'join',
	'spawn', 'position', 'c-ack5', 'c-settings', 'c-brand', 'c-position'];

const DEFAULTS = {
	name: 'server',
	host: '127.0.0.1',
	port: 0,
	// Path of a unix socket: instead of host and port.
	path: null,
	forge: true,
	// Names in the registry: 2 is tiny, 20,000 about 400 KB.
	ids: 2,
	mods: [['mcp', '9.05'], ['FML', '7.10.99.99'], ['Forge', '10.13.4.1614'], ['examplemod', '1.0']],
	channels: ['FML|HS', 'FML', 'FML|MP', 'FORGE', 'examplemod'],
	// 2 sends the dimension as override; 1 has no override.
	helloVersion: 2,
	dimension: 0,
	override: null,
	eid: 1,
	gamemode: 0,
	levelType: 'default',
	// Milliseconds before a step of the server, by its name.
	delays: {},
	dieAfter: null,
	// fin | rst | silence
	dieHow: 'fin',
	kickAfter: null,
	kickText: 'kicked by the test',
	// Text: the login is refused with it.
	refuse: null,
	// (mods) -> text: a rejection of the client's mod list.
	rejectMods: null,
	// Frames between Ack 3 and Join Game, and behind the position.
	beforeJoin: [],
	afterJoin: [],
	keepAliveMs: 4000,
	// Plugin messages come back on their channel; chat comes back as "<name> text".
	echo: true,
	// Frames with these ids come back byte for byte.
	echoIds: [],
	record: true,
	status: null,
};

const HANDSHAKE_CHANNELS = new Set(['REGISTER', 'UNREGISTER', 'FML|HS']);

class Conn extends EventEmitter {
	constructor(server, socket) {
		super();
		this.server = server;
		this.opts = server.opts;
		this.socket = socket;
		// handshake, status or login; START, HELLO, WAITINGCACK, COMPLETE, ENTERING; DONE in the world
		this.state = 'handshake';
		this.steps = [];
		this.errors = [];
		this.in = [];
		this.out = [];
		this.frames = [];
		this.plugins = [];
		this.chats = [];
		this.registered = [];
		this.keepAlives = new Map();
		this.unasked = [];
		this.rttMs = [];
		this.closed = false;
		this.fin = false;
		this.name = null;
		this.brand = null;
		this.settings = 0;
		this.modList = null;
		this.splitter = new Splitter();
		this.chain = Promise.resolve();
		socket.setNoDelay?.(true);
		socket.on('data', (chunk) => this.onData(chunk));
		socket.on('error', (err) => { this.socketError = err; });
		socket.on('end', () => { this.fin = true; });
		socket.on('close', () => this.onClosed());
		this.step('accept');
	}

	// ---- tests use these ----

	// Whole frames, as they are.
	write(bytes) {
		if (this.closed || this.dead)
			return true;
		if (this.opts.record)
			this.out.push(Buffer.from(bytes));
		return this.socket.write(bytes);
	}

	plugin(channel, data) {
		return this.write(S.plugin(channel, Buffer.from(data)));
	}

	chat(text) {
		return this.write(S.chat(text));
	}

	kick(text = this.opts.kickText) {
		this.write(this.state === 'login' ? S.loginKick(text) : S.kick(text));
		this.socket.end();
	}

	// Resets the client's handshake and begins a new one, as a server that reloads would.
	reset() {
		this.write(S.plugin('FML|HS', FML.reset()));
		this.state = 'START';
		return this.greet();
	}

	end() {
		this.socket.end();
	}

	die(how = this.opts.dieHow) {
		this.dead = true;
		if (how === 'silence')
			this.socket.pause();
		else if (how === 'rst')
			this.socket.resetAndDestroy();
		else
			this.socket.end();
	}

	bytesIn() { return Buffer.concat(this.in); }
	bytesOut() { return Buffer.concat(this.out); }

	until(check, ms = 5000, what = check.toString()) {
		return until(check, ms, () => `${this.opts.name}/${this.name}: ${what}`);
	}

	joined(ms = 5000) {
		return this.until(() => this.steps.includes('position'), ms, 'the position to be sent');
	}

	// The client stands in our world: it answered the position.
	playing(ms = 5000) {
		return this.until(() => this.steps.includes('c-position'), ms, 'the answer to the position');
	}

	ended(ms = 10000) {
		return this.until(() => this.closed, ms, 'the end of the connection');
	}

	// ---- steps ----

	step(name) {
		this.steps.push(name);
		this.emit('step', name);
		if (this.opts.dieAfter === name)
			this.die();
		else if (this.opts.kickAfter === name)
			this.kick();
	}

	// Does `send` when its turn and its delay have come. (Called `then` it would make a promise of us.)
	act(name, send) {
		this.chain = this.chain.then(async () => {
			if (this.opts.delays[name])
				await this.pause(this.opts.delays[name]);
			if (this.closed || this.dead || this.socket.writableEnded)
				return;
			send();
			this.step(name);
		});
		return this.chain;
	}

	// Ends early with the connection.
	pause(ms) {
		return new Promise((resolve) => {
			this.endPause = resolve;
			this.pauseTimer = setTimeout(resolve, ms);
		});
	}

	hs(data) {
		this.write(S.plugin('FML|HS', data));
	}

	// ---- receiving ----

	onData(chunk) {
		if (this.dead)
			return;
		if (this.opts.record)
			this.in.push(chunk);
		try {
			for (const frame of this.splitter.push(chunk))
				if (!this.dead && !this.socket.writableEnded)
					this.onFrame(frame);
		} catch (err) {
			this.fail(err.message);
		}
	}

	// What a real server would throw on.
	fail(text) {
		this.errors.push(text);
		this.server.errors.push(`${this.opts.name}/${this.name}: ${text}`);
		this.socket.destroy();
	}

	onClosed() {
		this.closed = true;
		clearInterval(this.timer);
		clearTimeout(this.pauseTimer);
		this.endPause?.();
		this.server.onGone(this);
		this.emit('closed');
	}

	onFrame(frame) {
		if (this.opts.record)
			this.frames.push(frame);
		this.emit('frame', frame);
		const { id, data } = frame;
		if (this.state === 'handshake')
			this.onHandshake(id, data);
		else if (this.state === 'status')
			this.onStatus(id, data);
		else if (this.state === 'login')
			this.onLogin(id, data);
		else
			this.onPlay(frame);
	}

	onHandshake(id, data) {
		const r = new Reader(data);
		if (id !== 0)
			throw new Error(`packet ${id} as the first`);
		this.handshake = { protocol: r.varint(), host: r.str(32767), port: r.u16(), next: r.varint() };
		r.done();
		if (![4, 5].includes(this.handshake.protocol) && this.handshake.next === 2)
			throw new Error(`protocol ${this.handshake.protocol}`);
		this.state = this.handshake.next === 1 ? 'status' : 'login';
		this.step('handshake');
	}

	onStatus(id, data) {
		if (id === 0x00)
			this.write(S.status(this.opts.status ?? {
				version: { name: '1.7.10', protocol: 5 },
				players: { max: 20, online: this.server.players.size },
				description: { text: this.opts.name },
				modinfo: { type: 'FML', modList: [{ modid: 'FML', version: '7.10.99.99' }] },
			}));
		else
			this.write(S.pong(new Reader(data).i64()));
	}

	onLogin(id, data) {
		const r = new Reader(data);
		if (id !== 0 || this.name !== null)
			throw new Error(`packet ${id} in login`);
		this.name = r.str(16);
		r.done();
		this.server.onLogin(this);
		this.step('login-start');
		if (this.opts.refuse)
			this.kick(this.opts.refuse);
		else
			this.succeed();
	}

	succeed() {
		// A forwarded identity (host NUL address NUL uuid) is taken as it is.
		const forwarded = this.handshake.host.split('\0')[2];
		const dashed = forwarded?.length === 32
			? forwarded.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
			: offlineUuid(this.name);
		this.uuid = this.handshake.protocol >= 5 ? dashed : dashed.replaceAll('-', '');
		this.act('success', () => {
			this.write(S.success(this.uuid, this.name));
			this.state = 'START';
			this.startKeepAlives();
		}).then(() => this.greet());
	}

	greet() {
		if (this.opts.forge)
			return this.sendHello();
		return this.sendJoin();
	}

	startKeepAlives() {
		let last = Math.floor(Math.random() * 1e6) + 1000;
		if (!this.opts.keepAliveMs)
			return;
		this.timer = setInterval(() => {
			this.keepAlives.set(++last, Date.now());
			this.write(S.keepAlive(last));
		}, this.opts.keepAliveMs);
	}

	onPlay(frame) {
		const { id, data } = frame;
		if (id === 0x00)
			return this.onKeepAlive(new Reader(data).i32());
		const message = id === 0x17 ? readServerbound(data) : null;
		const early = this.state !== 'DONE';
		if (early && !HANDSHAKE_CHANNELS.has(message?.channel))
			throw new Error(`packet ${id} ${message?.channel ?? ''} during the handshake (${this.state})`);
		if (message)
			return this.onPlugin(message);
		return this.onGame(frame);
	}

	onKeepAlive(value) {
		if (!this.keepAlives.has(value)) {
			this.unasked.push(value);
			return;
		}
		this.rttMs.push(Date.now() - this.keepAlives.get(value));
		this.keepAlives.delete(value);
	}

	onPlugin({ channel, data }) {
		this.plugins.push({ channel, data });
		this.emit('plugin', channel, data);
		if (channel === 'REGISTER') {
			this.registered.push(...data.toString('utf8').split('\0'));
			this.step('c-register');
		} else if (channel === 'FML|HS') {
			this.onHs(data);
		} else if (channel === 'MC|Brand') {
			this.brand = data.toString('utf8');
			this.step('c-brand');
		} else if (this.opts.echo && channel !== 'UNREGISTER') {
			this.plugin(channel, data);
		}
	}

	onGame({ id, data, raw }) {
		if (this.opts.echoIds.includes(id)) {
			this.write(raw);
		} else if (id === 0x01) {
			const text = new Reader(data).str(100);
			this.chats.push(text);
			if (this.opts.echo)
				this.chat(`<${this.name}> ${text}`);
		} else if (id === 0x06) {
			this.step('c-position');
		} else if (id === 0x15) {
			this.settings++;
			this.step('c-settings');
		}
	}

	// ---- FML handshake, the server's side ----

	sendHello() {
		const { helloVersion, override, dimension, channels } = this.opts;
		this.act('register', () => this.write(S.plugin('REGISTER', FML.register(channels))));
		return this.act('hello', () => {
			this.state = 'HELLO';
			this.hs(FML.serverHello(helloVersion, override ?? dimension));
		});
	}

	onHs(data) {
		const r = new Reader(data);
		const kind = r.u8();
		if (!this.opts.forge)
			return;
		if (this.state === 'DONE' || this.state === 'ENTERING')
			this.onLateAck(kind, r);
		else
			this.onHandshakeKind(kind, r);
	}

	onHandshakeKind(kind, r) {
		if (this.state === 'HELLO' && kind === FML.CLIENT_HELLO) {
			this.step('c-hello');
		} else if (this.state === 'HELLO' && kind === FML.MOD_LIST) {
			this.onModList(readModList(r));
		} else if (this.state === 'WAITINGCACK' && kind === FML.ACK) {
			this.step(`c-ack${r.u8()}`);
			this.sendRegistry();
		} else if (this.state === 'COMPLETE') {
			this.step(kind === FML.ACK ? `c-ack${r.u8()}` : 'c-other');
			this.complete();
		} else {
			throw new Error(`FML|HS kind ${kind} in state ${this.state}`);
		}
	}

	onModList(mods) {
		this.modList = mods;
		this.step('c-modlist');
		const why = this.opts.rejectMods?.(mods);
		if (why) {
			this.kick(why);
			return;
		}
		this.state = 'WAITINGCACK';
		this.act('modlist', () => this.hs(FML.modList(this.opts.mods)));
	}

	sendRegistry() {
		this.state = 'COMPLETE';
		this.act('modids', () => this.hs(FML.modIds(this.opts.ids)));
		this.act('ack2', () => this.hs(FML.ack(2)));
	}

	// The first frame after our Ack 2 ends it.
	complete() {
		this.state = 'ENTERING';
		this.act('ack3', () => this.hs(FML.ack(3)));
		this.sendJoin();
	}

	onLateAck(kind, r) {
		if (kind === FML.ACK)
			this.step(`c-ack${r.u8()}`);
	}

	sendJoin() {
		const { eid, gamemode, dimension, levelType } = this.opts;
		const byte = (dimension << 24) >> 24;
		this.act('join', () => {
			for (const bytes of this.opts.beforeJoin)
				this.write(bytes);
			this.write(S.joinGame({ eid, gamemode, dimension: byte, levelType }));
			this.state = 'DONE';
		});
		this.act('spawn', () => this.write(Buffer.concat([S.spawn(), S.abilities()])));
		return this.act('position', () => {
			this.write(Buffer.concat([S.chunk(0, 0), S.position(), S.time()]));
			for (const bytes of this.opts.afterJoin)
				this.write(bytes);
		});
	}
}

function readServerbound(data) {
	const r = new Reader(data);
	const channel = r.str(20);
	const size = r.i16();
	if (size < 0 || size > 32766)
		throw new Error(`plugin message of ${size} bytes on ${channel}`);
	const payload = r.take(size);
	r.done();
	return { channel, data: payload };
}

class ForgeServer extends EventEmitter {
	constructor(opts = {}) {
		super();
		this.opts = { ...DEFAULTS, ...opts };
		this.conns = [];
		this.errors = [];
		// Name -> connection of who is logged in now.
		this.players = new Map();
		// Logins of a name that was still in: a proxy must never cause one.
		this.doubles = [];
	}

	async start() {
		const { host, port, path } = this.opts;
		this.net = net.createServer((socket) => {
			const conn = new Conn(this, socket);
			this.conns.push(conn);
			this.emit('conn', conn);
		});
		await new Promise((resolve, reject) => {
			this.net.once('error', reject);
			this.net.listen(path ? { path } : { host, port }, resolve);
		});
		this.port = path ? null : this.net.address().port;
		this.address = path ?? `${host}:${this.port}`;
		return this;
	}

	onLogin(conn) {
		const old = this.players.get(conn.name);
		if (old) {
			this.doubles.push(conn.name);
			old.kick('You logged in from another location');
		}
		this.players.set(conn.name, conn);
	}

	onGone(conn) {
		if (this.players.get(conn.name) === conn)
			this.players.delete(conn.name);
		this.emit('gone', conn);
	}

	get last() {
		return this.conns[this.conns.length - 1];
	}

	// The newest connection of `name` (any when omitted), once it stands in the world.
	async player(name, ms = 5000) {
		const conn = await until(() => this.conns.findLast((c) => c.name !== null && !c.closed &&
			(!name || c.name === name)), ms, `${name ?? 'anyone'} on ${this.opts.name}`);
		await conn.joined(ms);
		return conn;
	}

	// Throws when something arrived that a real server would not have survived.
	check() {
		if (this.errors.length)
			throw new Error(this.errors.join('; '));
		if (this.doubles.length)
			throw new Error(`${this.opts.name}: logged in twice: ${this.doubles.join(', ')}`);
	}

	// Stops listening and drops everyone.
	async stop() {
		const closed = new Promise((resolve) => this.net.close(resolve));
		for (const conn of this.conns)
			conn.socket.destroy();
		await closed;
	}
}

module.exports = { ForgeServer, STEPS, plainText };
