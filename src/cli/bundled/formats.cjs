/**
 * What yargs takes of `node:util`, in its place in the bundle: an import of the module itself loads parts of Node for
 * everything that it exports.
 */
const { format, inspect } = require('node:util');

module.exports = { format, inspect };
