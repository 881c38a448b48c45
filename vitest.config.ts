import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// Folders whose tests compute in their own thread: they need nothing that is built but the kernels.
const plain = ['engine'];
const testsOf = (folder: string) => `test/${folder}/**/*.test.ts`;
const folders = plain.map(testsOf);

const words = process.argv.slice(2);
const named = words.filter(word => /^[^-]*\btest\//.test(word));
const isNamed = named.length > 0 || words.some(word => /^(?:-t|--testNamePattern)/.test(word));

/** What is named runs whole; of all the tests the fast ones run, and with `--mode all` the slow ones too. */
const isWhole = isNamed || words.join(' ').includes('--mode all');
const tagsFilter = isWhole ? [] : ['!slow'];

// Far above what any test takes, in its long form too: it only ends those that hang.
const isLong = process.env.TAGSTREAM_FULL === '1' || process.env.TAGSTREAM_FAULTS === 'long';
const timeout = isLong ? 4 * 3_600_000 : 300_000;

const built = 'test/house/build/build-once.ts';
// Those of them that train in threads, which run what is built.
const threaded = ['engine/models/group', 'engine/trainers/shards'].map(testsOf);
const engine = {
  name: 'engine',
  include: folders,
  exclude: threaded,
  globalSetup: 'test/house/build/kernels-once.ts',
};
const rest = {
  name: 'rest',
  include: [
    ...readdirSync('test')
      .filter(each => !plain.includes(each))
      .map(testsOf),
    ...threaded,
  ],
  globalSetup: built,
};
// Together they are one project, whose workers load each module once.
const whole = { name: 'all', include: ['test/**/*.test.ts'], globalSetup: built };

/** Projects are taken apart when one is asked for, and when all that is named needs only the engine. */
function projects() {
  if (words.some(word => word.startsWith('--project'))) return [engine, rest];
  const isEngine = (path: string) =>
    plain.some(folder => new RegExp(`\\btest/${folder}(?:/|$)`).test(path));
  return [named.length > 0 && named.every(isEngine) ? engine : whole];
}

export default defineConfig({
  test: {
    reporters: ['default', './test/house/summary-reporter.ts'],
    setupFiles: './test/house/setup.ts',
    tags: [{ name: 'slow', description: 'left out of `npm test`, for its time' }],
    ...{ tagsFilter },
    // Many tests wait for processes of their own, or for servers: three files at a time keep two processors busy.
    maxWorkers: 3,
    // A process for all files of a worker: to start one for each, and to load the same modules again, took a
    // quarter of the time. So a module keeps its state from file to file: hooks belong into the test files.
    isolate: false,
    // A browser on a busy machine takes longer than the usual second.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: timeout,
    hookTimeout: timeout,
    projects: projects().map(test => ({ extends: true, test })),
  },
});
