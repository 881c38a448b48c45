import { catchError, EMPTY, Observable, type OperatorFunction } from 'rxjs';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { replaceable } from '../../../engine/operators/replaceable.js';
import { writeDocuments } from '../../io/document-sink.js';
import { documentSource } from '../../io/sources/document-source.js';
import { selectWritten } from '../setup/run-sink.js';
import { modelTokenizer } from '../stages/chosen-tokenizer.js';
import type { Reloadable } from './reload/open-model.js';
import type { TaggingHooks, TaggingRun, TaggingWay } from './tagging-run.js';
import { taggingStages } from './tagging-stages.js';

/** Tags records one by one in this thread. */
export function recordsWay(
  run: TaggingRun,
  { ledger, onEnd, onBelow, onTextless }: TaggingHooks,
): TaggingWay<OperatorFunction<Document, TaggedDocument>> {
  const { source, sink, options, tokenize, deadLetters, status, signal, onBlank } = run;
  const { files, budget, selection, stdin, openTransport } = source;
  const codec = source.codec.forTagging?.(options.passesTextless) ?? source.codec;
  const transport = openTransport?.();
  const held = { ...run.batching, ledger };
  return {
    make: ({ model }, chosen) =>
      taggingStages(model, chosen, held, {
        durations: status?.batches,
        tokenization: modelTokenizer(model, tokenize),
        added: run.added,
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
      const { output: extent, redact } = options;
      const written = { output: extent, redact, onBelow, onTextless: () => onTextless(1) };
      const hooks = { ledger, status, deadLetters, ...progress?.hooks };
      return writeDocuments(tagged, output, sink.writer ?? codec, written, hooks);
    },
    close: () => transport?.close?.(),
  };
}

/**
 * Emits the current value, then each new value. Never completes.
 *
 * @example
 * let renew;
 * const numbers = { current: 1, onNew: listener => (renew = listener) };
 * const seen = [];
 * versionsOf(numbers).subscribe(number => seen.push(number));
 * renew(2);
 * seen // => [1, 2]
 */
export function versionsOf<Value>(
  reloadable: Pick<Reloadable<Value>, 'current' | 'onNew'>,
): Observable<Value> {
  return new Observable(subscriber => {
    subscriber.next(reloadable.current);
    return reloadable.onNew(value => subscriber.next(value));
  });
}

/**
 * Returns stages that emit everything before a source's error, including waiting batches, before they pass the error
 * on. If an item that they have just emitted causes the error, they emit nothing further.
 *
 * @example
 * const broken = concat(of(1, 2, 3), throwError(() => new Error('broken')));
 * const seen = [];
 * broken.pipe(finishBeforeError(bufferCount(2))).subscribe({ next: x => seen.push(x), error: e => seen.push(e.message) });
 * seen // => [[1, 2], [3], 'broken']
 */
export function finishBeforeError<In, Out>(
  stages: OperatorFunction<In, Out>,
): OperatorFunction<In, Out> {
  return source =>
    new Observable(subscriber => {
      let failure: { readonly error: unknown } | undefined;
      let lettingOut = false;
      let cut = false;
      const ended = source.pipe(
        catchError((error: unknown) => {
          failure = { error };
          cut = lettingOut;
          return EMPTY;
        }),
      );
      return stages(ended).subscribe({
        next: item => {
          if (cut) return;
          lettingOut = true;
          subscriber.next(item);
          lettingOut = false;
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          if (failure === undefined) subscriber.complete();
          else subscriber.error(failure.error);
        },
      });
    });
}
