import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  type MonoTypeOperatorFunction,
  Observable,
  of,
  tap,
} from 'rxjs';
import { Deadline } from '../core/deadline.js';
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
  /** Seconds between checkpoints, also if no further step comes; does not affect weights. */
  readonly seconds?: number;
  /**
   * Returns whether the parts contain nothing but the effect of complete steps, asked when `seconds` are over and no step
   * comes; if not, the next step is followed by a checkpoint. Default: always.
   */
  readonly isSettled?: (step: TrainingStep) => boolean;
  /**
   * Whether to write checkpoints only between records, for input that a resumed run continues to read: a record of
   * several sentences is then entirely in one checkpoint or the next.
   */
  readonly betweenRecords?: boolean;
  /** Returns whether to write a checkpoint after the last step, when the stream ends. Default true. */
  readonly atEnd?: (last: TrainingStep) => boolean;
  /** Returns whether to write a checkpoint before an error that ends the stream is passed on. Default false. */
  readonly atError?: (error: unknown, last: TrainingStep) => boolean;
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
    ...['passes', 'sentences', 'seconds', 'isSettled', 'betweenRecords', 'atEnd', 'atError'],
    ...['beforeWrite', 'onWritten'],
  ]);
  return source =>
    new Observable(subscriber => {
      const pending = new PendingAcks();
      let sentences = 0;
      let unwritten: TrainingStep | undefined;
      const deadline = new Deadline(options.seconds, () => {
        try {
          writeLast(step => options.isSettled?.(step) !== false);
        } catch (error) {
          subscriber.error(error);
        }
      });
      subscriber.add(() => deadline.stop());
      const write = (step: TrainingStep) => {
        options.beforeWrite?.();
        const name = store.write(parts(step));
        pending.ackAll();
        sentences = 0;
        deadline.restart();
        unwritten = undefined;
        options.onWritten?.(name, step);
      };
      const writeLast = (isWanted: (step: TrainingStep) => boolean) => {
        if (unwritten !== undefined && isPossible(unwritten) && isWanted(unwritten))
          write(unwritten);
      };
      const isDue = (step: TrainingStep) =>
        (step.passEnd !== undefined && step.passEnd % (options.passes ?? Infinity) === 0) ||
        sentences >= (options.sentences ?? Infinity) ||
        deadline.isOver;
      const isPossible = (step: TrainingStep) =>
        options.betweenRecords !== true || endsRecord(step);
      const note = (step: TrainingStep) => {
        requireItem('checkpoint', step, kinds.step);
        unwritten = step;
        deadline.watch();
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
          writeLast(step => options.atError?.(error, step) === true);
          throw error;
        }),
      );
      const end = defer(() => {
        writeLast(step => options.atEnd?.(step) !== false);
        return EMPTY;
      });
      subscriber.add(concat(steps, end).subscribe(subscriber));
    });
}

/** Returns whether the last sentence of a step is the last of its record. */
function endsRecord({ contribution }: TrainingStep): boolean {
  const { index, count } = contribution.minibatch.sentences.at(-1)!.sentence.part;
  return index + 1 === count;
}
