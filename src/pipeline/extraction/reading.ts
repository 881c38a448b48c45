import { Observable } from 'rxjs';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { RunStatus } from '../../core/run-status.js';
import type { BadRecord } from '../../io/bad-records/bad-record.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { certainLabels } from '../../models/labels/allowed-labels.js';
import { observe } from '../../models/labels/observe.js';
import type { Model } from '../../models/model.js';
import type { NumberedBad } from '../blocks/block-task.js';

/** Who gets to know what was read. */
export interface ReadingReport {
  readonly deadLetters: DeadLetters;
  /** Called for each blank line that was skipped. */
  readonly onBlank?: (() => void) | undefined;
  /** Receives what was read, block by block. */
  readonly status?: RunStatus | undefined;
}

/** What is counted of a block. */
interface CountedBlock {
  readonly read: number;
  readonly blank: number;
  readonly bad: readonly NumberedBad[];
}

/**
 * Counts the records of a block, and hands on the bad ones.
 *
 * @throws a bad record's error where the dead letters throw it
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

/** The same of a record that is too long to be part of a block. */
export function reportBad(bad: BadRecord, { deadLetters, status }: ReadingReport): void {
  if (status !== undefined) status.recordsIn += 1;
  deadLetters.add(bad);
}

/** Reads sentences and hands them on, until its end or the abort of the signal. */
type SentenceReading = (
  next: (sentence: EncodedSentence) => void,
  signal: AbortSignal,
) => Promise<void>;

/** The sentences that a reading hands on; errors with what it rejects with. Each subscription reads once more. */
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
 * Notes in a model what `Model.encode` notes of labelled sentences, for those that were encoded without it: pairs of
 * labels that follow each other, and those of features and labels where only observed ones have weights.
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
