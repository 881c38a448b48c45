// The exports of the module. Functions with a type parameter are exported in each precision, as NAME_f32 and
// NAME_f64.

import { Frame } from './segments/frame';

export { accumulateRows, scaleNumbers } from './accumulate';
export {
  averageNumbers,
  chargeCopies,
  chargeNumbers,
  chargeRows,
  stepNumbers,
  stepRows,
} from './adaptive-steps';
export { averageRows } from './average';
export { crc32c, jsonDepth } from './byte-checks';
export { accumulatePairs, addPairs, narrow, widen } from './compressed';
export { exponentiateMatrix, exponentiateRows } from './exponentiate';
export { combine } from './features/combine';
export { encodeTexts } from './features/encode-texts';
export { internTexts } from './features/intern-texts';
export { countTexts, enterWords } from './features/lexicon-words';
export { linkEntries, placeKeys } from './features/packed-keys';
export { countPairs, placePairs, placeWeights } from './features/place-weights';
export { findRows, hashRows, internRows, rehash } from './features/rows';
export { addChain, addChainInFloat64, findPair, listChain } from './inference/chains';
export { backward, forward, sumPairs } from './inference/forward-backward';
export {
  backwardListed,
  exponentiateListed,
  forwardListed,
} from './inference/forward-backward-listed';
export { forwardBackwardLog } from './inference/forward-backward-log';
export { backwardSparse, forwardSparse } from './inference/forward-backward-sparse';
export { backwardPruned, forwardPruned, pruneTokens, viterbiPruned } from './inference/pruned';
export { listBytes, listMaxima, listSums } from './inference/sparse-lists';
export { sumBlocks } from './inference/sum-blocks';
export {
  countFinite,
  countNonZeros,
  isDense,
  sameBits,
  transpose,
} from './inference/transition-matrix';
export { viterbi } from './inference/viterbi';
export { viterbiListed } from './inference/viterbi-listed';
export { listIncoming, listNegatives, viterbiSparse } from './inference/viterbi-sparse';
export {
  addAtPlaces,
  clearVector,
  combineThenDot,
  countActive,
  dotVectors,
  multiplyThenDot,
} from './long-vectors';
export { addProducts, mixVectors, narrowDifference } from './narrow-vectors';
export { nearestRows } from './nearest';
export { penaliseAgedRow, penaliseAgedRows, penaliseNumbers, penaliseRows } from './penalty';
export { addScaled, copyScaled, scoreEmissions } from './score';
export { backwardSegments } from './segments/backward';
export { bestSegments } from './segments/best';
export { exponentiateSegments } from './segments/exponentials';
export { forwardSegments } from './segments/forward';
export { accumulateStatePairs, scoreStatePairs } from './state-pairs';
export { addLeafRows } from './trees';
