// The package's entry `tagstream/operators`; `tagstream` has these too, and what their signatures name.
// operators
export type { AssembleOptions } from '../operators/assemble.js';
export { assemble } from '../operators/assemble.js';
export type { BatchOptions } from '../operators/batch.js';
export { batch } from '../operators/batch.js';
export type { CheckpointOptions } from '../operators/checkpoint.js';
export { checkpoint } from '../operators/checkpoint.js';
export type { ContributeOptions } from '../operators/contribute.js';
export { contribute } from '../operators/contribute.js';
export type { EvaluateOptions } from '../operators/evaluate.js';
export { evaluate } from '../operators/evaluate.js';
export type { ProgressiveOptions } from '../operators/evaluate-progressive.js';
export { evaluateProgressive } from '../operators/evaluate-progressive.js';
export { featurize } from '../operators/featurize.js';
export type { IterateOptions } from '../operators/iterate.js';
export { iterate } from '../operators/iterate.js';
export { learnUnlabelled } from '../operators/learn-unlabelled.js';
export type { MergeOrderedOptions } from '../operators/merge-ordered.js';
export { mergeOrdered } from '../operators/merge-ordered.js';
export { optimize } from '../operators/optimize.js';
export type { PassesOptions } from '../operators/passes.js';
export { passes } from '../operators/passes.js';
export { replaceable } from '../operators/replaceable.js';
export { tag } from '../operators/tag.js';
export type { TokenizeOptions } from '../operators/tokenize.js';
export { tokenize } from '../operators/tokenize.js';
export type { TrackedOptions } from '../operators/tracked.js';
export { tracked } from '../operators/tracked.js';
