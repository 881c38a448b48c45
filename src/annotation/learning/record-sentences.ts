import { from } from 'rxjs';
import type { Document } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { type TokenizeOptions, tokenize } from '../../operators/tokenize.js';

/**
 * The sentences of one record, at once.
 *
 * @throws TagstreamError as `tokenize` rejects a record
 */
export function recordSentences(document: Document, options: TokenizeOptions): Sentence[] {
  const sentences: Sentence[] = [];
  let failure: unknown;
  from([document])
    .pipe(tokenize(options))
    .subscribe({
      next: sentence => sentences.push(sentence),
      error: error => {
        failure = error;
      },
    });
  if (failure !== undefined) throw failure;
  return sentences;
}
