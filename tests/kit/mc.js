'use strict';
// Third-party peers with one face: each launcher returns an object with stop(). They need the
// packages of tests/e2e.

const { fork } = require('node:child_process');
const { once } = require('node:events');
const { until, within } = require('./wait');
const { e2eRequire } = require('./ws-stream');
const { plainText } = require('./wire');

const protocolLibrary = () => e2eRequire('minecraft-protocol');

// The text of a chat, kick or disconnect packet, whichever form the version has (JSON text, JSON
// value, NBT).
function textOf(value) {
	if (value?.type === 'string' && 'value' in value)
		return value.value;
	if (typeof value === 'string') {
		try {
			return plainText(JSON.parse(value));
		} catch {
			return value;
		}
	}
	if (value && value.type && 'value' in value)
		return plainText(simple(value));
	return plainText(value ?? '');
}

// NBT as prismarine-nbt has it, to plain values.
function simple(tag) {
	if (tag.type === 'compound')
		return Object.fromEntries(Object.entries(tag.value).map(([key, inner]) => [key || 'text', simple(inner)]));
	if (tag.type === 'list')
		return tag.value.value.map((inner) => simple({ type: tag.value.type, value: inner }));
	return tag.value;
}

// A client of minecraft-protocol. opts: port, host, name, version ('1.7.10'), stream (an open Duplex,
// e.g. a WsStream), serverHost (the host in the handshake), and any option of the library.
// Returns { client, name, stop(), joined(), ended(), kicked, chats, packets, say(), until() }.
function protocolClient({ name = 'Player', version = '1.7.10', host = '127.0.0.1', port, stream,
	serverHost, ...rest } = {}) {
	const options = { username: name, version, host, port, auth: 'offline', hideErrors: true, ...rest };
	if (serverHost !== undefined)
		options.fakeHost = serverHost;
	if (stream)
		// With the `stream` option the library never sends the handshake.
		options.connect = (c) => {
			c.setSocket(stream);
			setImmediate(() => c.emit('connect'));
		};
	const client = protocolLibrary().createClient(options);
	return new ProtocolClient(client, name, stream);
}

class ProtocolClient {
	constructor(client, name, stream) {
		this.client = client;
		this.name = name;
		this.stream = stream;
		this.kicked = null;
		this.isEnded = false;
		this.error = null;
		this.logins = 0;
		this.positions = 0;
		this.chats = [];
		// Names of all packets, in order.
		this.packets = [];
		client.on('error', (err) => { this.error = err; });
		client.on('end', () => { this.isEnded = true; });
		client.on('disconnect', (packet) => { this.kicked = textOf(packet.reason); });
		client.on('kick_disconnect', (packet) => { this.kicked = textOf(packet.reason); });
		client.on('packet', (_data, meta) => this.packets.push(meta.name));
		client.on('login', () => { this.logins++; });
		client.on('position', (packet) => this.onPosition(packet));
		for (const kind of ['chat', 'system_chat'])
			client.on(kind, (packet) => this.chats.push(textOf(packet.message ?? packet.content)));
	}

	onPosition(packet) {
		this.positions++;
		this.position = packet;
		if (this.client.version === '1.7.10' || this.client.version === '1.7')
			this.client.write('position_look', { ...packet, stance: packet.y, y: packet.y - 1.62, onGround: false });
	}

	until(check, ms = 8000, what = check.toString()) {
		return until(() => {
			const value = check();
			if (!value && this.isEnded)
				throw new Error(`${this.name}: ended (${this.why()}) while waiting for ${what}`);
			return value;
		}, ms, () => `${this.name}: ${what}; packets: ${this.packets.slice(-20)}`);
	}

	why() {
		return this.kicked ?? this.error?.message ?? 'no reason';
	}

	joined(n = 1, ms = 8000) {
		return this.until(() => this.logins >= n && this.positions >= n, ms, `Join Game ${n} and a position`);
	}

	sawChat(part, ms = 8000) {
		return this.until(() => this.chats.find((text) => text.includes(part)), ms, `chat "${part}"`);
	}

	// Resolves with the reason once the connection has ended.
	async ended(ms = 10000) {
		await until(() => this.isEnded, ms, () => `${this.name}: the end`);
		return this.why();
	}

	say(text) {
		if (typeof this.client.chat === 'function')
			this.client.chat(text);
		else
			this.client.write('chat', { message: text });
	}

	stop() {
		endNow(this.client);
		this.stream?.destroy();
	}
}

// The library keeps a timer of 30 s behind every end, which would keep the process.
function endNow(client) {
	clearTimeout(client.closeTimer);
	client.end('test is over');
	clearTimeout(client.closeTimer);
	(client.socket?.destroySoon ?? client.socket?.destroy)?.call(client.socket);
}

// A server of minecraft-protocol: opts as the library's createServer (version '1.7.10', port 0 picks
// one). Gives every player a world and echoes chat and plugin messages.
// Returns { server, port, clients, errors, stop(), player(name) }.
async function protocolServer({ version = '1.7.10', motd = 'A server', ...rest } = {}) {
	const server = protocolLibrary().createServer({
		'online-mode': false, host: '127.0.0.1', port: 0, version, motd, keepAlive: true, ...rest,
	});
	const self = new ProtocolServer(server, version);
	await within(once(server, 'listening'), 5000, 'minecraft-protocol server to listen');
	self.port = server.socketServer.address().port;
	return self;
}

class ProtocolServer {
	constructor(server, version) {
		this.server = server;
		this.version = version;
		this.clients = [];
		this.errors = [];
		server.on('error', (err) => this.errors.push(err.message));
		// From 1.20.2 on a player is in the world after the configuration phase only.
		server.on('playerJoin', (client) => this.onLogin(client));
	}

	onLogin(client) {
		this.clients.push(client);
		client.seen = [];
		client.on('error', (err) => this.errors.push(err.message));
		client.on('end', () => { client.isGone = true; });
		client.on('packet', (data, meta) => client.seen.push({ name: meta.name, data }));
		if (this.version.startsWith('1.7'))
			joinOld(client);
		else
			joinNew(client, this.version);
		const answer = ({ message }) => sayTo(client, this.version, `<${client.username}> ${message}`);
		client.on('chat', answer);
		client.on('chat_message', answer);
		client.on('custom_payload', ({ channel, data }) => {
			if (!/^(MC\||REGISTER|minecraft:)/.test(channel))
				client.write('custom_payload', { channel, data });
		});
	}

	player(name, ms = 8000) {
		return until(() => this.clients.findLast((c) => c.username === name && !c.isGone), ms, `${name} on the server`);
	}

	stop() {
		for (const client of this.clients)
			endNow(client);
		this.server.close();
	}
}

function joinOld(client) {
	client.write('login', {
		entityId: client.id, gameMode: 1, dimension: 0, difficulty: 2, maxPlayers: 20, levelType: 'default',
	});
	client.write('spawn_position', { location: { x: 0, y: 64, z: 0 } });
	client.write('abilities', { flags: 6, flyingSpeed: 0.05, walkingSpeed: 0.1 });
	client.write('position', { x: 0.5, y: 65.62, z: 0.5, yaw: 0, pitch: 0, onGround: false });
}

function joinNew(client, version) {
	const data = e2eRequire('minecraft-data')(version);
	client.write('login', {
		gameMode: 1, dimension: 0, difficulty: 2, maxPlayers: 20, levelType: 'default', reducedDebugInfo: false,
		...data.loginPacket, entityId: client.id, enforceSecureProfile: false, enforcesSecureChat: false,
	});
	client.write('position', { x: 0, y: 100, z: 0, dx: 0, dy: 0, dz: 0, yaw: 0, pitch: 0, flags: 0, teleportId: 1 });
}

// System chat, in the form of the version.
function sayTo(client, version, text) {
	const data = e2eRequire('minecraft-data')(version);
	if (data.isOlderThan('1.19'))
		client.write('chat', { message: JSON.stringify({ text }), position: 0, sender: '0' });
	else if (data.isOlderThan('1.20.3'))
		client.write('system_chat', { content: JSON.stringify({ text }), isActionBar: false });
	else
		client.write('system_chat', { content: { type: 'string', value: text }, isActionBar: false });
}

// The answer to a status request of the library's own client.
function ping({ host = '127.0.0.1', port, version = '1.7.10', stream, ...rest }) {
	return within(new Promise((resolve, reject) => {
		protocolLibrary().ping({ host, port, version, noPongTimeout: 2000, ...rest },
			(err, answer) => (err ? reject(err) : resolve(answer)));
	}), 5000, 'the status answer');
}

// A mineflayer bot (1.8.8 and newer). opts: port, name, version, stream, and those of mineflayer.
// Returns { bot, stop(), spawned(), walk(blocks), ended(), kicked }.
function bot({ name = 'Bot', version, host = '127.0.0.1', port, stream, ...rest }) {
	const options = { username: name, version, host, port, auth: 'offline', hideErrors: true, logErrors: false, ...rest };
	if (stream)
		options.connect = (c) => {
			c.setSocket(stream);
			setImmediate(() => c.emit('connect'));
		};
	return new Bot(e2eRequire('mineflayer').createBot(options), name, stream);
}

class Bot {
	constructor(mineflayerBot, name, stream) {
		this.bot = mineflayerBot;
		this.name = name;
		this.stream = stream;
		this.isSpawned = false;
		this.kicked = null;
		this.error = null;
		this.isEnded = false;
		this.bot.on('spawn', () => { this.isSpawned = true; });
		this.bot.on('kicked', (reason) => { this.kicked = textOf(reason); });
		this.bot.on('error', (err) => { this.error = err; });
		this.bot.on('end', () => { this.isEnded = true; });
	}

	until(check, ms, what) {
		return until(() => {
			const value = check();
			if (!value && this.isEnded)
				throw new Error(`${this.name}: ended (${this.kicked ?? this.error?.message}) while waiting for ${what}`);
			return value;
		}, ms, () => `${this.name}: ${what}`);
	}

	spawned(ms = 15000) {
		return this.until(() => this.isSpawned && this.bot.entity?.position, ms, 'spawn');
	}

	// Walks forward until it is that many blocks away from where it stood.
	async walk(blocks = 2, ms = 15000) {
		const from = this.bot.entity.position.clone();
		this.bot.setControlState('forward', true);
		this.bot.setControlState('jump', true);
		try {
			await this.until(() => this.bot.entity.position.distanceTo(from) >= blocks, ms,
				`${blocks} blocks from ${from}`);
		} finally {
			this.bot.clearControlStates();
		}
	}

	async ended(ms = 10000) {
		await until(() => this.isEnded, ms, () => `${this.name}: the end`);
		return this.kicked ?? this.error?.message ?? 'no reason';
	}

	stop() {
		endNow(this.bot._client);
		this.stream?.destroy();
	}
}

// flying-squid in a process of its own, quiet. opts: version, port (0 picks one) and its settings.
// Returns { port, output, stop() }.
async function flyingSquid({ version = '1.8.8', ...settings } = {}) {
	const child = fork(require.resolve('./flying-squid-child'), [JSON.stringify({ version, ...settings })],
		{ stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
	let output = '';
	child.stdout.on('data', (text) => { output += text; });
	child.stderr.on('data', (text) => { output += text; });
	const gone = once(child, 'exit');
	const kill = () => child.kill('SIGKILL');
	process.once('exit', kill);
	const ready = new Promise((resolve, reject) => {
		child.once('message', resolve);
		child.once('exit', (code) => reject(new Error(`flying-squid ended with ${code}:\n${output}`)));
	});
	const { port } = await within(ready, 20000, 'flying-squid').catch((err) => {
		kill();
		throw err;
	});
	return {
		port,
		pid: child.pid,
		get output() { return output; },
		async stop() {
			process.off('exit', kill);
			kill();
			await gone;
		},
	};
}

module.exports = { protocolClient, protocolServer, ping, bot, flyingSquid, textOf };
