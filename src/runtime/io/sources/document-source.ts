import { Observable } from 'rxjs';
import {
  kinds,
  requireArgument,
  requireKnown,
} from '../../../engine/core/schema/require-argument.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import { DeadLetters } from '../dead-letters/dead-letters.js';
import { type DocumentSourceOptions, SourceReading, sourceOptionNames } from './source-reading.js';

export type { DocumentSourceOptions } from './source-reading.js';

/**
 * Returns an observable of the documents of files, in order, each with its delivery. Every subscription reads the files
 * again. The documents of a chunk are emitted synchronously while there is budget, after which the source waits until
 * deliveries are released. It completes when the input ends, even if deliveries are pending. Unsubscribing stops
 * reading and closes the file.
 *
 * Fails with TagstreamError `file` if a file cannot be read, `checkpoint` if `resumeAfter` is in none of the files, and with
 * the error of a bad record if the policy is `fail`; the records before it are emitted first.
 *
 * @example
 * const documents = documentSource({ files: [], codec: ndjsonCodec() });
 * await lastValueFrom(documents.pipe(toArray())) // => []
 */
export function documentSource(options: DocumentSourceOptions): Observable<Document> {
  requireKnown('documentSource', options, sourceOptionNames);
  requireArgument('documentSource.codec', options.codec, kinds.codec);
  const { deadLetters = new DeadLetters({ policy: 'fail' }) } = options;
  return new Observable(subscriber => {
    const reading = new SourceReading({ ...options, deadLetters }, subscriber);
    void reading.run();
    return () => reading.close();
  });
}
