import type { Observable, OperatorFunction } from 'rxjs';
import type { Document } from '../../core/sentence/document.js';
import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import { replaceable } from '../../operators/replaceable.js';
import type { RunEvents } from '../definition/events.js';
import { finishBeforeError } from './finish-before-error.js';
import { Reloadable } from './reload/reloadable.js';
import { versionsOf } from './reload/versions-of.js';

/** The parts of a pipeline that only tags. */
export interface TaggingRun {
  readonly documents: Observable<Document>;
  /** The whole way from documents to tagged documents, with the model as its file is now. */
  readonly makeStages: () => OperatorFunction<Document, TaggedDocument>;
  /** Writes to the end, and gives the number of records. */
  readonly write: (tagged: Observable<TaggedDocument>) => Promise<number>;
  readonly events: RunEvents;
  /** Each makes the stages anew; where that fails the old ones stay. */
  readonly reloads: Observable<void> | undefined;
}

/** Tags a stream to its end, by the newest stages. Returns the number of records. */
export async function runTagging(run: TaggingRun): Promise<number> {
  const { documents, makeStages, write, events, reloads } = run;
  const report = { onReloaded: events.onReloaded, onKept: events.onReloadRefused };
  const stages = new Reloadable(makeStages(), makeStages, report);
  const reloading = reloads?.subscribe(() => stages.reload());
  try {
    return await write(documents.pipe(finishBeforeError(replaceable(versionsOf(stages)))));
  } finally {
    reloading?.unsubscribe();
  }
}
