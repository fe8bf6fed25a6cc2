'use strict';
// A Forge client on a Forge server, both cleaned up with the test.

const { ForgeClient, ForgeServer } = require('..');

async function serve(t, opts) {
	const server = await new ForgeServer(opts).start();
	t.after(() => server.stop());
	return server;
}

function clientOf(t, server, opts) {
	const client = new ForgeClient({ port: server.port, tickMs: 5, ...opts });
	t.after(() => client.abort());
	return client;
}

// Both in the world: { server, client, conn }.
async function pair(t, serverOpts, clientOpts) {
	const server = await serve(t, serverOpts);
	const client = clientOf(t, server, clientOpts);
	await client.connect();
	await client.positioned();
	const conn = server.last;
	await conn.playing();
	return { server, client, conn };
}

module.exports = { serve, clientOf, pair };
