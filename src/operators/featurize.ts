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
 * Sentences to rows of features: `model.encode` for each.
 *
 * Sentences that come one after the other are the context of each other, where templates look at that (`%document`).
 * Templates that look at what a first model says (`%predicted`) also look at sentences behind: then a sentence is passed on
 * when enough of these have come, or its document or the stream ends.
 * While the model is not frozen, labelled sentences bring new labels and features along. A sentence
 * that cannot be encoded (a column is missing, a number is invalid) is rejected, and so is one for which
 * `check` throws. One that `tag` has tagged into a column is as it was before, with that column and without constraints.
 *
 * @param ledger receives what is held, so that a source that waits knows of it
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

/** A sentence that was tagged into a column: its gold tags again, with the column. */
function afterTagger(sentence: Sentence & Partial<TaggedSentence>): Sentence {
  if (sentence.into === undefined) return sentence;
  const { context: _, constraints: __, ...given } = sentence.into.sentence;
  return { ...given, columns: sentence.columns, tagged: sentence as TaggedSentence };
}

/** Sentences with what those before and behind them say; at the end of the source, be it an error, those that wait for more. */
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
