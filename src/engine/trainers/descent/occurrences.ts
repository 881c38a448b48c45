import type { Minibatch } from '../../core/minibatch/minibatch.js';

/** The occurrences of one kind of features in a corpus, as an inverted index in compressed rows. */
export interface Occurrences {
  /** Feature `row` has the occurrences `[starts[row], starts[row + 1])`. */
  readonly starts: Uint32Array;
  /** Tokens, numbered over the whole corpus; ascending for each feature. */
  readonly tokens: Uint32Array;
  /** Values of the features there; absent if all are 1. */
  readonly values?: Float64Array;
}

/**
 * Finds the tokens of labelled sentences at which each of the first `rows` features is active.
 *
 * Edge features are also listed at the first token of a sentence, which has no transition. Cost: one
 * pass over all features of the corpus, and 4 bytes each (12 with values).
 */
export function occurrencesOf(
  corpus: readonly Minibatch[],
  kind: 'state' | 'edge',
  rows: number,
): Occurrences {
  const starts = new Uint32Array(rows + 2);
  let valued = false;
  eachFeature(corpus, kind, (row, _, value) => {
    starts[row + 2]! += 1;
    if (value !== 1) valued = true;
  });
  for (let row = 2; row < starts.length; row += 1) starts[row]! += starts[row - 1]!;
  const tokens = new Uint32Array(starts[rows + 1]!);
  const values = valued ? new Float64Array(tokens.length) : undefined;
  eachFeature(corpus, kind, (row, token, value) => {
    const place = starts[row + 1]!;
    starts[row + 1] = place + 1;
    tokens[place] = token;
    if (values !== undefined) values[place] = value;
  });
  const found = { starts: starts.subarray(0, rows + 1), tokens };
  return values === undefined ? found : { ...found, values };
}

type Visit = (row: number, token: number, value: number) => void;

function eachFeature(corpus: readonly Minibatch[], kind: 'state' | 'edge', visit: Visit): void {
  let before = 0;
  for (const minibatch of corpus) {
    const { labelled, sentenceStarts, tokens } = minibatch;
    const starts = kind === 'state' ? minibatch.stateStarts : minibatch.edgeStarts;
    const rows = kind === 'state' ? minibatch.stateRows : minibatch.edgeRows;
    const values = kind === 'state' ? minibatch.stateValues : minibatch.edgeValues;
    for (let s = 0; starts !== undefined && s < minibatch.sentences.length; s += 1) {
      if (labelled[s] === 0) continue;
      for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
        for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
          visit(rows![k]!, before + t, values === undefined ? 1 : values[k]!);
        }
      }
    }
    before += tokens;
  }
}
