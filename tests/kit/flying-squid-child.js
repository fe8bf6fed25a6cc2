'use strict';
// The child of mc.flyingSquid(): one flat world, nothing kept on disk, no console.

const { freePort } = require('./wait');
const { e2eRequire } = require('./ws-stream');

async function main({ port = 0, ...settings }) {
	const chosen = port || await freePort();
	const server = e2eRequire('flying-squid').createMCServer({
		motd: 'flying-squid', 'max-players': 50, 'online-mode': false, logging: false, host: '127.0.0.1',
		gameMode: 1, difficulty: 0, worldFolder: undefined, generation: {
			name: 'superflat', options: { worldHeight: 80 },
		},
		kickTimeout: 10000, plugins: {}, modpe: false, 'view-distance': 2, 'player-list-text': {
			header: 'header', footer: 'footer',
		},
		'everybody-op': true, 'max-entities': 20, port: chosen, ...settings,
	});
	server._server.on('listening', () => process.send({ port: chosen }));
	server._server.on('error', (err) => {
		console.error(err);
		process.exit(1);
	});
}

process.on('disconnect', () => process.exit(0));
main(JSON.parse(process.argv[2]));
