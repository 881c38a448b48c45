import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { wrongState } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import { Lattice } from '../../kernels/lattice.js';
import type { Plane } from '../../kernels/memory/plane.js';
import { contributionOf } from '../../losses/contribution-of.js';
import { hingeLoss } from '../../losses/hinge-loss.js';
import type { Loss } from '../../losses/loss.js';
import { isPartial } from '../../losses/partial/is-partial.js';
import { addPath } from '../../losses/residuals/add-path.js';
import { clearResiduals } from '../../losses/residuals/clear-residuals.js';
import { wrongTokens } from '../../optimizers/wrong-tokens.js';
import type { Objective } from '../objective.js';
import { activeParameters } from './active-parameters.js';
import { eachPlace } from './each-place.js';

/** A label sequence of a sentence that has a dual variable: what it differs in from the gold one. */
export interface DualSequence {
  readonly labels: Int32Array;
  /** Wrong labels, times the weight of the sentence. */
  readonly cost: number;
  /** F(y) - F(y*), times the weight of the sentence: places in the vector of free parameters, and numbers there. */
  readonly places: Uint32Array;
  readonly values: Float64Array;
  /** The dual variable; those of a sentence sum to 1. */
  alpha: number;
}

/**
 * The label sequences of each sentence whose dual variables are not 0, the gold one first. Memory: the features in which
 * each differs from the gold one.
 */
export class DualSequences {
  /** Of each labelled sentence. */
  readonly of: DualSequence[][];
  readonly #objective: Objective;
  readonly #minibatches: readonly Minibatch[];
  readonly #active: readonly Uint32Array[];
  readonly #lattice: Lattice;
  readonly #plane: Plane;

  /** @throws TagstreamError `config` if a sentence is partially labelled */
  constructor(objective: Objective, refuse: () => Error) {
    const { parameters } = objective;
    this.#objective = objective;
    this.#plane = parameters.addPlane();
    this.#lattice = new Lattice(parameters.memory, parameters.precision);
    const sentences = objective.corpus.flatMap(minibatch =>
      minibatch.sentences.filter((_, s) => minibatch.labelled[s] === 1),
    );
    this.#minibatches = sentences.map(sentence => packMinibatch([sentence]));
    if (this.#minibatches.some(minibatch => isPartial(minibatch, 0))) throw refuse();
    this.#active = activeParameters(objective, sentences);
    this.of = this.#minibatches.map(({ gold }) => [goldSequence(gold)]);
  }

  /** The sequence of sentence `i` with the greatest cost plus score, at the present weights. Cost O(T L^2). */
  worst(i: number): DualSequence {
    return this.#made(i, hingeLoss, 0);
  }

  /** The sequence with given labels. */
  #with(i: number, labels: Int32Array, alpha: number): DualSequence {
    const path: Loss = {
      ...{ name: 'hinge', summary: '', example: '', predicts: false, smooth: false },
      apply(_, lattice, s, gold) {
        clearResiduals(lattice, s);
        addPath(lattice, s, labels, 1);
        addPath(lattice, s, gold, -1);
        return 0;
      },
    };
    return this.#made(i, path, alpha);
  }

  /** The sequence whose residuals a loss leaves. */
  #made(i: number, loss: Loss, alpha: number): DualSequence {
    const { kernel, parameters, free } = this.#objective;
    const minibatch = this.#minibatches[i]!;
    const made = contributionOf(kernel, parameters, this.#lattice, minibatch, loss);
    const cost = wrongTokens(made, 0) * (minibatch.weights?.[0] ?? 1);
    if (cost === 0) return { ...goldSequence(minibatch.gold), alpha };
    kernel.accumulate(parameters, this.#plane, made, 0, 1);
    const places: number[] = [];
    const values: number[] = [];
    eachPlace(free, this.#plane, this.#active[i]!, (view, at, k) => {
      if (view[at] === 0) return;
      places.push(this.#active[i]![k]!);
      values.push(view[at]!);
      view[at] = 0;
    });
    const { residual, width } = made;
    const labels = minibatch.gold.slice();
    for (let t = 0; t < labels.length; t += 1) {
      for (let y = 0; y < width; y += 1) if (residual[t * width + y]! > 0) labels[t] = y;
    }
    return {
      ...{ labels, cost, alpha },
      places: Uint32Array.from(places),
      values: Float64Array.from(values),
    };
  }

  save(): Pick<State, 'arrays'> {
    const all = this.of.flat();
    const labels = new Int32Array(all.reduce((sum, each) => sum + each.labels.length, 0));
    let from = 0;
    for (const each of all) {
      labels.set(each.labels, from);
      from += each.labels.length;
    }
    const counts = Int32Array.from(this.of, ({ length }) => length);
    return { arrays: { counts, labels, alphas: Float64Array.from(all, ({ alpha }) => alpha) } };
  }

  /** @throws TagstreamError `checkpoint` where the state does not fit the corpus */
  restore({ arrays: { counts, labels, alphas } }: State): void {
    if (!(counts instanceof Int32Array && labels instanceof Int32Array)) throw inconsistent();
    if (!(alphas instanceof Float64Array) || counts.length < this.of.length) throw inconsistent();
    let from = 0;
    let next = 0;
    for (const [i, { tokens, gold }] of this.#minibatches.entries()) {
      if (!(labels.length >= from + counts[i]! * tokens)) throw inconsistent();
      this.of[i] = Array.from({ length: counts[i]! }, () => {
        const own = labels.slice(from, from + tokens);
        from += tokens;
        const alpha = alphas[next++]!;
        return own.every((y, t) => y === gold[t])
          ? { ...goldSequence(gold), alpha }
          : this.#with(i, own, alpha);
      });
    }
  }
}

function goldSequence(labels: Int32Array): DualSequence {
  return { labels, cost: 0, places: new Uint32Array(0), values: new Float64Array(0), alpha: 1 };
}

function inconsistent() {
  return wrongState('the label sequences are not those of the corpus');
}
