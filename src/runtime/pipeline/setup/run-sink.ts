import {
  filter,
  type MonoTypeOperatorFunction,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import { saysSomething } from '../../../engine/core/sentence/partial-tag.js';
import type { TaggedSentence } from '../../../engine/core/sentence/sentence.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import type { Model } from '../../../engine/models/model.js';
import { assemble } from '../../../engine/operators/assemble.js';
import { isSpanScheme } from '../../../engine/text/tags/tag-scheme.js';
import { foreignFieldsNote } from '../../../formats/codecs/ndjson/record-fields.js';
import { type WriteHooks, writeDocuments } from '../../io/document-sink.js';
import type { Output } from '../../io/writing/open-output.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { RunContext } from '../definition/run-context.js';
import { sinkCodec } from '../open-sink.js';
import type { SinkOptions } from '../options/sink-options.js';

/**
 * Reassembles tagged sentences into their records.
 *
 * @param options whether records contain the scores of their sentences, and the model's id
 */
export function assembled(
  model: Pick<Model, 'scheme'>,
  { scores, modelId }: { readonly scores: boolean; readonly modelId?: string | undefined },
): OperatorFunction<TaggedSentence, TaggedDocument> {
  const spans = () => isSpanScheme(model.scheme);
  return assemble({ scores, spans, modelId });
}

/** Writes to an output what the sink of a pipeline requests. Returns the number of records. */
export async function runSink(
  tagged: Observable<TaggedDocument>,
  pipeline: Pipeline,
  context: Pick<RunContext, 'events' | 'ledger' | 'status'>,
  target: Output,
  hooks: WriteHooks = {},
): Promise<number> {
  const { output = 'record', redact } = pipeline.sink ?? {};
  const codec = sinkCodec(pipeline);
  const onBelow = warnOnce(context);
  const selected = tagged.pipe(selectWritten(pipeline.sink?.only));
  const { ledger, status } = context;
  const all = { ledger, status, ...hooks };
  const { records } = await writeDocuments(
    selected,
    target,
    codec,
    { output, redact, onBelow },
    all,
  );
  return records;
}

/** Passes on the records that the sink's option `only` selects, and settles all others. */
export function selectWritten(
  only: SinkOptions['only'] = 'all',
): MonoTypeOperatorFunction<TaggedDocument> {
  return filter(record => {
    const wanted = isWritten(record, { only });
    if (!wanted) settleDelivery(record);
    return wanted;
  });
}

/** Warns at the first record whose results go under a key because its own fields occupy their place. */
export function warnOnce({ events }: Pick<RunContext, 'events'>): () => void {
  let isSaid = false;
  return () => {
    if (isSaid) return;
    isSaid = true;
    events.onWarning?.('foreign-fields', foreignFieldsNote);
  };
}

/** Returns whether the sink's option `only` selects a record. */
export function isWritten(
  record: TaggedDocument,
  sink: Pick<SinkOptions, 'only'> | undefined,
): boolean {
  const { only = 'all' } = sink ?? {};
  return only === 'all' || [only].flat().some(labels => labels === labelsOf(record));
}

/** Returns how much of a record was labelled when it arrived; if all its tags are unknown, nothing was. */
function labelsOf({ gold, document, tokens }: TaggedDocument): 'whole' | 'partial' | 'unlabelled' {
  if (gold !== undefined) return 'whole';
  const { partialTags, spans } = document;
  if (partialTags !== undefined) return saysSomething(partialTags) ? 'partial' : 'unlabelled';
  // Spans that do not fit the tokens leave some tags unknown.
  return spans !== undefined && tokens.length > 0 ? 'partial' : 'unlabelled';
}

function settleDelivery({ document }: TaggedDocument): void {
  document.delivery?.release();
  document.delivery?.ack();
}
