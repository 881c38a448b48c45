import {
  catchError,
  concat,
  concatMap,
  defer,
  finalize,
  type Observable,
  type OperatorFunction,
  throwError,
} from 'rxjs';
import type { FlowLedger } from '../core/delivery/flow-ledger.js';
import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import { kinds, requireArgument, requireItem } from '../core/schema/require-argument.js';
import type { Sentence, TaggedSentence } from '../core/sentence/sentence.js';
import { inDocuments } from '../features/context/document-memory.js';
import type { ContextWindow } from '../features/context/predictions.js';
import type { Model } from '../models/model.js';
import { attempt } from './attempt.js';

/**
 * Returns an operator that encodes sentences as rows of features, with `model.encode`.
 *
 * For templates that read the document (`%document`), consecutive sentences are context of each other. Templates that
 * read predictions of a first model (`%predicted`) also look ahead: a sentence is then emitted once enough further
 * sentences have arrived, or its document or the stream ends. Until the model is frozen, labelled sentences add labels
 * and features.
 *
 * The operator rejects a sentence that cannot be encoded (a missing column, an invalid number), or that `check` throws
 * for. A sentence that `tag` has tagged into a column keeps the column and loses its constraints.
 *
 * @param model encodes the sentences, and grows with them until it is frozen
 * @param check throws for sentences to reject
 * @param ledger tracks how many sentences are held, for a source that waits for deliveries
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
  ledger?: FlowLedger,
): OperatorFunction<Sentence, EncodedSentence> {
  requireArgument('featurize: the model', model, kinds.model);
  if (check !== undefined) requireArgument('featurize: the check', check, kinds.function);
  return source =>
    defer(() => {
      const place = inDocuments(model.extractor.readsDocuments);
      const checked = (sentence: Sentence): Sentence => {
        requireItem('featurize', sentence, kinds.sentence);
        const whole = afterTagger(sentence);
        check?.(whole);
        return place(whole);
      };
      const window = model.first?.inOrder();
      if (window === undefined) {
        return source.pipe(attempt((sentence: Sentence) => model.encode(checked(sentence))));
      }
      const leave = ledger?.enter('featurize', () => ({ items: window.pending, busy: false }));
      return inWindow(source, window, checked).pipe(
        attempt((sentence: Sentence) => model.encode(sentence)),
        finalize(() => leave?.()),
      );
    });
}

/** Restores the gold tags of a sentence that was tagged into a column, and adds the column. */
function afterTagger(sentence: Sentence & Partial<TaggedSentence>): Sentence {
  if (sentence.into === undefined) return sentence;
  const { context: _, constraints: __, ...given } = sentence.into.sentence;
  return { ...given, columns: sentence.columns, tagged: sentence as TaggedSentence };
}

/**
 * Adds context from both sides to sentences; flushes sentences that still wait for right context when the source
 * completes or fails.
 */
function inWindow(
  source: Observable<Sentence>,
  window: ContextWindow,
  checked: (sentence: Sentence) => Sentence,
): Observable<Sentence> {
  const rest = defer(() => window.flush());
  return concat(
    source.pipe(
      attempt((sentence: Sentence) => window.push(checked(sentence))),
      concatMap(sentences => sentences),
      catchError((error: unknown) =>
        concat(
          rest,
          throwError(() => error),
        ),
      ),
    ),
    rest,
  );
}
