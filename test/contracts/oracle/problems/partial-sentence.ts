import type {
  AllowedLabels,
  EncodedSentence,
} from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import type { Random } from '../../../../src/engine/core/random.js';
import type { ChainScores } from '../chain-scores.js';

/** The sentence labelled in part: each token has any label, a given one or one of some. */
export function partialSentence(
  random: Random,
  { gold: _, ...sentence }: EncodedSentence,
  labels: number,
): EncodedSentence & { readonly allowed: AllowedLabels } {
  const starts = new Uint32Array(sentence.length + 1);
  const chosen: number[] = [];
  for (let t = 0; t < sentence.length; t += 1) {
    const kind = random.below(3);
    if (kind === 1) chosen.push(random.below(labels));
    if (kind === 2) {
      const set = Array.from({ length: labels }, (_, y) => y).filter(() => random.below(2) === 0);
      chosen.push(...(set.length === 0 ? [random.below(labels)] : set));
    }
    starts[t + 1] = chosen.length;
  }
  return { ...sentence, allowed: { starts, labels: Uint32Array.from(chosen) } };
}

/** The scores with minus infinity for labels that a token may not have. */
export function allowedScores(scores: ChainScores, { starts, labels }: AllowedLabels): ChainScores {
  const emissions = scores.emissions.map((row, t) => {
    const set = labels.subarray(starts[t]!, starts[t + 1]!);
    return row.map((score, y) =>
      set.length === 0 || set.includes(y) ? score : Number.NEGATIVE_INFINITY,
    );
  });
  return { ...scores, emissions };
}
