import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import {
  type State,
  type Stateful,
  stateArray,
  stateCount,
  stateNumber,
} from '../../core/training/state.js';
import type { Evaluator, Scores } from '../../core/training/training-step.js';
import type { DecodeOptions } from '../decoding/decode-options.js';
import { Decoder } from '../decoding/decoder.js';
import { requireCapabilities, requireFromStructure } from '../decoding/require-capabilities.js';
import { scoreSentences } from '../decoding/score-sentences.js';
import { encodeInOrder } from './encode-in-order.js';
import type { Learner } from './learner.js';

/**
 * Scores a learner's deployed weights on held-out sentences. The sentences are encoded once if the model
 * is frozen, otherwise each time, because the model may have new features.
 */
export class HeldOutEvaluator implements Evaluator {
  readonly #learner: Learner;
  readonly #sentences: readonly Sentence[];
  readonly #decoder: Decoder;
  readonly #options: DecodeOptions;
  #encoded: readonly EncodedSentence[] | undefined;

  /**
   * @param options `rank`: count the ranks of the gold tags among this number of best sequences, from 1 to 1000
   * @throws TagstreamError `config` if ranks are requested of a model without n-best lists
   */
  constructor(
    learner: Learner,
    sentences: readonly Sentence[],
    options: { readonly rank?: number | undefined } = {},
  ) {
    requireArgument('HeldOutEvaluator: the learner', learner, kinds.learner);
    requireArgument('HeldOutEvaluator: the sentences', sentences, kinds.list);
    requireKnown('HeldOutEvaluator', options, ['rank']);
    this.#options = options.rank === undefined ? {} : { nbest: options.rank };
    const { layout } = learner.model.parameters;
    if (layout.scorer !== undefined) requireCapabilities(layout.scorer, this.#options);
    requireFromStructure(layout, this.#options, false);
    this.#learner = learner;
    this.#sentences = sentences;
    this.#decoder = new Decoder(learner.model.kernel, learner.model);
  }

  evaluate(): Scores {
    const { model } = this.#learner;
    const encoded = this.#encoded ?? encodeInOrder(model, this.#sentences);
    if (model.frozen) this.#encoded = encoded;
    const parameters = this.#learner.deployedParameters();
    return scoreSentences(model, parameters, this.#decoder, encoded, this.#options);
  }
}

/**
 * Keeps the best model by held-out score (F1 for span schemes, otherwise accuracy), and reports when the
 * score has not improved for `patience` evaluations.
 */
export class EarlyStopping implements Stateful {
  readonly #patience: number;
  readonly #modelBytes: () => Uint8Array;
  #best = Number.NEGATIVE_INFINITY;
  #bestPass = 0;
  #sinceBest = 0;
  #bytes: Uint8Array | undefined;

  /**
   * @param modelBytes function that returns the model file of the current weights; called when they
   * are the best so far
   */
  constructor(patience: number, modelBytes: () => Uint8Array) {
    requireArgument('EarlyStopping: the model file', modelBytes, kinds.function);
    this.#patience = patience;
    this.#modelBytes = modelBytes;
  }

  /** Model file of the best weights so far. */
  get bestModel(): Uint8Array | undefined {
    return this.#bytes;
  }

  /** Pass of the best model. */
  get bestPass(): number {
    return this.#bestPass;
  }

  /** Whether the scores have not improved for `patience` evaluations. */
  get ended(): boolean {
    return this.#sinceBest >= this.#patience;
  }

  /** Records the scores after a pass; returns whether training should end. */
  consider(scores: Scores, pass: number): boolean {
    const score = scores.f1 === undefined ? scores.accuracy : scores.f1;
    // An undefined score is neither better nor worse.
    if (score === null) return this.ended;
    if (score > this.#best) {
      this.#best = score;
      this.#bestPass = pass;
      this.#sinceBest = 0;
      this.#bytes = this.#modelBytes();
    } else {
      this.#sinceBest += 1;
    }
    return this.ended;
  }

  save(): State {
    const started = this.#bytes !== undefined;
    return {
      json: {
        best: started ? this.#best : null,
        bestPass: this.#bestPass,
        sinceBest: this.#sinceBest,
      },
      arrays: this.#bytes === undefined ? {} : { model: this.#bytes },
    };
  }

  restore(state: State): void {
    const started = state.json.best !== null;
    this.#best = started ? stateNumber(state, 'best') : Number.NEGATIVE_INFINITY;
    this.#bestPass = stateCount(state, 'bestPass');
    this.#sinceBest = stateCount(state, 'sinceBest');
    this.#bytes = started ? stateArray(state, 'model', [Uint8Array]).slice() : undefined;
  }
}
