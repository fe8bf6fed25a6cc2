'use strict';
// What a 1.7 client holds in memory that a wrong stream of packets would break: world, scoreboard,
// tab list. Strict like the real one: what crashes it throws here.

const { Reader } = require('./wire');

class Scoreboard {
	constructor() {
		this.objectives = new Map();
		this.teams = new Map();
		this.scores = new Map();
		this.display = new Map();
		this.warnings = [];
	}

	objective(data) {
		const r = new Reader(data);
		const name = r.str(16);
		const title = r.str(32);
		const mode = r.u8();
		r.done();
		if (mode === 0 && this.objectives.has(name))
			throw new Error(`objective ${name} created twice`);
		if (mode !== 0 && !this.objectives.has(name))
			throw new Error(`objective ${name} is unknown (mode ${mode})`);
		if (mode === 1)
			this.objectives.delete(name);
		else
			this.objectives.set(name, title);
	}

	score(data) {
		const r = new Reader(data);
		const item = r.str(16);
		if (r.u8() === 1) {
			r.done();
			this.scores.delete(item);
			return;
		}
		const objective = r.str(16);
		this.scores.set(item, { objective, value: r.i32() });
		r.done();
		if (!this.objectives.has(objective))
			this.warnings.push(`score of the unknown objective ${objective}`);
	}

	displayed(data) {
		const r = new Reader(data);
		const position = r.i8();
		this.display.set(position, r.str(16));
		r.done();
	}

	team(data) {
		const r = new Reader(data);
		const name = r.str(16);
		const mode = r.u8();
		if (mode === 0 && this.teams.has(name))
			throw new Error(`team ${name} created twice`);
		if (mode !== 0 && !this.teams.has(name))
			throw new Error(`team ${name} is unknown (mode ${mode})`);
		if (mode === 0)
			this.teams.set(name, new Set());
		if (mode === 0 || mode === 2) {
			for (let i = 0; i < 3; i++)
				r.str(32);
			r.u8();
		}
		if (mode === 0 || mode === 3 || mode === 4)
			this.members(r, name, mode);
		if (mode === 1)
			this.teams.delete(name);
		r.done();
	}

	members(r, name, mode) {
		const team = this.teams.get(name);
		for (let n = r.i16(); n > 0; n--) {
			const player = r.str(40);
			if (mode === 4 && !team.delete(player))
				throw new Error(`${player} taken out of team ${name}, is not in it`);
			if (mode !== 4) {
				for (const other of this.teams.values())
					other.delete(player);
				team.add(player);
			}
		}
	}
}

class World {
	constructor(dimension, join) {
		this.dimension = dimension;
		this.join = join;
		// Something of it was shown: registries must not change below it any more.
		this.drawn = false;
		this.chunks = 0;
		// The name of the server's dimension and ours differ: chunks would be read wrongly.
		this.mismatch = false;
	}
}

class ClientModel {
	constructor() {
		this.tab = new Map();
		this.scoreboard = new Scoreboard();
		this.world = null;
		this.eid = null;
		this.position = null;
		this.gamemode = null;
		this.flags = null;
		// Every Join Game and Respawn, in order: { kind, dimension, loaded }.
		this.loads = [];
		this.dimensions = new Set([-1, 0, 1]);
		// Set by a ServerHello of version 2, and sticky: replaces Join Game's byte unless 0.
		this.override = 0;
		this.downloading = false;
	}

	load(kind, dimension) {
		if (!this.dimensions.has(dimension))
			throw new Error(`${kind} into dimension ${dimension}, which this client does not know`);
		const loaded = kind === 'join' || dimension !== this.world.dimension;
		this.loads.push({ kind, dimension, loaded });
		if (!loaded)
			return;
		this.world = new World(dimension, kind === 'join');
		this.downloading = true;
		this.position = null;
	}

	joinGame(data) {
		const r = new Reader(data);
		this.eid = r.i32();
		this.gamemode = r.u8();
		const byte = r.i8();
		r.u8();
		r.u8();
		r.str(16);
		r.done();
		if ((this.gamemode & 7) > 2)
			throw new Error(`game mode ${this.gamemode}`);
		this.load('join', this.override || byte);
		this.world.mismatch = (this.world.dimension & 0xff) !== (byte & 0xff);
		this.scoreboard = new Scoreboard();
	}

	respawn(data) {
		const r = new Reader(data);
		const dimension = r.i32();
		r.u8();
		const gamemode = r.u8();
		r.str(16);
		r.done();
		if (gamemode > 2)
			throw new Error(`respawn with game mode ${gamemode}`);
		this.gamemode = gamemode;
		this.load('respawn', dimension);
	}

	positioned(data) {
		const r = new Reader(data);
		const [x, y, z, yaw, pitch] = [r.f64(), r.f64(), r.f64(), r.f32(), r.f32()];
		r.bool();
		r.done();
		this.position = { x, y, z, yaw, pitch };
		this.world.drawn = true;
		this.downloading = false;
		return this.position;
	}

	chunk() {
		if (this.world.mismatch)
			throw new Error(`chunk in dimension ${this.world.dimension}: left over from another server`);
		this.world.chunks++;
		this.world.drawn = true;
	}

	tabItem(data) {
		const r = new Reader(data);
		const name = r.str(16);
		const online = r.bool();
		const ping = r.i16();
		r.done();
		if (online)
			this.tab.set(name, ping);
		else
			this.tab.delete(name);
	}

	abilities(data) {
		const r = new Reader(data);
		this.flags = r.u8();
		r.f32();
		r.f32();
		r.done();
	}
}

module.exports = { ClientModel, Scoreboard };
