import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import type { ParameterStore } from '../../../src/engine/kernels/store/parameter-store.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../src/engine/losses/perceptron-loss.js';
import { createOnlineLearner, type Learner } from '../../../src/engine/models/learning/learner.js';
import type { Model } from '../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../src/engine/models/model-spec.js';
import type { OptimizerComponent } from '../../../src/engine/optimizers/optimizer.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { modelWith } from '../models/examples/model-with.js';
import type { NaiveOptimizer } from './naive-optimizers.js';
import { NaiveTrainer, type NaiveWeight } from './naive-trainer.js';

/** State features, real-valued ones, plain transitions and such as are conditioned on the token. */
export const allKindsOfFeatures = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%v[0,n]\nB\nB0:%x[0,0]\nB1:%v[0,n]';

/** An optimizer with its options, and the naive one it is compared with. */
export interface Contest<Options> {
  readonly kernel: Kernel;
  readonly optimizer: OptimizerComponent<Options>;
  readonly options: Partial<Options>;
  readonly naive: (options: Options, corpusSize: number) => NaiveOptimizer;
  readonly corpusSize: number;
  readonly spec?: Partial<ModelSpec>;
}

/** The optimizer and the naive one, learning from the same sentences. */
export class SideBySide<Options> {
  readonly model: Model;
  readonly learner: Learner;
  readonly trainer: NaiveTrainer;
  readonly naive: NaiveOptimizer;

  constructor({ kernel, optimizer, options, naive, corpusSize, spec }: Contest<Options>) {
    const common = { templates: allKindsOfFeatures, columns: ['form', 'n'] };
    this.model = modelWith(kernel, { ...common, ...spec });
    this.naive = naive(optimizer.options.parse(options), corpusSize);
    const loss = this.naive.loss === 'log' ? logLoss : perceptronLoss;
    this.learner = createOnlineLearner(this.model, { loss, optimizer, options, corpusSize });
    this.trainer = new NaiveTrainer(this.model);
  }

  encode(sentence: Sentence): EncodedSentence {
    const encoded = this.model.encode(sentence);
    if (encoded.gold !== undefined) this.trainer.observe(encoded);
    return encoded;
  }

  /** One minibatch: all gradients are taken at the weights before it, then sentence by sentence used. */
  learn(sentences: readonly EncodedSentence[]): void {
    this.trainer.grow(this.naive.clock());
    const labelled = sentences.filter(({ gold }) => gold !== undefined && !gold.includes(-1));
    const gradients = labelled.map(each => this.trainer.gradientOf(each, this.naive.loss));
    this.learner.apply(this.learner.contribute(packMinibatch(sentences)));
    for (const [i, gradient] of gradients.entries()) {
      this.naive.prepare?.(this.trainer, labelled[i]!);
      this.naive.update(this.trainer, gradient);
    }
  }

  /** Largest difference between the present weights of the two. */
  presentDifference(): number {
    const { parameters } = this.model;
    return this.#difference(parameters, ({ value }) => value);
  }

  /** Largest difference between the weights that the two would deploy. */
  deployedDifference(): number {
    this.learner.optimizer.prepare();
    const deployed = this.model.parameters.emptyCopy();
    this.learner.optimizer.deploy(deployed.weights);
    return this.#difference(deployed, weight => this.naive.deployed(weight));
  }

  /** Names of the weights that are not zero. */
  nonZero(): string[] {
    return [...this.trainer.weights].filter(([, { value }]) => value !== 0).map(([name]) => name);
  }

  #difference(store: ParameterStore, read: (weight: NaiveWeight) => number): number {
    const names = [...this.trainer.weights.keys()];
    return difference(
      names.map(name => weightOf(store, name)),
      names.map(name => read(this.trainer.weights.get(name)!)),
    );
  }
}

/** The weight that a name of the naive trainer stands for. */
export function weightOf(store: ParameterStore, name: string): number {
  const [kind, ...numbers] = name.split(' ');
  const [row, a, b] = numbers.map(Number) as [number, number, number];
  const { weights, width, matrixSize, scale, pairs } = store;
  if (kind === 'state') return scale * weights.state.view[row * width + a]!;
  if (row === 0 || store.hasEdgeBlocks) {
    return scale * weights.edges.view[row * matrixSize + a * width + b]!;
  }
  for (let slot = pairs.heads[row]!; slot >= 0; slot = pairs.next[slot]!) {
    if (pairs.from[slot] === a && pairs.to[slot] === b) return scale * weights.pairs.view[slot]!;
  }
  return Number.NaN;
}
