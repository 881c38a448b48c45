import { concat, defer, EMPTY, type MonoTypeOperatorFunction, tap } from 'rxjs';
import type { CheckpointParts, CheckpointStore } from '../core/checkpoint-store.js';
import type { Delivery } from '../core/delivery.js';
import type { TrainingStep } from '../core/training-step.js';

/** When checkpoints are written; whatever comes first. */
export interface CheckpointOptions {
  /** Passes from one checkpoint to the next. */
  readonly passes?: number;
  /** Sentences from one checkpoint to the next. */
  readonly sentences?: number;
  /** Seconds from one checkpoint to the next: looked at after each step; changes no weight. */
  readonly seconds?: number;
  /** Told of each checkpoint. */
  readonly onWritten?: (name: string, step: TrainingStep) => void;
}

/**
 * Writes checkpoints between two steps, and one at the end of the stream. What `parts` returns is the
 * state after the step, so that a run that goes on from it makes the same steps as this one.
 *
 * Deliveries are acknowledged when a checkpoint holds their effect.
 */
export function checkpoint(
  store: CheckpointStore,
  parts: (step: TrainingStep) => CheckpointParts,
  options: CheckpointOptions,
): MonoTypeOperatorFunction<TrainingStep> {
  return source =>
    defer(() => {
      let pending: Delivery[] = [];
      let sentences = 0;
      let since = Date.now();
      let unwritten: TrainingStep | undefined;
      const write = (step: TrainingStep) => {
        const name = store.write(parts(step));
        for (const delivery of pending) delivery.ack();
        pending = [];
        sentences = 0;
        since = Date.now();
        unwritten = undefined;
        options.onWritten?.(name, step);
      };
      const isDue = (step: TrainingStep) =>
        (step.passEnd !== undefined && step.passEnd % (options.passes ?? Infinity) === 0) ||
        sentences >= (options.sentences ?? Infinity) ||
        Date.now() - since >= (options.seconds ?? Infinity) * 1000;
      const steps = source.pipe(
        tap(step => {
          unwritten = step;
          sentences += step.contribution.sentenceCount;
          for (const { sentence } of step.contribution.minibatch.sentences) {
            if (sentence.delivery !== undefined) pending.push(sentence.delivery);
          }
          if (isDue(step)) write(step);
        }),
      );
      const end = defer(() => {
        if (unwritten !== undefined) write(unwritten);
        return EMPTY;
      });
      return concat(steps, end);
    });
}
