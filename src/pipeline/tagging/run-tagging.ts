import { type Observable, type OperatorFunction, takeUntil, tap } from 'rxjs';
import type { Document } from '../../core/document.js';
import type { TaggedDocument } from '../../core/tagged-document.js';
import { replaceable } from '../../operators/replaceable.js';
import { aborted } from '../aborted.js';
import type { RunEvents } from '../events.js';
import { Reloadable } from '../reload/reloadable.js';

/** The parts of a pipeline that only tags. */
export interface TaggingRun {
  readonly documents: Observable<Document>;
  /** The whole way from documents to tagged documents, with the model as its file is now. */
  readonly makeStages: () => OperatorFunction<Document, TaggedDocument>;
  /** Writes to the end, and gives the number of records. */
  readonly write: (tagged: Observable<TaggedDocument>) => Promise<number>;
  readonly events: RunEvents;
  /** Its abort ends the input; what has been read is still tagged and written. */
  readonly signal: AbortSignal | undefined;
  /** Each makes the stages anew; where that fails the old ones stay. */
  readonly reloads: Observable<void> | undefined;
}

/** Tags a stream to its end, by the newest stages. `ended` is false where the signal came before. */
export async function runTagging(run: TaggingRun): Promise<{ records: number; ended: boolean }> {
  const { documents, makeStages, write, events, signal, reloads } = run;
  const told = { onReloaded: events.onReloaded, onKept: events.onReloadRefused };
  const stages = new Reloadable(makeStages(), makeStages, told);
  const reloading = reloads?.subscribe(() => stages.reload());
  let ended = false;
  const onEnd = () => {
    ended = true;
  };
  let read = documents.pipe(tap({ complete: onEnd }));
  if (signal !== undefined) read = read.pipe(takeUntil(aborted(signal)));
  try {
    const records = await write(read.pipe(replaceable(stages.versions)));
    return { records, ended };
  } finally {
    reloading?.unsubscribe();
  }
}
