import {
  concat,
  concatMap,
  defer,
  EMPTY,
  filter,
  finalize,
  map,
  merge,
  type OperatorFunction,
  of,
  Subject,
} from 'rxjs';
import type { FlowLedger } from '../core/delivery/flow-ledger.js';
import { TagstreamError } from '../core/errors.js';
import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import { packMinibatch, SentenceMinibatch } from '../core/minibatch/pack-minibatch.js';
import { kinds, requireItem, requireKnown } from '../core/schema/require-argument.js';
import { soon } from './unhurried.js';

/** The limits of a minibatch; the first one reached completes it. */
export interface BatchOptions {
  /** Maximum number of sentences in a minibatch. Default 1, or no limit if `tokens` is given. */
  readonly sentences?: number;
  /** Maximum number of tokens; a longer sentence is a minibatch of one. */
  readonly tokens?: number;
  /**
   * Milliseconds after which an incomplete minibatch is emitted; 0: on the next turn of the event loop, when all
   * available sentences have arrived. Batches then depend on arrival times: use it only for tagging, not for
   * reproducible training.
   */
  readonly milliseconds?: number;
  /** Tracks held sentences, for a source that waits for deliveries. */
  readonly ledger?: FlowLedger | undefined;
}

/**
 * Returns an operator that packs sentences into minibatches, in order. It flushes at the end of each pass and of the stream.
 *
 * @param options limits of a minibatch, in sentences, tokens or milliseconds
 * @throws TagstreamError `config` for an unknown option, or a limit that is not a whole number
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
  requireKnown('batch', options, ['sentences', 'tokens', 'milliseconds', 'ledger']);
  requireLimit('sentences', options.sentences, 1);
  requireLimit('tokens', options.tokens, 1);
  requireLimit('milliseconds', options.milliseconds, 0);
  const mostTokens = options.tokens ?? Number.POSITIVE_INFINITY;
  const mostSentences =
    options.sentences ?? (options.tokens === undefined ? 1 : Number.POSITIVE_INFINITY);
  if (mostSentences === 1) {
    return map(sentence => {
      requireItem('batch', sentence, kinds.encoded);
      return new SentenceMinibatch(sentence);
    });
  }
  return source =>
    defer(() => {
      let waiting: EncodedSentence[] = [];
      let tokens = 0;
      let timer: ReturnType<typeof setTimeout> | undefined;
      /** Whether a turn of the event loop is pending since a sentence started to wait. */
      let isTurning = false;
      const take = (): Minibatch | undefined => {
        clearTimeout(timer);
        timer = undefined;
        if (waiting.length === 0) return undefined;
        const taken = waiting;
        waiting = [];
        tokens = 0;
        return packMinibatch(taken);
      };
      const add = (sentence: EncodedSentence): Minibatch | undefined => {
        requireItem('batch', sentence, kinds.encoded);
        waiting.push(sentence);
        tokens += sentence.length;
        const isFull = waiting.length >= mostSentences || tokens >= mostTokens;
        if (isFull || sentence.passEnd !== undefined) return take();
        wait();
        return undefined;
      };
      /** A sentence that does not fit ends the current minibatch. */
      const addFitting = (sentence: EncodedSentence): Minibatch[] => {
        const before = tokens + sentence.length > mostTokens ? take() : undefined;
        return [before, add(sentence)].filter(isMinibatch);
      };
      const wait = () => {
        const { milliseconds } = options;
        if (milliseconds === undefined) return;
        if (milliseconds > 0) {
          timer ??= setTimeout(flush, milliseconds);
          return;
        }
        if (!isTurning) soon(flush);
        isTurning = true;
      };
      const late = new Subject<Minibatch>();
      const flush = () => {
        isTurning = false;
        const minibatch = take();
        if (minibatch !== undefined) late.next(minibatch);
      };
      // Most sentences emit nothing, the others one minibatch: one subscription per sentence would cost more than
      // packing.
      const full =
        mostTokens === Number.POSITIVE_INFINITY
          ? source.pipe(map(add), filter(isMinibatch))
          : source.pipe(
              map(addFitting),
              filter(({ length }) => length > 0),
              concatMap(minibatches => minibatches),
            );
      const rest = defer(() => {
        const minibatch = take();
        return minibatch === undefined ? EMPTY : of(minibatch);
      });
      const batches = concat(full, rest);
      const leave = options.ledger?.enter('batch', () => ({ items: waiting.length, busy: false }));
      if (options.milliseconds === undefined) {
        return leave === undefined ? batches : batches.pipe(finalize(leave));
      }
      const stop = () => {
        clearTimeout(timer);
        leave?.();
        late.complete();
      };
      return merge(batches.pipe(finalize(stop)), late);
    });
}

/** Requires a whole number or undefined; callers may have no types. */
function requireLimit(name: keyof BatchOptions, value: number | undefined, least: number): void {
  if (value === undefined || value === Number.POSITIVE_INFINITY) return;
  if (Number.isInteger(value) && value >= least) return;
  const shown = typeof value === 'number' ? value : JSON.stringify(value);
  throw new TagstreamError('config', `batch.${name}: ${shown} is not allowed`, {
    fix: `give a whole number of at least ${least}`,
  });
}

function isMinibatch(minibatch: Minibatch | undefined): minibatch is Minibatch {
  return minibatch !== undefined;
}
