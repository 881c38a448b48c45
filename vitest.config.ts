import { defineConfig } from 'vitest/config';

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
    // Far above what any test takes: it only ends those that hang.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
