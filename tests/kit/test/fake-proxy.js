'use strict';
// Stands in for the proxy in the launcher's own tests: listens, says so, obeys SIGTERM; `fault` in
// the config makes it misbehave.

const fs = require('node:fs');
const net = require('node:net');

const at = process.argv.indexOf('--config');
if (at < 0) {
	console.log(`args ${process.argv.slice(2).join(' ')}`);
	process.exit(process.argv.includes('--bad') ? 2 : 0);
}
const config = JSON.parse(fs.readFileSync(process.argv[at + 1], 'utf8'));
if (config.fault === 'start') {
	console.error('level=error msg="cannot \\"start\\"" key=listen');
	process.exit(1);
}
const server = net.createServer((socket) => socket.on('error', () => {}));
server.listen(Number(config.listen.split(':')[1]), '127.0.0.1', () => {
	if (config.fault !== 'silent')
		console.error(`level=info msg=ready workers=${config.workers} listen=${config.listen}`);
});
process.on('SIGTERM', () => {
	if (config.fault === 'sanitizer')
		console.error('==1==ERROR: AddressSanitizer: heap-use-after-free');
	if (config.fault !== 'deaf')
		process.exit(config.fault === 'code' ? 1 : 0);
});
