/**
 * The part of `node:util` that yargs uses, as its replacement in the bundle: importing the module itself loads parts
 * of Node for everything that it exports.
 */
const { format, inspect } = require('node:util');

module.exports = { format, inspect };
