import type { OutputCodes } from '../../../src/engine/kernels/store/label-columns.js';
import type { ChainScores } from './chain-scores.js';
import { Enumeration } from './enumeration.js';

/** The scores of the chain of a bit, of those of its two columns. */
export function bitScores({ emissions, transitions }: ChainScores, bit: number): ChainScores {
  const own = [2 * bit, 2 * bit + 1];
  return {
    emissions: emissions.map(row => own.map(column => row[column]!)),
    transitions: transitions.map(matrix => own.map(u => own.map(v => matrix[u]![v]!))),
  };
}

/** What a decoder says of labels, of the enumerated sequences of each bit. */
export function codedScores(columns: ChainScores, { words, decoder }: OutputCodes): ChainScores {
  const chains = words[0]!.map((_, b) => bitScores(columns, b));
  const sums = chains.map(chain => new Enumeration(chain));
  const said = (t: number, b: number, bit: number): number => {
    if (decoder === 'product') return chains[b]!.emissions[t]![bit]!;
    if (decoder === 'marginals') return -Math.abs(sums[b]!.nodes[t]![1]! - bit);
    return sums[b]!.best[t] === bit ? 0 : -1;
  };
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return {
    emissions: columns.emissions.map((_, t) =>
      words.map(word => total(word.map((bit, b) => said(t, b, bit)))),
    ),
    transitions: columns.transitions.map((_, t) =>
      words.map(from =>
        words.map(to =>
          decoder === 'product'
            ? total(from.map((u, b) => chains[b]!.transitions[t]![u]![to[b]!]!))
            : 0,
        ),
      ),
    ),
  };
}
