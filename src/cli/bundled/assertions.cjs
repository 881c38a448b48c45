/**
 * The part of `node:assert` that yargs uses, as its replacement in the bundle: loading the module itself takes 2 ms of
 * each start.
 */
module.exports = {
  strictEqual(actual, expected, message) {
    if (!Object.is(actual, expected)) throw new Error(message ?? `${actual} is not ${expected}`);
  },
  notStrictEqual(actual, expected, message) {
    if (Object.is(actual, expected)) throw new Error(message ?? `it is ${actual}`);
  },
};
