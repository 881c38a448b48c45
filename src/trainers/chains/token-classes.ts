import type { Minibatch } from '../../core/minibatch/minibatch.js';

/** Tokens of a corpus by their features of one kind: tokens of one class have the same, with the same values. */
export interface TokenClasses {
  /** Number of classes; class 0 has no feature. */
  readonly count: number;
  /** Class of each token of the corpus. */
  readonly of: Uint32Array;
  /** The features of class `c` are `[starts[c], starts[c + 1])`. */
  readonly starts: readonly number[];
  readonly rows: readonly number[];
  readonly values: readonly number[];
}

/**
 * Groups the tokens of a corpus by their features. Edge features of a sentence's first token, where there
 * is no transition, count as none. Cost: one look at all features, and a string for each token.
 */
export function tokenClasses(corpus: readonly Minibatch[], kind: 'state' | 'edge'): TokenClasses {
  const classes = new Map<string, number>([['', 0]]);
  const starts = [0, 0];
  const rows: number[] = [];
  const values: number[] = [];
  const of = new Uint32Array(corpus.reduce((sum, { tokens }) => sum + tokens, 0));
  let before = 0;
  for (const minibatch of corpus) {
    const isState = kind === 'state';
    const from = isState ? minibatch.stateStarts : minibatch.edgeStarts;
    const all = isState ? minibatch.stateRows : minibatch.edgeRows;
    const weights = isState ? minibatch.stateValues : minibatch.edgeValues;
    for (let s = 0; from !== undefined && s < minibatch.sentences.length; s += 1) {
      const first = minibatch.sentenceStarts[s]!;
      for (let t = isState ? first : first + 1; t < minibatch.sentenceStarts[s + 1]!; t += 1) {
        let key = '';
        for (let k = from[t]!; k < from[t + 1]!; k += 1) {
          key += weights === undefined ? `${all![k]} ` : `${all![k]}:${weights[k]} `;
        }
        let found = classes.get(key);
        if (found === undefined) {
          found = classes.size;
          classes.set(key, found);
          for (let k = from[t]!; k < from[t + 1]!; k += 1) {
            rows.push(all![k]!);
            values.push(weights === undefined ? 1 : weights[k]!);
          }
          starts.push(rows.length);
        }
        of[before + t] = found;
      }
    }
    before += minibatch.tokens;
  }
  return { count: classes.size, of, starts, rows, values };
}
