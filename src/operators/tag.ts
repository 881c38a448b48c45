import { concatMap, type OperatorFunction } from 'rxjs';
import type { Minibatch } from '../core/minibatch.js';
import type { TaggedSentence } from '../core/sentence.js';
import type { TrainingStep } from '../core/training-step.js';
import { type Decoded, type DecodeOptions, Decoder } from '../models/decoder.js';
import type { Model } from '../models/model.js';

/**
 * Minibatches to tagged sentences, one for each, in order.
 *
 * In a training pipeline it takes the steps: sentences come out with the labels that were predicted
 * before they were learned from, where `contribute` was asked for them.
 */
export function tag(
  model: Model,
  options: DecodeOptions = {},
): OperatorFunction<Minibatch | TrainingStep, TaggedSentence> {
  const decoder = new Decoder(model.kernel);
  return concatMap(item => {
    const step = 'contribution' in item ? item : undefined;
    const batch = step === undefined ? (item as Minibatch) : step.contribution.minibatch;
    const predicted = step?.contribution.predicted;
    const wanted = options.marginals === true || options.decoding === 'posterior';
    if (predicted !== undefined && !wanted) {
      return taggedSentences(model, batch, { labels: predicted, scores: new Float64Array(0) });
    }
    model.reserve();
    return taggedSentences(model, batch, decoder.decode(model.parameters, batch, options));
  });
}

function taggedSentences(model: Model, batch: Minibatch, decoded: Decoded): TaggedSentence[] {
  return batch.sentences.map(({ sentence }, s) => {
    const start = batch.sentenceStarts[s]!;
    const end = batch.sentenceStarts[s + 1]!;
    const { tags: gold, ...rest } = sentence;
    return {
      ...rest,
      tags: Array.from(decoded.labels.subarray(start, end), label => model.labels.name(label)),
      ...(gold === undefined ? {} : { gold }),
      score: decoded.scores[s] ?? Number.NaN,
      ...(decoded.marginals === undefined
        ? {}
        : { marginals: Array.from(decoded.marginals.subarray(start, end)) }),
    };
  });
}
