import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { Random } from '../../core/random.js';
import { knownTags } from '../../core/sentence/known-tags.js';
import type { PartialTag } from '../../core/sentence/partial-tag.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { presetTemplates } from '../../features/presets/preset-templates.js';
import { logLoss } from '../../losses/log-loss.js';
import { SpanScores } from '../../metrics/scores/span-scores.js';
import { TokenAccuracy } from '../../metrics/scores/token-accuracy.js';
import { createModel } from '../../models/create-model.js';
import { Decoder } from '../../models/decoding/decoder.js';
import { createOnlineLearner } from '../../models/learning/learner.js';
import type { Model } from '../../models/model.js';
import { adagrad } from '../../optimizers/adagrad.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import { columnsOf } from '../learning/columns-of.js';
import { encodedBy } from '../learning/uncertainty.js';
import type { FeatureSource } from '../strategies/token-features.js';

/** Passes of each training: more hardly change the scores at these sizes. */
const epochs = 15;

/** Sentences that are decoded at a time. */
const atATime = 64;

/**
 * A model that is trained from scratch again and again on other sentences of the same file, with the features of a preset,
 * AdaGrad and the log loss.
 *
 * All sentences are encoded once: a feature that is in no answer yet has no weight, and changes nothing.
 */
export class SimulatedModel {
  readonly model: Model;
  readonly #decoder: Decoder;
  /** The features of tokens: their rows, as all are known. */
  readonly features: FeatureSource;

  constructor(gold: readonly Sentence[], preset: string) {
    const columns = columnsOf(gold);
    this.model = createModel({ templates: presetTemplates(preset, columns), columns });
    for (const sentence of gold) this.model.encode(sentence);
    this.model.frozen = true;
    this.model.parameters.layOutFor(this.model.labels.columns);
    this.model.reserve();
    this.features = {
      count: this.model.parameters.stateRows,
      of: ([sentence]) => {
        const { stateStarts: starts, stateRows: numbers } = encodedBy(this.model, sentence!);
        return { starts, numbers };
      },
    };
    this.#decoder = new Decoder(this.model.kernel, this.model);
  }

  /** Trains on what is known of some sentences: their tags, null where they are open. */
  train(
    answers: Iterable<readonly [sentence: Sentence, tags: readonly PartialTag[]]>,
    seed: number,
  ) {
    const { model } = this;
    const corpus = Array.from(answers, ([sentence, tags]) => this.#encoded(sentence, tags));
    model.parameters.restart();
    const options = { eta0: 0.2, l2: 0.5 };
    const parts = { loss: logLoss, optimizer: adagrad, options, corpusSize: corpus.length };
    const learner = createOnlineLearner(model, parts);
    for (let pass = 1; pass <= epochs; pass += 1) {
      const order = new Random(seed * 1000003 + pass).shuffle(Uint32Array.from(corpus.keys()));
      for (const i of order) learner.apply(learner.contribute(packMinibatch([corpus[i]!])));
    }
    learner.finish();
  }

  /** The best tags of sentences. */
  *tags(sentences: readonly Sentence[]): Generator<readonly string[]> {
    const { names } = this.model.labels;
    for (let from = 0; from < sentences.length; from += atATime) {
      const part = sentences.slice(from, from + atATime);
      const minibatch = packMinibatch(part.map(sentence => encodedBy(this.model, sentence)));
      const { labels } = this.#decoder.decode(this.model.parameters, minibatch);
      for (const [s, { tokens }] of part.entries()) {
        const start = minibatch.sentenceStarts[s]!;
        yield Array.from(labels.subarray(start, start + tokens.length), y => names[y]!);
      }
    }
  }

  /** F1 of spans, or accuracy, in percent. */
  score(test: readonly Sentence[]): number {
    const spans = new SpanScores();
    const accuracy = new TokenAccuracy();
    let i = 0;
    for (const found of this.tags(test)) {
      const gold = test[i]!.tags!;
      spans.add(gold, found);
      accuracy.add(gold, found);
      i += 1;
    }
    return isSpanScheme(this.model.scheme) ? spans.total.f1 : accuracy.percent;
  }

  #encoded(sentence: Sentence, tags: readonly PartialTag[]) {
    if (tags === sentence.tags) return encodedBy(this.model, sentence);
    const { tags: _, partialTags: __, ...rest } = sentence;
    return this.model.encodeKnown({ ...rest, ...knownTags(tags) });
  }
}
