import type { Delivery } from '../../../src/engine/core/delivery/delivery.js';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../../src/engine/core/minibatch/minibatch.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import type { TrainingStep } from '../../../src/engine/core/training/training-step.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { createOnlineLearner, type Learner } from '../../../src/engine/models/learning/learner.js';
import type { Model } from '../../../src/engine/models/model.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { sentenceOf } from '../features/sentence-of.js';

/** Ten sentences of two to four words, number `i` with the id `i`; A and B alternate with the words. */
export function numbered(i: number, delivery?: Delivery): Sentence {
  const words = Array.from({ length: 2 + (i % 3) }, (_, t) => (i + t) % 5);
  return sentenceOf(
    words.map(word => `w${word}`),
    {
      tags: words.map(word => (word % 2 === 0 ? 'A' : 'B')),
      id: String(i),
      ...(delivery === undefined ? {} : { delivery }),
    },
  );
}

/** A model in training, of words and transitions. */
export class Training {
  readonly model: Model;
  readonly learner: Learner;

  constructor() {
    this.model = createModel({ templates: 'U0:%x[0,0]\nB' });
    this.learner = createOnlineLearner(this.model, {
      loss: logLoss,
      optimizer: sgd,
      corpusSize: 10,
    });
  }

  encoded(i: number, delivery?: Delivery): EncodedSentence {
    return this.model.encode(numbered(i, delivery));
  }

  batch(...sentences: readonly EncodedSentence[]): Minibatch {
    return packMinibatch(sentences);
  }

  /** The step that learns from a minibatch. */
  step(minibatch: Minibatch, predict = false): TrainingStep {
    return this.learner.apply(this.learner.contribute(minibatch, predict));
  }
}

/** Ids of the sentences of a minibatch. */
export function idsOf(minibatch: Minibatch): string[] {
  return minibatch.sentences.map(({ sentence }) => sentence.document.id!);
}
