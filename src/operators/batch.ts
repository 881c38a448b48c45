import { Observable, type OperatorFunction } from 'rxjs';
import type { EncodedSentence } from '../core/encoded-sentence.js';
import type { Minibatch } from '../core/minibatch.js';
import { packMinibatch } from '../core/pack-minibatch.js';

/** When a minibatch is full; whatever is reached first. */
export interface BatchOptions {
  /** Most sentences in a minibatch. Default 1, or no bound where `tokens` is given. */
  readonly sentences?: number;
  /** Most tokens; a longer sentence is a minibatch of its own. */
  readonly tokens?: number;
  /**
   * Milliseconds after which an unfinished minibatch goes out. It makes the batches depend on the
   * clock: for tagging only, never where training has to be reproducible.
   */
  readonly milliseconds?: number;
}

/**
 * Packs sentences into minibatches, in order. The end of a pass and of the stream flush.
 *
 * @example
 * const model = createModel({ templates: 'U00:%x[0,0]' });
 * const batches = await lastValueFrom(
 *   of({ text: 'One two. Three. Four five.' }).pipe(
 *     tokenize(), featurize(model), batch({ tokens: 5 }), toArray(),
 *   ),
 * );
 * batches.map(minibatch => minibatch.tokens) // => [5, 3]
 */
export function batch(options: BatchOptions = {}): OperatorFunction<EncodedSentence, Minibatch> {
  const mostTokens = options.tokens ?? Number.POSITIVE_INFINITY;
  const mostSentences =
    options.sentences ?? (options.tokens === undefined ? 1 : Number.POSITIVE_INFINITY);
  return source =>
    new Observable(subscriber => {
      let waiting: EncodedSentence[] = [];
      let tokens = 0;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const flush = () => {
        clearTimeout(timer);
        timer = undefined;
        if (waiting.length === 0) return;
        const full = waiting;
        waiting = [];
        tokens = 0;
        subscriber.next(packMinibatch(full));
      };
      const subscription = source.subscribe({
        next(sentence) {
          if (tokens + sentence.length > mostTokens) flush();
          waiting.push(sentence);
          tokens += sentence.length;
          const full = waiting.length >= mostSentences || tokens >= mostTokens;
          if (full || sentence.passEnd !== undefined) flush();
          else if (options.milliseconds !== undefined)
            timer ??= setTimeout(flush, options.milliseconds);
        },
        error: error => subscriber.error(error),
        complete() {
          flush();
          subscriber.complete();
        },
      });
      return () => {
        clearTimeout(timer);
        subscription.unsubscribe();
      };
    });
}
