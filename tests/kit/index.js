'use strict';
// The whole kit. Modules that need npm packages load them on first use.

module.exports = {
	wire: require('./wire'),
	...require('./forge-client'),
	...require('./forge-server'),
	...require('./recorder'),
	...require('./ws-stream'),
	...require('./ws-raw'),
	...require('./front'),
	...require('./moonbridge'),
	...require('./load'),
	mc: require('./mc'),
	...require('./wait'),
};
