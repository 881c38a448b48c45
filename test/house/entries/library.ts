// Everything that the package exports, of all entries together.

export * from '../../../src/entries/browser.js';
export * from '../../../src/entries/client.js';
export * from '../../../src/entries/element.js';
export * from '../../../src/entries/features.js';
export * from '../../../src/entries/io.js';
export * from '../../../src/entries/losses.js';
export * from '../../../src/entries/metrics.js';
export * from '../../../src/entries/models.js';
export * from '../../../src/entries/operators.js';
export * from '../../../src/entries/optimizers.js';
export * from '../../../src/entries/pipeline.js';
export * from '../../../src/entries/plugin.js';
export * from '../../../src/entries/serve.js';
export * from '../../../src/entries/text.js';
export * from '../../../src/entries/training.js';
export * from '../../../src/index.js';
