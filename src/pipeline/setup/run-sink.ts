import { filter, type Observable } from 'rxjs';
import type { TaggedSentence } from '../../core/sentence/sentence.js';
import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import { foreignFieldsNote } from '../../io/codecs/ndjson/record-fields.js';
import { type WriteHooks, writeDocuments } from '../../io/document-sink.js';
import type { Output } from '../../io/writing/open-output.js';
import { assemble } from '../../operators/assemble.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { RunSetup } from '../definition/run-setup.js';

/** Tagged sentences as the records that they came in. */
export function assembled(
  sentences: Observable<TaggedSentence>,
  setup: RunSetup,
): Observable<TaggedDocument> {
  const spans = () => isSpanScheme(setup.model.scheme);
  const { scores, addsModelId } = setup;
  const modelId = addsModelId ? setup.modelId : undefined;
  return sentences.pipe(assemble({ scores, spans, modelId }));
}

/** Writes what the sink of a pipeline asks for into an output. Returns the number of records. */
export async function runSink(
  tagged: Observable<TaggedDocument>,
  pipeline: Pipeline,
  setup: RunSetup,
  target: Output,
  hooks: WriteHooks = {},
): Promise<number> {
  const { output = 'record', only = 'all', redact } = pipeline.sink ?? {};
  const codec = pipeline.source.component.codec(pipeline.source.options);
  const onBelow = warnOnce(setup);
  const selected = tagged.pipe(
    filter(record => {
      const wanted = only === 'all' || record.gold === undefined;
      if (!wanted) settleDelivery(record);
      return wanted;
    }),
  );
  const onFlush = (flush: () => void) => {
    setup.flushSink = flush;
  };
  const { ledger, status } = setup;
  const all = { onFlush, ledger, status, ...hooks };
  const { records } = await writeDocuments(
    selected,
    target,
    codec,
    { output, redact, onBelow },
    all,
  );
  return records;
}

/** Warns at the first record whose results go below a key, as it has fields of others in their place. */
export function warnOnce({ events }: Pick<RunSetup, 'events'>): () => void {
  let isSaid = false;
  return () => {
    if (isSaid) return;
    isSaid = true;
    events.onWarning?.('foreign-fields', foreignFieldsNote);
  };
}

function settleDelivery({ document }: TaggedDocument): void {
  document.delivery?.release();
  document.delivery?.ack();
}
