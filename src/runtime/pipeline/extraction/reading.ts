import { Observable } from 'rxjs';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import type { RunStatus } from '../../../engine/core/run-status.js';
import { certainLabels } from '../../../engine/models/labels/allowed-labels.js';
import { observe } from '../../../engine/models/labels/observe.js';
import type { Model } from '../../../engine/models/model.js';
import type { BadRecord } from '../../../formats/bad-records/bad-record.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { NumberedBad } from '../blocks/block-task.js';

/** Receivers of the read records and lines. */
export interface ReadingReport {
  readonly deadLetters: DeadLetters;
  /** Called for each blank line that was skipped. */
  readonly onBlank?: (() => void) | undefined;
  /** Receives the counts of each block. */
  readonly status?: RunStatus | undefined;
}

/** Counts of a block. */
interface CountedBlock {
  readonly read: number;
  readonly blank: number;
  readonly bad: readonly NumberedBad[];
}

/**
 * Counts the records of a block, and passes the bad ones on.
 *
 * @throws a bad record's error if the dead letters throw it
 */
export function reportBlock(
  { read, blank, bad }: CountedBlock,
  { deadLetters, onBlank, status }: ReadingReport,
): void {
  if (status !== undefined) status.recordsIn += read;
  const before = deadLetters.pass(read) - read;
  for (const { number, bad: record } of bad) deadLetters.add(record, before + number);
  for (let line = 0; line < blank; line += 1) onBlank?.();
}

/** Counts a record that is too long for a block, and passes it on as a bad record. */
export function reportBad(bad: BadRecord, { deadLetters, status }: ReadingReport): void {
  if (status !== undefined) status.recordsIn += 1;
  deadLetters.add(bad);
}

/** Reads sentences and passes them on, until the end of the input or an abort. */
type SentenceReading = (
  next: (sentence: EncodedSentence) => void,
  signal: AbortSignal,
) => Promise<void>;

/** Returns the sentences that a reading passes on; errors if it rejects. Each subscription reads anew. */
export function encodedBy(read: SentenceReading): Observable<EncodedSentence> {
  return new Observable(subscriber => {
    const ended = new AbortController();
    const next = (sentence: EncodedSentence) => subscriber.next(sentence);
    read(next, ended.signal).then(
      () => subscriber.complete(),
      (thrown: unknown) => subscriber.error(thrown),
    );
    return () => ended.abort();
  });
}

/**
 * Records in a model what `Model.encode` records for labelled sentences, if they were encoded without it: pairs of
 * consecutive labels and, if only observed features have weights, the features with their labels.
 */
export function noteSentences(model: Model, sentences: readonly EncodedSentence[]): void {
  for (const { gold, allowed } of sentences) {
    if (gold !== undefined) model.seen.note(gold);
    else if (allowed !== undefined) model.seen.note(certainLabels(allowed));
  }
  if (model.spec.support !== 'observed') return;
  model.reserve();
  for (const sentence of sentences) observe(model.parameters, sentence);
}
