import { Observable } from 'rxjs';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';

/** Reads sentences and hands them on, until its end or the abort of the signal. */
export type SentenceReading = (
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
