import type { OperatorFunction } from 'rxjs';
import type { Document } from '../../core/sentence/document.js';
import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import { writeDocuments } from '../../io/document-sink.js';
import { documentSource } from '../../io/sources/document-source.js';
import { replaceable } from '../../operators/replaceable.js';
import { selectWritten } from '../setup/run-sink.js';
import { modelTokenizer } from '../stages/model-tokenizer.js';
import { finishBeforeError } from './finish-before-error.js';
import { versionsOf } from './reload/versions-of.js';
import type { TaggingHooks, TaggingRun, TaggingWay } from './tagging-run.js';
import { taggingStages } from './tagging-stages.js';

/** Records one by one, in this thread. */
export function recordsWay(
  run: TaggingRun,
  { ledger, onEnd, onBelow }: TaggingHooks,
): TaggingWay<OperatorFunction<Document, TaggedDocument>> {
  const { source, sink, options, tokenize, deadLetters, status, signal, onBlank } = run;
  const { files, budget, selection, stdin, openTransport } = source;
  const codec = source.codec.forTagging?.() ?? source.codec;
  const transport = openTransport?.();
  const held = { ...run.batching, ledger };
  return {
    make: ({ model }, chosen) =>
      taggingStages(model, chosen, held, {
        durations: status?.batches,
        tokenization: modelTokenizer(model, tokenize),
      }),
    tag(newest, { output, progress }) {
      const documents = documentSource({
        ...{ files, transport, codec, budget, selection, stdin },
        ...{ deadLetters, ledger, signal, status, onEnd },
        onBlank: () => onBlank?.(1),
        ...progress?.reading,
      });
      const tagged = documents.pipe(
        finishBeforeError(replaceable(versionsOf(newest))),
        selectWritten(sink.only),
      );
      status?.begin();
      const written = { output: options.output, redact: options.redact, onBelow };
      const hooks = { ledger, status, deadLetters, ...progress?.hooks };
      return writeDocuments(tagged, output, sink.writer ?? codec, written, hooks);
    },
    close: () => transport?.close?.(),
  };
}
