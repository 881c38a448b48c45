import { defer, type OperatorFunction } from 'rxjs';
import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import type { Sentence } from '../core/sentence/sentence.js';
import { inDocuments } from '../features/context/in-documents.js';
import type { Model } from '../models/model.js';
import { attempt } from './attempt.js';

/**
 * Sentences to rows of features: `model.encode` for each.
 *
 * Sentences that come one after the other are the context of each other, where templates look at that (`%document`).
 * While the model is not frozen, labelled sentences bring new labels and features along. A sentence
 * that cannot be encoded (a column is missing, a number is none) is rejected, and so is one for which
 * `check` throws.
 *
 * @example
 * const model = createModel({ templates: 'U00:%x[0,0]\nU01:%x[-1,0]' });
 * const [encoded] = await lastValueFrom(
 *   of({ tokens: ['so', 'so'], tags: ['A', 'B'] }).pipe(tokenize(), featurize(model), toArray()),
 * );
 * Array.from(encoded.stateRows) // => [0, 1, 0, 2]
 */
export function featurize(
  model: Model,
  check?: (sentence: Sentence) => void,
): OperatorFunction<Sentence, EncodedSentence> {
  return source =>
    defer(() => {
      const place = inDocuments(model.extractor.readsDocuments);
      return source.pipe(
        attempt((sentence: Sentence) => {
          check?.(sentence);
          return model.encode(place(sentence));
        }),
      );
    });
}
