import { identity, type OperatorFunction, pipe } from 'rxjs';
import type { Document } from '../../core/document.js';
import type { Durations } from '../../core/durations.js';
import type { TaggedDocument } from '../../core/tagged-document.js';
import type { DecodeOptions } from '../../models/decode-options.js';
import type { Model } from '../../models/model.js';
import { requirePossible } from '../../models/require-possible.js';
import { assemble } from '../../operators/assemble.js';
import { type BatchOptions, batch } from '../../operators/batch.js';
import { featurize } from '../../operators/featurize.js';
import { tag } from '../../operators/tag.js';
import { tokenize } from '../../operators/tokenize.js';
import { isSpanScheme } from '../../text/tag-scheme.js';
import { modelTokenizer } from '../model-tokenizer.js';
import { timed } from '../timed.js';

/** What is wanted of each record; plain data. */
export interface TaggingOptions extends Omit<DecodeOptions, 'constraints'> {
  /** The record with all results, or the shortest form. */
  readonly output: 'record' | 'tags';
  readonly scores?: boolean | undefined;
}

/**
 * Documents to tagged documents with a trained model, in order; the batches make no difference.
 *
 * To be made once for many streams one after the other: each time takes working memory of its own beside
 * the model's parameters, for as long as the model lives.
 *
 * @param durations is told how long each batch takes
 */
export function taggingStages(
  model: Model,
  options: TaggingOptions,
  batching: BatchOptions,
  durations?: Durations,
): OperatorFunction<Document, TaggedDocument> {
  const { output, scores = false } = options;
  const chosen = decodeOptions(options);
  return pipe(
    tokenize(modelTokenizer(model)),
    // Before sentences wait for a batch, so that bad records are told in their order.
    featurize(model, sentence => requirePossible(model, sentence, chosen)),
    batch(batching),
    durations === undefined ? identity : timed(durations),
    tag(model, chosen),
    assemble({ scores, spans: () => output === 'record' && isSpanScheme(model.scheme) }),
  );
}

/** What the decoder takes of them: the command hands over all its arguments. */
export function decodeOptions(options: Omit<DecodeOptions, 'constraints'>): DecodeOptions {
  const { decoding, marginals, probability, nbest, spanProbabilities, transitions, dictionary } =
    options;
  return {
    ...{ decoding, marginals, probability, nbest, spanProbabilities, transitions },
    ...(dictionary === undefined ? {} : { dictionary }),
  };
}
