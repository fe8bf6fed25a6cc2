'use strict';
// Waiting with a limit: a test never hangs and always says what it waited for.

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Polls `check` until it returns something truthy and returns that; throws after `ms`.
// `check` may be async. An exception of `check` ends the wait.
async function until(check, ms = 5000, what = check.toString()) {
	const end = Date.now() + ms;
	for (;;) {
		const value = await check();
		if (value)
			return value;
		if (Date.now() > end)
			throw new Error(`waited ${ms} ms for ${typeof what === 'function' ? what() : what}`);
		await sleep(5);
	}
}

// The promise's result, or an error that names `what` after `ms`.
function within(promise, ms, what) {
	let timer;
	const limit = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${what}`)), ms);
	});
	return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

// Ports that the kernel gives to nobody by itself (they lie below its own range), and a stretch of
// them for each process: two test files that run at once never find the same one free.
const STRETCH = 100;
const FIRST_PORT = 10000 + STRETCH * ((process.pid * 97) % 220);
let portsGiven = 0;

function canListen(port) {
	const server = require('node:net').createServer();
	return new Promise((resolve) => {
		server.on('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}

// A port of 127.0.0.1 that nobody listens on now.
async function freePort() {
	for (let tries = 0; tries < STRETCH; tries++) {
		const port = FIRST_PORT + portsGiven++ % STRETCH;
		if (await canListen(port))
			return port;
	}
	throw new Error(`no free port from ${FIRST_PORT} on`);
}

module.exports = { sleep, until, within, freePort };
