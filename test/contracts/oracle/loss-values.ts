import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import type { ParameterStore } from '../../../src/engine/kernels/store/parameter-store.js';
import type { LabelCosts } from '../../../src/engine/losses/label-costs.js';
import { Enumeration } from './enumeration.js';
import { scoresOf } from './scores-of.js';

/** The labels that a token may have in a sentence; undefined where all may be. */
function knownAt({ gold, allowed }: EncodedSentence, t: number): readonly number[] | undefined {
  if (allowed === undefined) return [gold![t]!];
  const labels = [...allowed.labels.subarray(allowed.starts[t]!, allowed.starts[t + 1]!)];
  return labels.length === 0 ? undefined : labels;
}

/** A loss as the enumeration of all label sequences has it, and the size of its residuals. */
export interface LossValue {
  readonly loss: number;
  /** The sum of the derivatives with respect to log probabilities. */
  readonly weight: number;
  /** The same for each token, of pointwise losses. */
  readonly weights: readonly number[];
}

/**
 * Every smooth loss of a sentence, by enumeration; the sentence's weight is left out. Wrong labels cost 1,
 * where nothing else is said; exponential losses are straight lines above a log loss of `bound`.
 */
export function lossValues(
  store: ParameterStore,
  sentence: EncodedSentence,
  { wrong, missed, outside }: LabelCosts = { wrong: 1, missed: 1, outside: -1 },
  bound = 10,
): Readonly<Record<string, LossValue>> {
  /** 1/p - 1 for a log loss. */
  const exponential = (l: number) =>
    l <= bound ? Math.exp(l) - 1 : Math.exp(bound) * (l - bound + 1) - 1;
  const slopeOf = (l: number) => Math.exp(Math.min(bound, l));
  const all = new Enumeration(scoresOf(store, sentence));
  const logProbability = (counts: (path: readonly number[]) => boolean) => {
    const scores = all.ranked.filter(({ path }) => counts(path)).map(({ score }) => score);
    const most = scores[0]!;
    return (
      most + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - most), 0)) - all.logZ
    );
  };
  const known = Array.from({ length: sentence.length }, (_, t) => knownAt(sentence, t));
  const whole = -logProbability(path => path.every((y, t) => known[t]?.includes(y) ?? true));
  const tokens = known.map((labels, t) =>
    labels === undefined ? undefined : -logProbability(path => labels.includes(path[t]!)),
  );
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const pointwise = (loss: (l: number) => number, slope: (l: number) => number): LossValue => {
    const weights = tokens.map(l => (l === undefined ? 0 : slope(l)));
    return {
      loss: sum(tokens.map(l => (l === undefined ? 0 : loss(l)))),
      weight: sum(weights),
      weights,
    };
  };
  const scores = scoresOf(store, sentence);
  const emissions = scores.emissions.map((row, t) =>
    row.map((score, y) => {
      if (known[t]?.includes(y) ?? true) return score;
      return score + (y === outside ? missed : wrong);
    }),
  );
  const augmented = new Enumeration({ ...scores, emissions }).logZ - all.logZ;
  return {
    log: { loss: whole, weight: 1, weights: [] },
    'local-log': { loss: whole, weight: 1, weights: [] },
    exponential: { loss: exponential(whole), weight: slopeOf(whole), weights: [] },
    'softmax-margin': { loss: whole + augmented, weight: 1, weights: [] },
    'pointwise-log': pointwise(
      l => l,
      () => 1,
    ),
    'pointwise-exponential': pointwise(exponential, slopeOf),
  };
}
