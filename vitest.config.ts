import { defineConfig } from 'vitest/config';

// Far above what any test takes, in its long form too: it only ends those that hang.
const timeout = process.env.TAGSTREAM_FULL === '1' ? 3_600_000 : 300_000;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/house/build-once.ts'],
    reporters: ['default', './test/house/summary-reporter.ts'],
    // Many tests wait for processes of their own, or for servers: three files at a time keep two processors busy.
    maxWorkers: 3,
    // A process for all files of a worker: to start one for each, and to load the same modules again, took a
    // quarter of the time. So a module keeps its state from file to file: hooks belong into the test files.
    isolate: false,
    testTimeout: timeout,
    hookTimeout: timeout,
  },
});
