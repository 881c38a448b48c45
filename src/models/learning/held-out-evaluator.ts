import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { Evaluator } from '../../core/training/evaluator.js';
import type { Scores } from '../../core/training/training-step.js';
import { Decoder } from '../decoding/decoder.js';
import { scoreSentences } from '../decoding/score-sentences.js';
import { encodeInOrder } from './encode-in-order.js';
import type { Learner } from './learner.js';

/**
 * Scores a learner's deployed weights on held-out sentences. They are encoded once if the model is frozen,
 * otherwise each time, as it may have new features.
 */
export class HeldOutEvaluator implements Evaluator {
  readonly #learner: Learner;
  readonly #sentences: readonly Sentence[];
  readonly #decoder: Decoder;
  #encoded: readonly EncodedSentence[] | undefined;

  constructor(learner: Learner, sentences: readonly Sentence[]) {
    requireArgument('HeldOutEvaluator: the learner', learner, kinds.learner);
    requireArgument('HeldOutEvaluator: the sentences', sentences, kinds.list);
    this.#learner = learner;
    this.#sentences = sentences;
    this.#decoder = new Decoder(learner.model.kernel, learner.model);
  }

  evaluate(): Scores {
    const { model } = this.#learner;
    const encoded = this.#encoded ?? encodeInOrder(model, this.#sentences);
    if (model.frozen) this.#encoded = encoded;
    const parameters = this.#learner.deployedParameters();
    return scoreSentences(model, parameters, this.#decoder, encoded);
  }
}
