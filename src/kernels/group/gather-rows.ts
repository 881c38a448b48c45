import type { PackedRows } from '../../core/minibatch/join-rows.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';

/** The rows of the sentences of a minibatch, one after the other, from those of the corpus it is part of. */
export function gatherRows(
  { tokens, sentenceStarts, placed }: Pick<Minibatch, 'tokens' | 'sentenceStarts' | 'placed'>,
  corpus: PackedRows,
): PackedRows {
  const { firstTokens } = placed!;
  const starts = new Uint32Array(tokens + 1);
  for (let s = 0; s < firstTokens.length; s += 1) {
    const start = sentenceStarts[s]!;
    const first = firstTokens[s]!;
    const shift = starts[start]! - corpus.starts[first]!;
    for (let i = 1; i <= sentenceStarts[s + 1]! - start; i += 1) {
      starts[start + i] = corpus.starts[first + i]! + shift;
    }
  }
  const rows = new Uint32Array(starts[tokens]!);
  const values = corpus.values === undefined ? undefined : new Float64Array(rows.length);
  for (let s = 0; s < firstTokens.length; s += 1) {
    const from = corpus.starts[firstTokens[s]!]!;
    const target = starts[sentenceStarts[s]!]!;
    const to = from + starts[sentenceStarts[s + 1]!]! - target;
    rows.set(corpus.rows.subarray(from, to), target);
    values?.set(corpus.values!.subarray(from, to), target);
  }
  return { starts, rows, values };
}
