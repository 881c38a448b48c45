import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import type { Random } from '../../../../src/engine/core/random.js';

/** What a random sentence may look like. */
export interface SentenceShape {
  readonly length: number;
  readonly labels: number;
  readonly stateRows: number;
  /** Edge features are 1 to `edgeFeatures`; none at all where 0. */
  readonly edgeFeatures: number;
  readonly stateValues: boolean;
  readonly edgeValues: boolean;
  /** `partial`: the gold label of one token is unknown. */
  readonly gold: 'all' | 'none' | 'partial';
}

/**
 * A sentence of 0 to 3 state features a token (one may come twice), and, where there are any, 0 to 3
 * edge features a token, the first token included, although no transition leads into it.
 */
export function randomSentence(random: Random, shape: SentenceShape): EncodedSentence {
  const state = randomRows(random, shape.length, 0, shape.stateRows);
  const edges = randomRows(random, shape.length, 1, shape.edgeFeatures);
  const values = (count: number) => Float64Array.from({ length: count }, () => random.normal());
  const gold = Int32Array.from({ length: shape.length }, () => random.below(shape.labels));
  if (shape.gold === 'partial') gold[random.below(shape.length)] = -1;
  return {
    length: shape.length,
    stateStarts: state.starts,
    stateRows: state.rows,
    ...(shape.stateValues ? { stateValues: values(state.rows.length) } : {}),
    ...(shape.edgeFeatures > 0 ? { edgeStarts: edges.starts, edgeRows: edges.rows } : {}),
    ...(shape.edgeFeatures > 0 && shape.edgeValues
      ? { edgeValues: values(edges.rows.length) }
      : {}),
    ...(shape.gold === 'none' ? {} : { gold }),
    sentence: {
      tokens: Array.from({ length: shape.length }, (_, t) => `w${t}`),
      columns: {},
      document: {},
      part: { index: 0, count: 1, start: 0 },
    },
  };
}

function randomRows(random: Random, length: number, first: number, count: number) {
  const starts = new Uint32Array(length + 1);
  const rows: number[] = [];
  for (let t = 0; t < length; t += 1) {
    const active = count === 0 ? 0 : random.below(4);
    for (let i = 0; i < active; i += 1) rows.push(first + random.below(count));
    starts[t + 1] = rows.length;
  }
  return { starts, rows: Uint32Array.from(rows) };
}
