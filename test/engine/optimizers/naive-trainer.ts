import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import type { Model } from '../../../src/engine/models/model.js';
import type { ChainScores } from '../../contracts/oracle/chain-scores.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';

/** One weight, under the name of its row and labels. */
export interface NaiveWeight {
  value: number;
  /** What averaging optimizers add up, and over how many sentences. */
  sum: number;
  count: number;
  /** Penalty received, and what could have been charged when the weight was created. */
  received: number;
  createdAt: number;
  /** Sum of the squares of its gradients. */
  squares: number;
  /** The largest value of its feature, where an optimizer divides by it. */
  scale: number;
}

/** What a sentence says: the gradient of its loss by weight, and the weights that it touches. */
export interface NaiveGradient {
  readonly gradient: ReadonlyMap<string, number>;
  readonly active: ReadonlySet<string>;
  readonly loss: number;
  /** Tokens at which the best labels are not the gold ones. */
  readonly wrong: number;
}

/** `state`: row and label; `edge`: row (0 is the plain transitions), label from, label to. */
export const stateName = (row: number, y: number) => `state ${row} ${y}`;
export const edgeName = (row: number, from: number, to: number) => `edge ${row} ${from} ${to}`;

/**
 * The weights of a model one by one in a map, and gradients by writing out all label sequences: what an
 * optimizer does with planes, scales and lazy sums is done here by visiting each weight each time.
 */
export class NaiveTrainer {
  readonly weights = new Map<string, NaiveWeight>();
  readonly #model: Model;
  readonly #observed = new Set<string>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** Lets a labelled sentence's features have weights for its labels, where only those may. */
  observe({ gold, ...sentence }: EncodedSentence): void {
    for (let t = 0; t < sentence.length; t += 1) {
      for (const [row] of stateFeatures(sentence, t)) this.#observed.add(stateName(row, gold![t]!));
      for (const [row] of t > 0 ? [[0], ...edgeFeatures(sentence, t)] : []) {
        this.#observed.add(edgeName(row!, gold![t - 1]!, gold![t]!));
      }
    }
  }

  /** Brings weights of 0 into being for all that the model has met; `clock` is when they are created. */
  grow(clock = 0): void {
    const { labels, stateIndex, edgeIndex, parameters } = this.#model;
    const numbers = Array.from({ length: labels.size }, (_, y) => y);
    const add = (name: string) => {
      if (this.weights.has(name)) return;
      if (parameters.layout.support === 'observed' && !this.#observed.has(name)) return;
      this.weights.set(name, {
        value: 0,
        sum: 0,
        count: 0,
        received: 0,
        createdAt: clock,
        squares: 0,
        scale: 0,
      });
    };
    for (let row = 0; row < stateIndex.size; row += 1) {
      for (const y of numbers) add(stateName(row, y));
    }
    for (let row = parameters.layout.transitions ? 0 : 1; row <= edgeIndex.size; row += 1) {
      for (const from of numbers) for (const to of numbers) add(edgeName(row, from, to));
    }
  }

  /** Gradient of the log loss, or of the perceptron's, at the present weights. */
  gradientOf(sentence: EncodedSentence, loss: 'log' | 'perceptron'): NaiveGradient {
    const gold = sentence.gold!;
    const chain = new Enumeration(this.#scores(sentence));
    const labels = this.#model.labels.size;
    const gradient = new Map<string, number>();
    const active = new Set<string>();
    const add = (name: string, amount: number) => {
      if (!this.weights.has(name)) return;
      active.add(name);
      gradient.set(name, (gradient.get(name) ?? 0) + amount);
    };
    const is = (path: ArrayLike<number>, t: number, y: number) => (path[t] === y ? 1 : 0);
    for (let t = 0; t < sentence.length; t += 1) {
      for (let y = 0; y < labels; y += 1) {
        const expected = loss === 'log' ? chain.nodes[t]![y]! : is(chain.best, t, y);
        const residual = expected - is(gold, t, y);
        for (const [row, value] of stateFeatures(sentence, t)) {
          add(stateName(row, y), value * residual);
        }
        for (let from = 0; from < labels && t > 0; from += 1) {
          const pair = (path: ArrayLike<number>) => is(path, t - 1, from) * is(path, t, y);
          const mass = loss === 'log' ? chain.edges[t - 1]![from]![y]! : pair(chain.best);
          for (const [row, value] of [[0, 1] as const, ...edgeFeatures(sentence, t)]) {
            add(edgeName(row, from, y), value * (mass - pair(gold)));
          }
        }
      }
    }
    return {
      gradient,
      active,
      loss: loss === 'log' ? chain.logLoss(gold) : chain.perceptronLoss(gold),
      wrong: gold.filter((label, t) => label !== chain.best[t]).length,
    };
  }

  /** Calls `visit` with each weight that a sentence touches and the value of its feature. */
  eachValue(sentence: EncodedSentence, visit: (weight: NaiveWeight, value: number) => void): void {
    const labels = Array.from({ length: this.#model.labels.size }, (_, y) => y);
    const found = (name: string, value: number) => {
      const weight = this.weights.get(name);
      if (weight !== undefined) visit(weight, value);
    };
    for (let t = 0; t < sentence.length; t += 1) {
      for (const [row, value] of stateFeatures(sentence, t)) {
        for (const y of labels) found(stateName(row, y), value);
      }
      for (const [row, value] of t > 0 ? edgeFeatures(sentence, t) : []) {
        for (const from of labels) for (const to of labels) found(edgeName(row, from, to), value);
      }
    }
  }

  /** The best labels of a sentence at the present weights. */
  bestOf(sentence: EncodedSentence): readonly number[] {
    return new Enumeration(this.#scores(sentence)).best;
  }

  #value(name: string): number {
    return this.weights.get(name)?.value ?? 0;
  }

  #scores(sentence: EncodedSentence): ChainScores {
    const labels = Array.from({ length: this.#model.labels.size }, (_, y) => y);
    const sum = (features: readonly Feature[], nameOf: (row: number) => string) =>
      features.reduce((total, [row, value]) => total + value * this.#value(nameOf(row)), 0);
    const tokens = Array.from({ length: sentence.length }, (_, t) => t);
    return {
      emissions: tokens.map(t =>
        labels.map(y => sum(stateFeatures(sentence, t), row => stateName(row, y))),
      ),
      transitions: tokens.map(t =>
        labels.map(from =>
          labels.map(to =>
            sum([[0, 1], ...edgeFeatures(sentence, t)], row => edgeName(row, from, to)),
          ),
        ),
      ),
    };
  }
}

type Feature = readonly [row: number, value: number];

function stateFeatures(sentence: EncodedSentence, t: number): Feature[] {
  const { stateStarts, stateRows, stateValues } = sentence;
  return features(stateStarts, stateRows, stateValues, t);
}

function edgeFeatures(sentence: EncodedSentence, t: number): Feature[] {
  const { edgeStarts, edgeRows, edgeValues } = sentence;
  return edgeStarts === undefined ? [] : features(edgeStarts, edgeRows!, edgeValues, t);
}

function features(
  starts: Uint32Array,
  rows: Uint32Array,
  values: Float64Array | undefined,
  t: number,
): Feature[] {
  const found: Feature[] = [];
  for (let k = starts[t]!; k < starts[t + 1]!; k += 1) found.push([rows[k]!, values?.[k] ?? 1]);
  return found;
}
