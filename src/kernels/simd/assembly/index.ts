// The exports: numeric functions in both precisions, and those for compressed rows, features and files.

export { crc32c } from './checksum';
export { accumulatePairs, addPairs, narrow, widen } from './compressed';
export { combine } from './features/combine';
export { encodeTexts } from './features/encode-texts';
export { internTexts } from './features/intern-texts';
export { placeKeys } from './features/place-keys';
export { findRows, hashRows, internRows, rehash } from './features/rows';
export {
  addAtPlaces,
  clearVector,
  combineThenDot,
  countActive,
  dotVectors,
  multiplyThenDot,
} from './long-vectors';
export { addProducts, mixVectors, narrowDifference } from './narrow-vectors';
export { numberTexts } from './records/number-texts';
export { readRecords } from './records/read-records';
export { readRows } from './records/read-rows';
export { writeRecords } from './records/write-records';
export { writeRows } from './records/write-rows';
export { divideTexts } from './texts/divide-texts';
export { countTokens, placeTokens } from './texts/place-tokens';
export { sameBits } from './inference/transition-matrix';
export * from './exports/scores';
export * from './exports/sparse';
export { findPair } from './inference/chains';
export { backwardPruned, forwardPruned, pruneTokens, viterbiPruned } from './inference/pruned';
export * from './exports/listed';
export * from './exports/inference';
export * from './exports/segments';
export * from './exports/state-pairs';
export * from './exports/trees';
export * from './exports/updates';
export * from './exports/vectors';
