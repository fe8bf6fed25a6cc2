'use strict';
// The client's side of the FML handshake of 1.7.10, as a strict state machine. It runs on the
// client's network thread: a message acts at once, whatever the main thread still has to do.

const { Reader, FML, readModList, readModIds } = require('./wire');

const STATES = ['START', 'HELLO', 'WAITINGSERVERDATA', 'WAITINGSERVERCOMPLETE', 'PENDINGCOMPLETE',
	'COMPLETE', 'DONE'];
const FIRST_BUILD_WITH_RESET = 1209;

class FmlClient {
	// client: { model, send(channel, data), reject(text) }
	// opts: mods, build, acks ('all' | 'few'), rejectMods(list) -> text, channels
	constructor(client, opts) {
		this.client = client;
		this.opts = opts;
		this.state = 'START';
		this.history = [];
		this.resets = 0;
		this.ignored = 0;
		// The registry in force: null = the client's own. `ids` maps names to numbers.
		this.registry = null;
		this.serverMods = null;
	}

	get number() {
		return STATES.indexOf(this.state);
	}

	enter(state) {
		this.state = state;
		this.history.push(state);
	}

	start() {
		this.enter('HELLO');
	}

	register() {
		this.client.send('REGISTER', FML.register(this.opts.channels));
	}

	ack(phase) {
		if (this.opts.acks === 'all' || phase !== 3)
			this.client.send('FML|HS', FML.ack(phase));
	}

	// Join Game came: without a ServerHello before it the server is taken for a vanilla one.
	// `after` is a reset that no handshake followed: a real client would stay in between for ever.
	onJoinGame() {
		if (this.state === 'DONE')
			return;
		if (this.state !== 'HELLO' || this.resets)
			throw new Error(`Join Game while the handshake is in ${this.state}`);
		this.register();
		this.enter('DONE');
	}

	onMessage(data) {
		const r = new Reader(data);
		const kind = r.u8();
		if (this.state === 'DONE')
			return this.onDone(kind, r);
		const act = this[`on${this.state}`];
		if (!act)
			throw new Error(`FML|HS kind ${kind} in state ${this.state}`);
		return act.call(this, kind, r);
	}

	expect(kind, wanted) {
		if (kind !== wanted)
			throw new Error(`FML|HS kind ${kind} in state ${this.state}, ${wanted} expected`);
	}

	onHELLO(kind, r) {
		this.expect(kind, FML.SERVER_HELLO);
		const version = r.u8();
		if (version > 1)
			this.client.model.override = r.i32();
		r.done();
		this.register();
		this.client.send('FML|HS', FML.clientHello(2));
		this.client.send('FML|HS', FML.modList(this.opts.mods));
		this.enter('WAITINGSERVERDATA');
	}

	onWAITINGSERVERDATA(kind, r) {
		this.expect(kind, FML.MOD_LIST);
		this.serverMods = readModList(r);
		const why = this.opts.rejectMods?.(this.serverMods);
		if (why) {
			this.client.reject(why);
			return;
		}
		this.ack(2);
		this.enter('WAITINGSERVERCOMPLETE');
	}

	onWAITINGSERVERCOMPLETE(kind, r) {
		this.expect(kind, FML.MOD_IDS);
		const ids = readModIds(r);
		if (!ids.size)
			throw new Error('empty registry');
		this.changeRegistry({ ids, size: r.bytes.length });
		this.ack(3);
		this.enter('PENDINGCOMPLETE');
	}

	onPENDINGCOMPLETE(kind, r) {
		this.expect(kind, FML.ACK);
		this.expectPhase(r, 2);
		this.ack(4);
		this.enter('COMPLETE');
	}

	onCOMPLETE(kind, r) {
		this.expect(kind, FML.ACK);
		this.expectPhase(r, 3);
		this.ack(5);
		this.enter('DONE');
	}

	expectPhase(r, wanted) {
		const phase = r.u8();
		r.done();
		if (phase !== wanted)
			throw new Error(`Ack ${phase} of the server in state ${this.state}, ${wanted} expected`);
	}

	onDone(kind) {
		if (kind !== FML.RESET) {
			this.ignored++;
			return;
		}
		if (this.opts.build < FIRST_BUILD_WITH_RESET)
			throw new Error(`a reset, which build ${this.opts.build} does not know`);
		this.resets++;
		this.changeRegistry(null);
		this.enter('HELLO');
	}

	// The well-known crash: names and numbers of blocks change below a world that is on screen.
	changeRegistry(registry) {
		if (this.client.model.world?.drawn && !this.opts.resetInWorld)
			throw new Error('registries changed under a drawn world');
		this.registry = registry;
	}
}

module.exports = { FmlClient, STATES };
