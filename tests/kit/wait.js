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

// A port of 127.0.0.1 that nobody listens on now.
function freePort() {
	const server = require('node:net').createServer();
	return new Promise((resolve, reject) => {
		server.on('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

module.exports = { sleep, until, within, freePort };
