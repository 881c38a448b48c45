/**
 * What yargs takes of `node:assert`, in its place in the bundle: the module itself takes 2 ms of each start to be loaded.
 */
module.exports = {
  strictEqual(actual, expected, message) {
    if (!Object.is(actual, expected)) throw new Error(message ?? `${actual} is not ${expected}`);
  },
  notStrictEqual(actual, expected, message) {
    if (Object.is(actual, expected)) throw new Error(message ?? `it is ${actual}`);
  },
};
