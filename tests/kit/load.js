'use strict';
// The C helpers, driven from JS: mbload (load/) and the malloc counter (shim/). Both are built by
// meson; MBLOAD and MBMALLOCS name other places.

const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { until } = require('./wait');

const BUILD = process.env.MOONBRIDGE
	? path.dirname(path.resolve(process.env.MOONBRIDGE))
	: path.join(__dirname, '..', '..', 'build');
const MBLOAD = process.env.MBLOAD ?? path.join(BUILD, 'tests', 'kit', 'load', 'mbload');
const MALLOCS = process.env.MBMALLOCS ?? path.join(BUILD, 'tests', 'kit', 'shim', 'libmallocs.so');

const running = new Set();

// { serverHost: 'x', reset: true } to ['--server-host', 'x', '--reset']; false and null are left out.
function words(opts) {
	return Object.entries(opts).flatMap(([key, value]) => {
		const name = `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;
		if (value === true)
			return [name];
		return value === false || value == null ? [] : [name, String(value)];
	});
}

class Load {
	// command: join | echo | status | churn | backend; opts: mbload's options in camelCase.
	constructor(command, opts = {}) {
		this.command = command;
		this.stdout = '';
		this.stderr = '';
		this.exit = null;
		this.child = spawn(MBLOAD, [command, ...words(opts)], { stdio: ['ignore', 'pipe', 'pipe'] });
		running.add(this.child);
		this.child.stdout.on('data', (text) => { this.stdout += text; });
		this.child.stderr.on('data', (text) => { this.stderr += text; });
		this.child.on('error', (err) => { this.exit ??= { code: null, error: err.message }; });
		this.child.on('close', (code) => {
			running.delete(this.child);
			this.exit ??= { code };
		});
	}

	// All players of a join or echo are in (or failed): { joined, failed }.
	async joined(ms = 60000) {
		const [, joined, failed] = await this.said(/joined (\d+) failed (\d+)/, ms);
		return { joined: Number(joined), failed: Number(failed) };
	}

	// A backend listens; the port.
	async listening(ms = 5000) {
		const [, port] = await this.said(/listening (\d+)/, ms);
		return Number(port);
	}

	said(pattern, ms) {
		return until(() => {
			const match = pattern.exec(this.stderr);
			if (!match && this.exit)
				throw new Error(`mbload ${this.command} ended with ${JSON.stringify(this.exit)}: ${this.stderr}`);
			return match;
		}, ms, `mbload ${this.command}: ${pattern}`);
	}

	// Waits for the end: the result line, with `code`.
	async result(ms = 120000) {
		await until(() => this.exit, ms, `mbload ${this.command} to end`);
		if (!this.stdout)
			throw new Error(`mbload ${this.command} ended with ${JSON.stringify(this.exit)}: ${this.stderr}`);
		return { ...JSON.parse(this.stdout), code: this.exit.code };
	}

	// Ends it early (hold, backend) and returns the result.
	stop() {
		this.child.kill('SIGTERM');
		return this.result(15000);
	}
}

// Runs to the end; throws unless it went well. Returns the result line.
async function load(command, opts, ms) {
	const result = await new Load(command, opts).result(ms);
	if (result.code !== 0)
		throw new Error(`mbload ${command}: ${JSON.stringify(result)}`);
	return result;
}

// A fake server of mbload: { load, port, stop() }.
async function loadBackend(opts = {}) {
	const backend = new Load('backend', opts);
	const port = await backend.listening();
	return { load: backend, port, stop: () => backend.stop() };
}

// Environment that counts allocations into `file`, and options to let some fail.
function mallocEnv(file, { oomAt = 0, oomCount = 1 } = {}) {
	return {
		LD_PRELOAD: MALLOCS,
		MOONBRIDGE_MALLOCS: file,
		MOONBRIDGE_OOM_AT: String(oomAt),
		MOONBRIDGE_OOM_COUNT: String(oomCount),
	};
}

const COUNTERS = ['allocations', 'frees', 'bytes', 'failed', 'failAt', 'failCount', 'offMain'];

// The counters of a running program, now; null while it has not begun to count (the file is there a
// moment before its contents).
function readMallocs(file) {
	const bytes = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
	if (bytes.toString('latin1', 0, 8) !== 'MMBMALL1')
		return null;
	return Object.fromEntries(COUNTERS.map((name, i) => [name, Number(bytes.readBigUInt64LE(8 + 8 * i))]));
}

// From its next allocation + `after` on, `count` allocations of the running program fail (0: all).
function failMallocs(file, { after = 0, count = 1 } = {}) {
	const out = Buffer.alloc(8);
	const fd = fs.openSync(file, 'r+');
	out.writeBigUInt64LE(BigInt(count));
	fs.writeSync(fd, out, 0, 8, 8 + 8 * COUNTERS.indexOf('failCount'));
	out.writeBigUInt64LE(BigInt(readMallocs(file).allocations + 1 + after));
	fs.writeSync(fd, out, 0, 8, 8 + 8 * COUNTERS.indexOf('failAt'));
	fs.closeSync(fd);
}

process.on('exit', () => {
	for (const child of running)
		child.kill('SIGKILL');
});

module.exports = { Load, load, loadBackend, mallocEnv, readMallocs, failMallocs, MBLOAD, MALLOCS };
