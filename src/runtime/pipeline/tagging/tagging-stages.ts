import { identity, type MonoTypeOperatorFunction, type OperatorFunction, pipe } from 'rxjs';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import type { Durations } from '../../../engine/core/run-status.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { requirePossible } from '../../../engine/models/decoding/require-possible.js';
import type { Model } from '../../../engine/models/model.js';
import { assemble } from '../../../engine/operators/assemble.js';
import { type BatchOptions, batch } from '../../../engine/operators/batch.js';
import { featurize } from '../../../engine/operators/featurize.js';
import { tag } from '../../../engine/operators/tag.js';
import { type TokenizeOptions, tokenize } from '../../../engine/operators/tokenize.js';
import { isSpanScheme } from '../../../engine/text/tags/tag-scheme.js';
import { timed } from '../setup/operators.js';
import type { AddedStages } from '../stages/added.js';
import { modelTokenizer } from '../stages/chosen-tokenizer.js';
import { decodeOptions, type TaggingOptions } from './tagging-options.js';

export interface TaggingStagesOptions {
  /** Receives the duration of each batch. */
  readonly durations?: Durations | undefined;
  /** How texts are tokenized. Default: like the model's training data. */
  readonly tokenization?: TokenizeOptions | undefined;
  /** Stages of plug-ins. */
  readonly added?: AddedStages | undefined;
  /** Observes the sentences that can be tagged. */
  readonly look?: MonoTypeOperatorFunction<EncodedSentence> | undefined;
}

/** Returns an operator that tags documents with a trained model, in order; batches do not affect the output. */
export function taggingStages(
  model: Model,
  options: TaggingOptions,
  batching: BatchOptions,
  {
    durations,
    tokenization = modelTokenizer(model),
    look = identity,
    added,
  }: TaggingStagesOptions = {},
): OperatorFunction<Document, TaggedDocument> {
  const { output, scores = false, modelId } = options;
  const chosen = decodeOptions(options);
  const spansIn = isSpanScheme(model.scheme) ? undefined : model.bundle?.spanColumn;
  return pipe(
    pipe(
      added?.over('document') ?? identity,
      tokenize(tokenization),
      added?.over('sentence') ?? identity,
    ),
    // Applied before sentences wait for a batch, so that bad records are reported in order.
    featurize(model, sentence => requirePossible(model, sentence, chosen), batching.ledger),
    look,
    batch(batching),
    durations === undefined ? identity : timed(durations),
    tag(model, chosen),
    added?.over('tagged sentence') ?? identity,
    assemble({
      scores,
      spans: () => output === 'record' && (isSpanScheme(model.scheme) || spansIn !== undefined),
      spansIn,
      modelId,
    }),
  );
}
