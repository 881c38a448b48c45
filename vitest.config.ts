import { defineConfig } from 'vitest/config';
import { plain } from './test/house/share/long-tests.js';
import { shareSeed } from './test/house/share/seed.js';

// For the workers, and printed with the counts.
process.env.TAGSTREAM_SEED = String(shareSeed());
// Of files that are named all is run.
if (process.argv.some(word => /^[^-].*\.test\.ts(?::\d+)?$/.test(word)))
  process.env.TAGSTREAM_NAMED = '1';

// Far above what any test takes, in its long form too: it only ends those that hang.
const timeout = process.env.TAGSTREAM_FULL === '1' ? 3_600_000 : 300_000;

/** Tests of the project `unit`. */
const short = plain.map(folder => `test/${folder}/**/*.test.ts`);

/** Those of them that need threads, or take seconds: long comparisons with definitions, enumerations and oracles. */
const long = [
  'test/features/index/packed-keys.test.ts',
  'test/inference/{constrained-decoding,extreme-scores,hidden-states,n-best,random-problems}.test.ts',
  'test/inference/{masked-scaling,underflow}.test.ts',
  'test/inference/scorers/memm-scorer.test.ts',
  'test/inference/structures/codes/output-codes.test.ts',
  'test/inference/**/enumeration.test.ts',
  'test/kernels/trees/forest.test.ts',
  'test/losses/{gradients,listed-residuals,local-losses,smooth-losses}.test.ts',
  'test/losses/partial/partial-labels.test.ts',
  'test/models/files/compact-file.test.ts',
  'test/models/group/**/*.test.ts',
  'test/models/labels/code-words.test.ts',
  'test/models/learning/{evict-features,honest-estimate,many-labels,prune-features}.test.ts',
  'test/models/state/resume.test.ts',
  'test/operators/drift-streams.test.ts',
  'test/optimizers/late-parameters.test.ts',
  'test/optimizers/voted-perceptron.test.ts',
  'test/optimizers/separable/mistake-bound.test.ts',
  'test/trainers/{batch-perceptron,regularisation-path}.test.ts',
  'test/trainers/boosting/sequence-boosting.test.ts',
  'test/trainers/em/*.test.ts',
  'test/trainers/shards/*.test.ts',
];

/** What all components of a kind and all pipelines keep to. */
const contracts = ['test/contracts/**/*.test.ts', 'test/pipeline/**/*.test.ts', ...long];

const built = 'test/house/build/build-once.ts';

const unit = {
  name: 'unit',
  include: short,
  exclude: long,
  globalSetup: 'test/house/build/kernels-once.ts',
};
const contract = { name: 'contract', include: contracts, globalSetup: built };
// The command, processes, threads, servers, pages and packages; and every folder that is new.
const others = {
  name: 'process',
  include: ['test/**/*.test.ts'],
  exclude: [...short, ...contracts],
  globalSetup: built,
};
// Together they are one project, whose workers load each module once.
const all = { name: 'all', include: ['test/**/*.test.ts'], globalSetup: built };
const isInPart = process.argv.some(word => word.startsWith('--project'));

export default defineConfig({
  test: {
    reporters: ['default', './test/house/summary-reporter.ts'],
    // Many tests wait for processes of their own, or for servers: three files at a time keep two processors busy.
    maxWorkers: 3,
    // A process for all files of a worker: to start one for each, and to load the same modules again, took a
    // quarter of the time. So a module keeps its state from file to file: hooks belong into the test files.
    isolate: false,
    runner: './test/house/share/share-runner.ts',
    // By its place in the file a test is a row of a table.
    includeTaskLocation: true,
    // A browser on a busy machine takes longer than the usual second.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: timeout,
    hookTimeout: timeout,
    projects: (isInPart ? [unit, contract, others] : [all]).map(test => ({ extends: true, test })),
  },
});
