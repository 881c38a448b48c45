import type { Contribution } from '../../core/training/contribution.js';
import type { Lattice } from '../lattice.js';
import type { Plane } from '../memory/plane.js';
import type { ParameterStore } from '../store/parameter-store.js';
import type { SimdMemory } from './simd-memory.js';

/** Tokens of a sentence from `first` on, and the number of bytes per value. */
interface ScoredTokens {
  readonly s: number;
  readonly first: number;
  readonly tokens: number;
  readonly bytes: number;
}

/** Computes emission scores from weights stored as single pairs. */
export function scoreStatePairs(
  simd: SimdMemory,
  store: ParameterStore,
  { emissionScores, width }: Lattice,
  { s, first, tokens, bytes }: ScoredTokens,
): void {
  // Must precede all offsets, because making room may grow the memory.
  const [starts, labels] = simd.statePairs.of(store.statePairs!);
  simd.run.scoreStatePairs(
    emissionScores.offset + first * width * bytes,
    store.weights.state.offset,
    starts,
    labels,
    simd.startsOf(s) + 4 * first,
    simd.rows,
    simd.values,
    tokens,
    width,
    store.scale,
  );
}

/** Updates state weights as in `Kernel.accumulate`, stored as single pairs. */
export function accumulateStatePairs(
  simd: SimdMemory,
  store: ParameterStore,
  plane: Plane,
  contribution: Contribution,
  s: number,
  factor: number,
): void {
  const [starts, labels] = simd.statePairs.of(store.statePairs!);
  // Residuals come last, because loading the rest may grow the memory.
  simd.loadResiduals(contribution);
  const { sentenceStarts } = contribution.minibatch;
  simd.run.accumulateStatePairs(
    plane.state.offset,
    simd.residual,
    starts,
    labels,
    simd.startsOf(s),
    simd.rows,
    simd.values,
    sentenceStarts[s]!,
    sentenceStarts[s + 1]!,
    store.width,
    factor,
  );
}
