import { TagstreamError } from '../../core/errors.js';
import {
  type State,
  type Stateful,
  stateArray,
  stateCount,
  wrongState,
} from '../../core/training/state.js';
import { clearPlane, type Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Optimizer } from '../../optimizers/optimizer.js';

/** Options for repeated training on a corpus, each time with another seed. */
export interface SeedOptions {
  readonly seeds: number;
  /** Number of passes per seed. */
  readonly epochs: number;
}

/**
 * One model from several trainings that differ only in their seeds: the mean of their weights. For log-linear
 * models, this is a logarithmic opinion pool with equal weights,
 *
 *     p(y | x) = prod_k p_k(y | x)^(1/K) / Z(x),
 *
 * because all trainings have the same features; the mean is as large and as fast as a single model. Gupta,
 * Conditional Random Fields, section 2.6. Sums are kept in float64, each in the memory of two float32
 * weights.
 */
export class SeedMean implements Stateful {
  readonly #options: SeedOptions;
  /** Initial state of the optimizer, once it is known. */
  fresh: FreshState | undefined;
  /** Number of seeds included in the sums. */
  #done = 0;
  #sums: readonly Float64Array[] | undefined;

  constructor(options: SeedOptions) {
    this.#options = options;
  }

  /** Whether a seed other than the last has finished its passes but is not yet in the sums. */
  isDue(sentencesSeen: number, corpusSize: number): boolean {
    return this.#done + 1 < this.#options.seeds && this.#isAtEnd(sentencesSeen, corpusSize);
  }

  /** Whether the last seed has finished its passes. */
  isComplete(sentencesSeen: number, corpusSize: number): boolean {
    return this.#done + 1 === this.#options.seeds && this.#isAtEnd(sentencesSeen, corpusSize);
  }

  #isAtEnd(sentencesSeen: number, corpusSize: number): boolean {
    return sentencesSeen === (this.#done + 1) * this.#options.epochs * corpusSize;
  }

  /** Adds a seed's finished weights to the sums. */
  add(weights: Plane): void {
    const tables = numbersOf(weights);
    this.#sums ??= tables.map(({ length }) => new Float64Array(length));
    for (const [t, table] of tables.entries()) {
      const sums = this.#sums[t]!;
      for (let i = 0; i < sums.length; i += 1) sums[i]! += table[i]!;
    }
    this.#done += 1;
  }

  /** Replaces the last seed's finished weights by the mean over all seeds. */
  mean(weights: Plane): void {
    for (const [t, table] of numbersOf(weights).entries()) {
      const sums = this.#sums![t]!;
      for (let i = 0; i < sums.length; i += 1) table[i] = (sums[i]! + table[i]!) / (this.#done + 1);
    }
  }

  save(): State {
    const { epochs } = this.#options;
    const sums = (this.#sums ?? []).map((table, t) => [`seeds.${t}`, table]);
    return { json: { done: this.#done, epochs }, arrays: Object.fromEntries(sums) };
  }

  restore(state: State): void {
    const { seeds, epochs } = this.#options;
    const before = stateCount(state, 'epochs');
    if (before !== epochs) throw otherPasses(before, epochs);
    this.#done = stateCount(state, 'done');
    if (this.#done >= seeds) throw wrongState(`${this.#done} of ${seeds} seeds are done`);
    if (this.#done === 0) return;
    this.#sums = [0, 1, 2].map(t => stateArray(state, `seeds.${t}`, [Float64Array]).slice());
  }
}

function numbersOf({ state, edges, pairs }: Plane) {
  return [state.view, edges.view, pairs.view];
}

function otherPasses(before: number, now: number): TagstreamError {
  const problem = `each seed had ${before} passes, and would have ${now}: train.epochs cannot change with train.seeds`;
  return new TagstreamError('checkpoint', problem, {
    fix: 'undo the change, or start again without --resume',
  });
}

/** An optimizer's state before its first sentence; arrays of zeros are omitted. Can be sent to a thread. */
export type FreshState = State;

/** Returns the state of a prepared optimizer that has learned nothing. Cost O(its numbers). */
export function freshStateOf(optimizer: Optimizer): FreshState {
  const { json, arrays } = optimizer.save();
  const own = Object.entries(arrays)
    .filter(([, array]) => array.some(number => number !== 0))
    .map(([name, array]) => [name, array.slice()]);
  return { json: structuredClone(json), arrays: Object.fromEntries(own) };
}

/** Sets all weights to zero, and resets the optimizer to its initial state. */
export function startAfresh(
  parameters: ParameterStore,
  optimizer: Optimizer,
  { json, arrays }: FreshState,
): void {
  clearPlane(parameters.weights);
  parameters.scale = 1;
  parameters.version += 1;
  const all = Object.entries(optimizer.save().arrays).map(([name, array]) => {
    return [name, arrays[name] ?? array.slice().fill(0)];
  });
  optimizer.restore({ json, arrays: Object.fromEntries(all) });
}
