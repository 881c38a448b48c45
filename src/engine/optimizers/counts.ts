import * as z from 'zod';
import { TagstreamError } from '../core/errors.js';
import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Contribution } from '../core/training/contribution.js';
import { type State, stateCount, wrongState } from '../core/training/state.js';
import type { Plane } from '../kernels/memory/plane.js';
import type { ParameterStore } from '../kernels/store/parameter-store.js';
import type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { planeArrays, restorePlane } from './planes/planes.js';
import { RowChains } from './tables/row-chains.js';
import { countableTables, smoothingShape, TableWriter } from './tables/table-writer.js';

const options = z.strictObject(smoothingShape);

/** Options of `counts`, with their defaults. */
export type CountsOptions = z.infer<typeof options>;

/** Sentences between two writings of the tables, relative to all earlier sentences. */
const growth = 1;

/**
 * Maximum likelihood estimation of a hidden Markov model by counting, with add-k smoothing. With counts n and L labels:
 *
 *     p(y' | y) = (n(y, y') + K) / (n(y, .) + K L),    p(y) of a first token likewise,
 *     p(x | y) = product over columns of p(o | y) = (n(o, y) + k) / (n(y) + k V).
 *
 * o is the entry of x in a column: that of the first template in the column's chain, from the word to ever larger classes,
 * with an entry for x. An entry requires `minCount` tokens without a finer entry; one more entry covers everything unknown
 * to all templates. Each token counts for one of these V entries, so their probabilities sum to 1 for each label. The
 * weight of a row is log p of its entry minus log p of the entry it backs off to; 0 without an entry.
 *
 * A column of numbers, `%v` with `%vv`, has a Gaussian density with its mean and variance for each label (over all tokens
 * for a label without any); with `covariance: full` the columns have a joint density, see `DensityWriter`. Keep mean /
 * deviation below a few thousand: values are squared in float64, and the model file rounds to float32.
 *
 * Counting a sentence, with its weight, costs O(active features). The tables are written, at O(all weights), whenever the
 * number of sentences has doubled, for new labels, and on demand. A corpus is counted in its first pass; later passes
 * change nothing. Needs float64. Rabiner (1989); add-k as in Chen and Goodman (1998).
 */
export class Counts implements Optimizer {
  readonly name = 'counts';
  readonly stepSize = 1;
  readonly readsResiduals = false;
  readonly #context: OptimizerContext;
  readonly #counts: Plane;
  readonly #chains: RowChains;
  readonly #writer: TableWriter;
  #sentences = 0;
  /** Number of sentences at which the tables are written next. */
  #next = 1;
  /** Number of labels in the tables; 0 if they must be written before anything is scored. */
  #labels = 0;
  /** Whether the weights are the tables of the current counts. */
  #current = false;
  /** Whether a whole pass has been counted. */
  #complete = false;

  /** @throws TagstreamError `config` if the parameters are not tables, or in float32 */
  constructor(chosen: CountsOptions, context: OptimizerContext) {
    const { parameters } = context;
    const tables = countableTables(this.name, parameters);
    this.#context = context;
    this.#counts = parameters.addPlane();
    this.#chains = new RowChains(tables);
    this.#writer = new TableWriter(tables, chosen, parameters, this.#chains);
  }

  prepare(minibatch?: Minibatch): void {
    const { parameters } = this.#context;
    this.#chains.reserve(parameters.stateRows);
    if (minibatch !== undefined && !this.#complete) {
      for (const [s, sentence] of minibatch.sentences.entries()) {
        if (minibatch.labelled[s] === 1) this.#chains.note(sentence);
      }
    }
    if (this.#labels !== parameters.labels) this.#write();
  }

  apply(contribution: Contribution): void {
    const { parameters } = this.#context;
    parameters.version += 1;
    if (this.#complete) return;
    const { minibatch } = contribution;
    const { labelled, passEnd, allowedStarts, sentences, sentenceStarts, weights } = minibatch;
    if (allowedStarts !== undefined) throw unknownLabels();
    const writtenAt = this.#lastWriting(labelled);
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      const labels = minibatch.gold.subarray(sentenceStarts[s]!, sentenceStarts[s + 1]!);
      addLabels(parameters, this.#counts, sentences[s]!, labels, weights?.[s] ?? 1);
      this.#sentences += 1;
      this.#current = false;
      if (s === writtenAt) this.#write();
    }
    if (passEnd === undefined) return;
    this.#complete = true;
    this.#write();
  }

  /**
   * Returns the last sentence of a minibatch at which writing the tables would be due if sentences came one by one; -1 if
   * there is none.
   */
  #lastWriting(labelled: Uint8Array): number {
    let sentences = this.#sentences;
    let last = -1;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      sentences += 1;
      if (sentences < this.#next) continue;
      this.#next = sentences + Math.max(1, Math.floor(sentences * growth));
      last = s;
    }
    return last;
  }

  #write(): void {
    const { parameters } = this.#context;
    this.#writer.write(this.#counts, parameters.weights);
    this.#labels = parameters.labels;
    this.#current = true;
  }

  deploy(target: Plane): void {
    if (this.#current && target === this.#context.parameters.weights) return;
    this.#writer.write(this.#counts, target);
  }

  kept(): number[] {
    return this.#chains.single();
  }

  /** Forgets rows: the tokens of forgotten words then count for their classes. */
  forget(stateRows: Uint32Array): void {
    this.#chains.forget(stateRows);
    this.#labels = 0;
    this.#current = false;
  }

  save(): State {
    return {
      json: {
        ...{ sentences: this.#sentences, next: this.#next },
        ...{ labels: this.#labels, complete: this.#complete },
      },
      arrays: { ...planeArrays('counts', this.#counts), ...this.#chains.save() },
    };
  }

  restore(state: State): void {
    this.#sentences = stateCount(state, 'sentences');
    this.#next = stateCount(state, 'next');
    this.#labels = stateCount(state, 'labels');
    if (typeof state.json.complete !== 'boolean') throw wrongState('complete is missing');
    this.#complete = state.json.complete;
    restorePlane('counts', this.#counts, state);
    this.#chains.restore(state);
  }
}

function unknownLabels(): TagstreamError {
  return new TagstreamError('config', 'the optimizer "counts" needs a label for each token', {
    fix: 'use em or stepwise-em, which sum over unknown labels',
  });
}

/** The catalogue entry of `Counts`. */
export const counts: OptimizerComponent<CountsOptions> = {
  name: 'counts',
  summary: 'maximum likelihood of a hidden Markov model by counting, with add-k smoothing',
  options,
  // A prior on the tables.
  penalty: () => ({ others: true }),
  example: 'optimize: { counts: { k: 0.001, minCount: 2 } }',
  losses: ['joint'],
  makes: 'hmm',
  onePass: true,
  observed: true,
  refuses: (_, { epochs = 1 }) =>
    epochs > 1
      ? {
          setting: 'epochs',
          problem: 'the optimizer counts is finished after one pass; further passes change nothing',
          fix: 'leave epochs out, or give epochs: 1',
        }
      : undefined,
  create: (chosen, context) => new Counts(chosen, context),
};

/**
 * Adds a labelled sentence to counts: `weight` times the value of each active feature, in the lane of its token's label,
 * and `weight` for each label pair. Bit-identical to the negated residuals of the loss `joint`, at a cost of O(active
 * features) instead of O(active features * L + L^2).
 *
 * @param labels the labels of the sentence's tokens
 */
export function addLabels(
  { width, layout }: Pick<ParameterStore, 'width' | 'layout'>,
  plane: Plane,
  { stateStarts, stateRows, stateValues }: EncodedSentence,
  labels: Int32Array,
  weight: number,
): void {
  const state = plane.state.view;
  const edges = plane.edges.view;
  for (let t = 0; t < labels.length; t += 1) {
    const label = labels[t]!;
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const value = stateValues === undefined ? 1 : stateValues[k]!;
      state[stateRows[k]! * width + label]! += weight * value;
    }
    if (t > 0 && layout.transitions) edges[labels[t - 1]! * width + label]! += weight;
  }
}
