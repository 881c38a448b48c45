import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  type MonoTypeOperatorFunction,
  of,
  tap,
} from 'rxjs';
import { PendingAcks } from '../core/delivery/delivery.js';
import {
  kinds,
  requireArgument,
  requireItem,
  requireKnown,
} from '../core/schema/require-argument.js';
import type { CheckpointParts, CheckpointStore } from '../core/training/state.js';
import type { TrainingStep } from '../core/training/training-step.js';

/** When checkpoints are written; the first condition met counts. */
export interface CheckpointOptions {
  /** Number of passes between checkpoints. */
  readonly passes?: number;
  /** Number of sentences between checkpoints, labelled or not: records that wait for their labels are state, too. */
  readonly sentences?: number;
  /** Seconds between checkpoints, checked after each step; does not affect weights. */
  readonly seconds?: number;
  /**
   * Whether to write checkpoints only between records, for input that a resumed run continues to read: a record of
   * several sentences is then entirely in one checkpoint or the next.
   */
  readonly betweenRecords?: boolean;
  /** Returns whether to write a checkpoint at the end of the stream, when it ends. Default true. */
  readonly atEnd?: () => boolean;
  /** Returns whether to write a checkpoint before an error that ends the stream is passed on. Default false. */
  readonly atError?: (error: unknown) => boolean;
  /** Called before each checkpoint, to flush results that have not reached the output yet. */
  readonly beforeWrite?: () => void;
  /** Receives each checkpoint. */
  readonly onWritten?: (name: string, step: TrainingStep) => void;
}

/**
 * Returns an operator that writes checkpoints between steps, and one at the end of the stream.
 *
 * It emits a step before writing the checkpoint that contains its effect, so that results can be passed on first. It
 * acknowledges deliveries once a checkpoint contains their effect.
 *
 * @param store where checkpoints are written
 * @param parts returns the state after a step, from which a resumed run makes the same steps as this one
 * @param options when to write
 * @throws TagstreamError `config` for an unknown option; the stream fails with the error of the store
 */
export function checkpoint(
  store: CheckpointStore,
  parts: (step: TrainingStep) => CheckpointParts,
  options: CheckpointOptions = {},
): MonoTypeOperatorFunction<TrainingStep> {
  requireArgument('checkpoint: the store', store, kinds.store);
  requireArgument('checkpoint: the parts', parts, kinds.function);
  requireKnown('checkpoint', options, [
    ...['passes', 'sentences', 'seconds', 'betweenRecords', 'atEnd', 'atError'],
    ...['beforeWrite', 'onWritten'],
  ]);
  return source =>
    defer(() => {
      const pending = new PendingAcks();
      let sentences = 0;
      let since = Date.now();
      let unwritten: TrainingStep | undefined;
      const write = (step: TrainingStep) => {
        options.beforeWrite?.();
        const name = store.write(parts(step));
        pending.ackAll();
        sentences = 0;
        since = Date.now();
        unwritten = undefined;
        options.onWritten?.(name, step);
      };
      const writeLast = () => {
        if (unwritten !== undefined && isPossible(unwritten)) write(unwritten);
      };
      const isDue = (step: TrainingStep) =>
        (step.passEnd !== undefined && step.passEnd % (options.passes ?? Infinity) === 0) ||
        sentences >= (options.sentences ?? Infinity) ||
        Date.now() - since >= (options.seconds ?? Infinity) * 1000;
      const isPossible = (step: TrainingStep) =>
        options.betweenRecords !== true || endsRecord(step);
      const note = (step: TrainingStep) => {
        requireItem('checkpoint', step, kinds.step);
        unwritten = step;
        const { minibatch } = step.contribution;
        sentences += minibatch.sentences.length;
        for (const { sentence } of minibatch.sentences) {
          if (sentence.delivery !== undefined) pending.add(sentence.delivery);
        }
      };
      const steps = source.pipe(
        tap(note),
        concatMap(step => {
          const written = defer(() => {
            // The step's consumer may have made the next step in the meantime.
            if (unwritten === step && isDue(step) && isPossible(step)) write(step);
            return EMPTY;
          });
          return concat(of(step), written);
        }),
        catchError(error => {
          if (options.atError?.(error) === true) writeLast();
          throw error;
        }),
      );
      const end = defer(() => {
        if (options.atEnd?.() !== false) writeLast();
        return EMPTY;
      });
      return concat(steps, end);
    });
}

/** Returns whether the last sentence of a step is the last of its record. */
function endsRecord({ contribution }: TrainingStep): boolean {
  const { index, count } = contribution.minibatch.sentences.at(-1)!.sentence.part;
  return index + 1 === count;
}
