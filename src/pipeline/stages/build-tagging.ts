import { identity, type OperatorFunction, pipe } from 'rxjs';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import { contentDigest } from '../../io/files/content-digest.js';
import { versionId } from '../../io/nats/registry/version-id.js';
import type { DecodeOptions } from '../../models/decoding/decode-options.js';
import { requirePossible } from '../../models/decoding/require-possible.js';
import { readModel } from '../../models/files/model-file.js';
import type { Model } from '../../models/model.js';
import { batch } from '../../operators/batch.js';
import { featurize } from '../../operators/featurize.js';
import { tag } from '../../operators/tag.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import type { RunContext } from '../definition/run-context.js';
import type { Encode } from '../learners/trainee.js';
import type { TagPlan } from '../plan/plan.js';
import { requireNoContext } from '../setup/require-no-context.js';
import { assembled } from '../setup/run-sink.js';
import { timed } from '../setup/timed.js';
import { batchLimits } from './batch.js';
import { chosenTokenizer } from './chosen-tokenizer.js';
import { readDecoding } from './tag.js';

/** What a pipeline tags with. */
export interface TaggingParts {
  readonly model: Model;
  /** What distinguishes the model from all others. */
  readonly modelId: string;
  /** How documents become sentences. */
  readonly tokenizer: TokenizeOptions;
  readonly decoding: DecodeOptions;
  /** Sentences to rows of features; one that cannot be tagged is rejected before it waits for its batch. */
  readonly encode: Encode;
  /** Rows of features to records, in batches. */
  readonly tag: OperatorFunction<EncodedSentence, TaggedDocument>;
}

/**
 * Reads what a plan tags with, from its files as they are now, and publishes the digest of the model.
 *
 * @throws TagstreamError `file`, `config`, and those of `readModel`
 */
export function buildTagging(plan: TagPlan, context: RunContext): TaggingParts {
  const { paths, kernel, catalogue, status, ledger } = context;
  const tokenizer = chosenTokenizer(plan.tokenize?.options);
  const bytes = paths.read(plan.model);
  const digest = contentDigest([bytes]);
  if (status !== undefined) status.modelDigest = digest;
  const model = readModel(bytes, paths.resolve(plan.model), kernel, catalogue.functions);
  if (plan.checkpoint !== undefined) requireNoContext(model.spec);
  const decoding = readDecoding(plan.decode, paths, model);
  const modelId = versionId(digest);
  const { scores, modelVersion } = plan.decode.options;
  return {
    ...{ model, modelId, tokenizer, decoding },
    encode: featurize(model, sentence => requirePossible(model, sentence, decoding), ledger),
    tag: pipe(
      batch(batchLimits(plan, context)),
      status === undefined ? identity : timed(status.batches),
      tag(model, decoding),
      assembled(model, { scores, modelId: modelVersion ? modelId : undefined }),
    ),
  };
}
