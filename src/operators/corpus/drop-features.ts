import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Random } from '../../core/random.js';

/**
 * A copy of a sentence with each of its state features left out with probability `share`, on its own; those
 * that stay have their values divided by `1 - share`, so that scores are in expectation what they were.
 *
 * Edge features and plain transitions stay. The copy is none of the numbered sentences of a corpus. Cost
 * O(active features). Srivastava et al. (2014); for tagging, Wang and Manning (2013).
 *
 * @param share from 0 to less than 1
 */
export function dropFeatures(
  sentence: EncodedSentence,
  share: number,
  random: Random,
): EncodedSentence {
  const { stateStarts, stateRows, stateValues, number: _, ...rest } = sentence;
  // Candidates of segments follow the tokens.
  const length = stateStarts.length - 1;
  const below = share * 4294967296;
  const starts = new Uint32Array(length + 1);
  const rows = new Uint32Array(stateRows.length);
  const values = new Float64Array(stateRows.length);
  const factor = 1 / (1 - share);
  let kept = 0;
  for (let t = 0; t < length; t += 1) {
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      if (random.next() < below) continue;
      rows[kept] = stateRows[k]!;
      values[kept] = stateValues === undefined ? factor : stateValues[k]! * factor;
      kept += 1;
    }
    starts[t + 1] = kept;
  }
  return {
    ...rest,
    stateStarts: starts,
    stateRows: rows.subarray(0, kept),
    stateValues: values.subarray(0, kept),
  };
}
