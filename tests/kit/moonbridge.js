'use strict';
// Starts the proxy under test, collects what it says, and judges how it ended.

const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { until, freePort } = require('./wait');

const BINARY = process.env.MOONBRIDGE
	? path.resolve(process.env.MOONBRIDGE)
	: path.join(__dirname, '..', '..', 'build', 'moonbridge');

// The one line that says "players can come". When it does not come, an answered connect counts as
// ready; not at once, for a probe is a connection that the proxy counts.
const READY = /\bmsg="?(ready|listening)\b/;
const SANITIZER = /(ERROR|WARNING): \w*Sanitizer|runtime error:|Assertion .* failed/;
const PROBE_AFTER_MS = 500;
const STOP_LIMIT_MS = 15000;

const running = new Set();

// logfmt to an object; quoted values are unescaped.
function parseLogfmt(line) {
	const fields = {};
	for (const [, key, quoted, plain] of line.matchAll(/([\w.-]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g))
		fields[key] = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1');
	return fields;
}

class Moonbridge {
	// config: an object (written as JSON, which is YAML), or YAML text; `{port}` in it is replaced by
	// a free port. An object gets listen and workers: 3 unless it has its own.
	// opts: port, env, args, binary, wrapper (words before the program), connectTo ({ path } or
	// { host, port } for the readiness check), readyMs, expectExit
	constructor(config = {}, opts = {}) {
		this.config = config;
		this.opts = { env: {}, args: [], binary: BINARY, wrapper: [], readyMs: 15000, ...opts };
		this.output = '';
		this.exit = null;
	}

	static async start(config, opts) {
		const proxy = new Moonbridge(config, opts);
		await proxy.launch();
		await proxy.ready();
		return proxy;
	}

	// Runs to its end: for --check, --version, broken configs. { code, signal, output, stdout }.
	static async run(args, { config, env = {}, binary = BINARY, ms = 20000 } = {}) {
		const proxy = new Moonbridge(config ?? {}, { args, env, binary });
		if (config !== undefined)
			proxy.opts.args = args.map((word) => (word === '{config}' ? proxy.writeConfig() : word));
		proxy.spawn(proxy.opts.args);
		try {
			await until(() => proxy.exit, ms, `moonbridge ${args.join(' ')} to end`);
		} finally {
			proxy.kill();
			proxy.removeFiles();
		}
		return { ...proxy.exit, output: proxy.output, stdout: proxy.stdout };
	}

	async launch() {
		this.port = this.opts.port ?? await freePort();
		const file = this.writeConfig();
		this.spawn(['--config', file, ...this.opts.args]);
	}

	configText() {
		if (typeof this.config === 'string')
			return this.config;
		const full = { workers: 3, ...this.config };
		if (!full.listen && !full.listeners)
			full.listen = '127.0.0.1:{port}';
		return JSON.stringify(full, null, 2) + '\n';
	}

	writeConfig() {
		this.dir ??= fs.mkdtempSync(path.join(os.tmpdir(), 'moonbridge-test-'));
		const file = path.join(this.dir, 'moonbridge.yml');
		fs.writeFileSync(file, this.configText().replaceAll('{port}', String(this.port)));
		return file;
	}

	spawn(args) {
		const words = [...this.opts.wrapper, this.opts.binary, ...args];
		this.stdout = '';
		this.child = spawn(words[0], words.slice(1), {
			env: { ...process.env, ...this.opts.env },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		running.add(this);
		const keep = (text) => {
			this.output += text;
		};
		this.child.stdout.setEncoding('utf8').on('data', (text) => {
			this.stdout += text;
			keep(text);
		});
		this.child.stderr.setEncoding('utf8').on('data', keep);
		this.child.on('error', (err) => {
			this.output += `${err.message}\n`;
			this.exit ??= { code: null, signal: null, error: err.message };
		});
		// "close" comes after the last output.
		this.child.on('close', (code, signal) => {
			running.delete(this);
			this.exit ??= { code, signal };
		});
	}

	get pid() {
		return this.child.pid;
	}

	async ready() {
		const probeFrom = Date.now() + PROBE_AFTER_MS;
		await until(async () => {
			if (this.exit)
				throw new Error(`moonbridge ended (${JSON.stringify(this.exit)}):\n${this.output}`);
			return READY.test(this.output) || (Date.now() > probeFrom && this.answers());
		}, this.opts.readyMs, () => `moonbridge to be ready; it said:\n${this.output}`);
	}

	answers() {
		const to = this.opts.connectTo ?? { host: '127.0.0.1', port: this.port };
		return new Promise((resolve) => {
			const socket = net.connect(to, () => {
				socket.destroy();
				resolve(true);
			});
			socket.on('error', () => setTimeout(resolve, 30, false));
		});
	}

	// Lines of output as { field: value }, newest last; `filter`: object of wanted fields or a test.
	logs(filter = () => true) {
		const test = typeof filter === 'function' ? filter
			: (line) => Object.entries(filter).every(([key, value]) => line[key] === String(value));
		return this.output.split('\n').filter(Boolean).map(parseLogfmt).filter(test);
	}

	// The first log line that matches (as in `logs`), once it is there.
	log(filter, ms = 5000) {
		return until(() => this.logs(filter)[0], ms, () => `a log line ${JSON.stringify(filter)}; ` +
			`there is:\n${this.output.slice(-4000)}`);
	}

	signal(name) {
		this.child.kill(name);
	}

	// SIGTERM, then waits. Throws on a bad exit code, a sanitizer's report or an assertion.
	async stop() {
		if (!this.exit)
			this.signal('SIGTERM');
		try {
			await until(() => this.exit, STOP_LIMIT_MS, () => `moonbridge to stop:\n${this.output.slice(-4000)}`);
		} finally {
			this.kill();
			this.removeFiles();
		}
		this.check(this.opts.expectExit ?? 0);
	}

	check(code = 0) {
		if (SANITIZER.test(this.output))
			throw new Error(`moonbridge reported:\n${this.output.slice(-8000)}`);
		if (this.exit && this.exit.code !== code)
			throw new Error(`moonbridge ended with ${JSON.stringify(this.exit)}:\n${this.output.slice(-4000)}`);
	}

	// At once, without a judgement: for clean-up.
	kill() {
		if (!this.exit)
			this.child.kill('SIGKILL');
	}

	removeFiles() {
		if (this.dir)
			fs.rmSync(this.dir, { recursive: true, force: true });
	}

	// ---- measured from outside ----

	descriptors() {
		return fs.readdirSync(`/proc/${this.pid}/fd`).length;
	}

	// Bytes: { rss, pss, anonymous, ... } of smaps_rollup.
	memory() {
		const memory = {};
		const text = fs.readFileSync(`/proc/${this.pid}/smaps_rollup`, 'utf8');
		for (const [, name, kib] of text.matchAll(/^(\w+):\s+(\d+) kB$/gm))
			memory[name.toLowerCase()] = Number(kib) * 1024;
		return memory;
	}

	// Nanoseconds of processor time of all its threads.
	cpuNs() {
		return fs.readdirSync(`/proc/${this.pid}/task`).reduce((sum, task) => {
			const [run] = fs.readFileSync(`/proc/${this.pid}/task/${task}/schedstat`, 'utf8').split(' ');
			return sum + BigInt(run);
		}, 0n);
	}

	// Descriptors are back at `count` within `ms`.
	backTo(count, ms = 10000) {
		return until(() => this.descriptors() <= count, ms,
			() => `${this.descriptors()} descriptors to become ${count}`);
	}
}

// A crashed test leaves nothing behind.
process.on('exit', () => {
	for (const proxy of running)
		proxy.child.kill('SIGKILL');
});

module.exports = { Moonbridge, parseLogfmt, READY, BINARY };
