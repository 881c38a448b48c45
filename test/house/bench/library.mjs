// Everything that the built package exports.
export * from '../../../dist/entries/features.js';
export * from '../../../dist/entries/io.js';
export * from '../../../dist/entries/losses.js';
export * from '../../../dist/entries/metrics.js';
export * from '../../../dist/entries/models.js';
export * from '../../../dist/entries/operators.js';
export * from '../../../dist/entries/optimizers.js';
export * from '../../../dist/entries/pipeline.js';
export * from '../../../dist/entries/text.js';
export * from '../../../dist/entries/training.js';
export * from '../../../dist/index.js';
