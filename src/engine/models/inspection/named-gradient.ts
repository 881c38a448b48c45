import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Model } from '../model.js';
import { FeatureNamer } from './feature-namer.js';

/** Receives the gradient part by part, so that a weight may occur several times. */
export interface GradientVisitor {
  /** Receives a row's feature weight at a position: a token, or a candidate after the tokens of its sentence. */
  state(row: number, column: number, amount: number, isToken: boolean): void;
  /**
   * Receives the weight of two columns for a row's edge feature; row 0 is the plain transitions.
   */
  pair(row: number, from: number, to: number, amount: number, isToken: boolean): void;
}

/** Multiplies a contribution's residuals by the values of its features. Cost O(features * columns). */
export function eachGradient(
  { parameters }: Model,
  contribution: Contribution,
  visitor: GradientVisitor,
): void {
  const { minibatch, residual, edgeResidual, edgeSlots, pruned } = contribution;
  const { transitionResidual, matrixSize, width } = contribution;
  const { sentences, sentenceStarts, stateStarts, stateRows, stateValues } = minibatch;
  const { edgeStarts, edgeRows, edgeValues } = minibatch;
  const { layout, labels: columns } = parameters;
  const eachPair = (
    residuals: ArrayLike<number>,
    start: number,
    visit: (from: number, to: number, amount: number) => void,
  ) => {
    for (let from = 0; from < columns; from += 1) {
      for (let to = 0; to < columns; to += 1) {
        const amount = residuals[start + from * width + to]!;
        if (amount !== 0) visit(from, to, amount);
      }
    }
  };
  for (const [s, { length }] of sentences.entries()) {
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    for (let t = first; t < end; t += 1) {
      for (let y = 0; y < columns; y += 1) {
        const own = residual[t * width + y]!;
        if (own === 0) continue;
        for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
          visitor.state(stateRows[k]!, y, own * (stateValues?.[k] ?? 1), t - first < length);
        }
      }
    }
    if (pruned?.isPruned(s) === true) {
      const { starts, labels, pairs } = pruned.lists();
      let pair = layout.transitions ? pruned.pairStarts[s]! : pairs.length;
      for (let t = first + 1; t < end; t += 1) {
        for (let i = starts[t - 1]!; i < starts[t]!; i += 1) {
          for (let j = starts[t]!; j < starts[t + 1]!; j += 1, pair += 1) {
            const amount = pairs[pair] ?? 0;
            if (amount !== 0) visitor.pair(0, labels[i]!, labels[j]!, amount, true);
          }
        }
      }
    } else if (layout.transitions) {
      eachPair(transitionResidual, s * matrixSize, (from, to, amount) =>
        visitor.pair(0, from, to, amount, true),
      );
    }
    for (let t = first + 1; edgeStarts !== undefined && t < end; t += 1) {
      const slot = edgeSlots[t]!;
      if (slot < 0) continue;
      eachPair(edgeResidual, slot * matrixSize, (from, to, amount) => {
        for (let k = edgeStarts[t]!; k < edgeStarts[t + 1]!; k += 1) {
          const value = edgeValues?.[k] ?? 1;
          visitor.pair(edgeRows![k]!, from, to, value * amount, t - first < length);
        }
      });
    }
  }
}

/** Whether two columns share a weight for an edge feature; row 0 is the plain transitions. */
function hasPair(
  { support, pairs, width, hasEdgeBlocks }: ParameterStore,
  row: number,
  from: number,
  to: number,
): boolean {
  if (row === 0) return support?.transitions[from * width + to] !== 0;
  if (hasEdgeBlocks) return true;
  let pair = pairs.heads[row]!;
  while (pair >= 0 && (pairs.from[pair] !== from || pairs.to[pair] !== to))
    pair = pairs.next[pair]!;
  return pair >= 0;
}

/** The slope along one weight of a minibatch's summed losses. */
export interface NamedSlope {
  /** Feature name; empty for the plain transitions. */
  readonly feature: string;
  /** Label, or part of labels, to which the weight belongs. */
  readonly label: string;
  /** First label, for a weight of two labels. */
  readonly from?: string;
  readonly slope: number;
}

/**
 * Turns a contribution's residuals into the nonzero slopes of named weights, steepest first:
 *
 *     dL / dw(f, y) = sum over tokens t of value(f, t) * residual[t][y],
 *
 * where residual = expected - observed. Penalties are not included. A feature shared by several rows or templates has the name of
 * the first. Cost O(the minibatch's features * labels).
 *
 * @param contribution a contribution of the model, for sentences that it has encoded
 * @throws Error if a later contribution has overwritten it
 * @example
 * const model = createModel({ templates: 'U:%x[0,0]' });
 * const learner = createLearner(model, { loss: logLoss(), optimizer: sgd({ eta0: 0.1 }), corpusSize: 1 });
 * const part = { index: 0, count: 1, start: 0 };
 * const encoded = ['X', 'Y'].map(tag =>
 *   model.encode({ tokens: ['a'], tags: [tag], columns: {}, document: {}, part }),
 * );
 * namedGradient(learner.contribute(packMinibatch(encoded.slice(0, 1))), model)
 * // => [{ feature: 'U:a', label: 'X', slope: -0.5 }, { feature: 'U:a', label: 'Y', slope: 0.5 }]
 */
export function namedGradient(contribution: Contribution, model: Model): NamedSlope[] {
  requireArgument('namedGradient: the contribution', contribution, kinds.contribution);
  requireArgument('namedGradient: the model', model, kinds.model);
  contribution.assertCurrent();
  const namer = new FeatureNamer(model);
  for (const encoded of contribution.minibatch.sentences) namer.addEncoded(encoded);
  const { labels, parameters } = model;
  const names = { state: namer.names('state'), edge: namer.names('edge') };
  const slopes = new Map<string, { -readonly [Key in keyof NamedSlope]: NamedSlope[Key] }>();
  const add = (key: string, slope: number, named: () => Omit<NamedSlope, 'slope'>) => {
    const known = slopes.get(key);
    if (known === undefined) slopes.set(key, { ...named(), slope });
    else known.slope += slope;
  };
  eachGradient(model, contribution, {
    state(row, column, amount) {
      if (parameters.statePlace(row, column) < 0) return;
      if (parameters.support?.state[row * parameters.width + column] === 0) return;
      add(`${row} ${column}`, amount, () => ({
        feature: names.state.get(row) ?? `row ${row}`,
        label: labels.columnName(column),
      }));
    },
    pair(row, from, to, amount) {
      if (!hasPair(parameters, row, from, to)) return;
      add(`${row} ${from} ${to}`, amount, () => ({
        feature: row === 0 ? '' : (names.edge.get(row - 1) ?? `row ${row}`),
        label: labels.columnName(to),
        from: labels.columnName(from),
      }));
    },
  });
  return [...slopes.values()]
    .filter(({ slope }) => slope !== 0)
    .sort((a, b) => Math.abs(b.slope) - Math.abs(a.slope));
}
