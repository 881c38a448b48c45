import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { jointLoss } from '../../../../src/engine/losses/joint-loss.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { type CountsOptions, counts } from '../../../../src/engine/optimizers/counts.js';
import { suffixOf } from '../../../contracts/oracle/tables/hmm-tables.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { modelWith } from './model-with.js';

/** The word, its last two letters, its last one. */
export const chain = [(token: string) => token, suffixOf(2), suffixOf(1)];
export const hmmTemplates = 'U0:%x[0,0]\nU1:%suffix[0,0,2]\nU2:%suffix[0,0,1]\nB';

/** A word of one to three letters out of `letters`. */
export function hmmWord(random: Random, letters = 'abcd'): string {
  const length = 1 + random.below(3);
  return Array.from({ length }, () => letters[random.below(letters.length)]).join('');
}

/** Sentences whose labels lean on the last letter, some of them of another weight. */
export function hmmCorpus(random: Random, count: number, labels = ['X', 'Y', 'Z']): Sentence[] {
  return Array.from({ length: count }, () => {
    const tokens = Array.from({ length: 1 + random.below(5) }, () => hmmWord(random));
    const tags = tokens.map(token => {
      const own = token.charCodeAt(token.length - 1) % labels.length;
      return labels[random.below(4) === 0 ? random.below(labels.length) : own]!;
    });
    const weight = [1, 1, 1, 2, 0.5][random.below(5)]!;
    const columns = { n: tags.map(tag => random.normal() * 2 + labels.indexOf(tag) - 1) };
    return { ...sentenceOf(tokens, { tags, columns }), weight };
  });
}

/** What a model of a test is counted with. */
export interface CountingOptions {
  readonly templates?: string;
  readonly kernel?: Kernel;
  readonly options?: Partial<CountsOptions>;
  readonly cutoff?: number;
}

/** A learner that has counted nothing yet. */
export function hmmLearner({
  templates = hmmTemplates,
  kernel = kernels.simd64,
  options = {},
  cutoff = 1,
}: CountingOptions = {}): Learner {
  const index = { mode: 'exact', cutoff } as const;
  const model = modelWith(kernel, { templates, columns: ['form', 'n'], scorer: 'hmm', index });
  return createOnlineLearner(model, {
    loss: jointLoss,
    optimizer: counts,
    options,
    corpusSize: 100,
  });
}

/** Counts sentences as they come, in minibatches of `batch`. */
export function countStream(learner: Learner, sentences: readonly Sentence[], batch = 1): void {
  for (let i = 0; i < sentences.length; i += batch) {
    const encoded = sentences.slice(i, i + batch).map(each => learner.model.encode(each));
    learner.apply(learner.contribute(packMinibatch(encoded)));
  }
}

/** A model with the tables of all that was counted, not yet rounded for a file. */
export function countedModel(sentences: readonly Sentence[], options: CountingOptions = {}): Model {
  const learner = hmmLearner(options);
  countStream(learner, sentences, 7);
  learner.optimizer.prepare();
  learner.optimizer.deploy(learner.model.parameters.weights);
  return learner.model;
}
