import { from, lastValueFrom, Subject, tap, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shareDelivery } from '../../src/core/delivery/delivery.js';
import type { EncodedSentence } from '../../src/core/minibatch/encoded-sentence.js';
import type { TrainingStep } from '../../src/core/training/training-step.js';
import { type CheckpointOptions, checkpoint } from '../../src/operators/checkpoint.js';
import { CountingDelivery } from './counting-delivery.js';
import { MemoryCheckpointStore } from './memory-checkpoint-store.js';
import { Training } from './training.js';

/** Steps of one sentence each, `perPass` of them a pass, with the deliveries of their sentences. */
function* stepsOf(
  count: number,
  perPass = Number.POSITIVE_INFINITY,
  deliveries: readonly CountingDelivery[] = [],
): Generator<TrainingStep> {
  const training = new Training();
  for (let i = 0; i < count; i += 1) {
    const sentence = training.encoded(i, deliveries[i]);
    const passEnd = (i + 1) % perPass === 0 ? (i + 1) / perPass : undefined;
    const marked: EncodedSentence = passEnd === undefined ? sentence : { ...sentence, passEnd };
    yield training.step(training.batch(marked));
  }
}

/** Numbers of the steps after which a checkpoint was written. */
async function written(
  source: Iterable<TrainingStep>,
  options: CheckpointOptions,
): Promise<number[]> {
  const steps: number[] = [];
  const store = new MemoryCheckpointStore();
  const onWritten = (_: string, step: TrainingStep) => steps.push(step.step);
  const parts = (step: TrainingStep) => ({ run: { json: { step: step.step }, arrays: {} } });
  const output = from(source).pipe(checkpoint(store, parts, { ...options, onWritten }), toArray());
  await lastValueFrom(output);
  expect(store.generations.map(({ run }) => run!.json.step)).toEqual(steps);
  return steps;
}

describe('checkpoint', () => {
  it('is written every so many passes, and at the end', async () => {
    expect(await written(stepsOf(9, 2), { passes: 1 })).toEqual([2, 4, 6, 8, 9]);
    expect(await written(stepsOf(9, 2), { passes: 3 })).toEqual([6, 9]);
  });

  it('is written but once at the end of a stream that ends with one', async () => {
    expect(await written(stepsOf(8, 2), { passes: 1 })).toEqual([2, 4, 6, 8]);
    expect(await written(stepsOf(6), { sentences: 3 })).toEqual([3, 6]);
  });

  it('is written every so many sentences', async () => {
    expect(await written(stepsOf(8), { sentences: 3 })).toEqual([3, 6, 8]);
  });

  it('counts sentences, not steps, and from the last checkpoint on, whatever it was due to', async () => {
    const training = new Training();
    const steps = function* () {
      for (let i = 0; i < 6; i += 1) {
        yield training.step(training.batch(training.encoded(2 * i), training.encoded(2 * i + 1)));
      }
    };
    expect(await written(steps(), { sentences: 3 })).toEqual([2, 4, 6]);
    expect(await written(stepsOf(10, 4), { sentences: 3, passes: 1 })).toEqual([3, 4, 7, 8, 10]);
  });

  it('is written at the end alone if nothing else is said; of no step, never', async () => {
    expect(await written(stepsOf(4, 2), {})).toEqual([4]);
    expect(await written([], { sentences: 1 })).toEqual([]);
  });

  it('holds the state after its step', async () => {
    const training = new Training();
    const store = new MemoryCheckpointStore();
    const versions: number[] = [];
    const steps = function* () {
      for (let i = 0; i < 3; i += 1) yield training.step(training.batch(training.encoded(i)));
    };
    await lastValueFrom(
      from(steps()).pipe(
        tap(() => versions.push(training.model.parameters.version)),
        checkpoint(store, () => ({ learner: training.learner.save() }), { sentences: 1 }),
        toArray(),
      ),
    );
    expect(versions).toEqual([1, 2, 3]);
    expect(store.generations.map(({ learner }) => learner!.json.steps)).toEqual([1, 2, 3]);
  });

  it('acknowledges the deliveries that it holds, after the step is passed on and it is written', async () => {
    const deliveries = Array.from({ length: 5 }, (_, i) => new CountingDelivery(i + 1));
    const acks = () => deliveries.map(delivery => delivery.acks).join('');
    const log: string[] = [];
    const store = {
      write() {
        log.push(`write ${acks()}`);
        return 'gen';
      },
      readNewest: () => undefined,
    };
    await lastValueFrom(
      from(stepsOf(5, undefined, deliveries)).pipe(
        checkpoint(store, () => ({}), {
          sentences: 2,
          onWritten: () => log.push(`written ${acks()}`),
        }),
        tap(({ step }) => log.push(`step ${step} ${acks()}`)),
      ),
    );
    log.push(`end ${acks()}`);
    expect(log).toEqual([
      'step 1 00000',
      'step 2 00000',
      'write 00000',
      'written 11000',
      'step 3 11000',
      'step 4 11000',
      'write 11000',
      'written 11110',
      'step 5 11110',
      'write 11110',
      'written 11111',
      'end 11111',
    ]);
    expect(deliveries.map(({ calls }) => calls)).toEqual(deliveries.map(() => [0, 1, 0]));
  });

  it('acknowledges a record of several sentences when all of them are in checkpoints', async () => {
    const delivery = new CountingDelivery();
    const part = shareDelivery(delivery, 3)! as CountingDelivery;
    const acks: number[] = [];
    await lastValueFrom(
      from(stepsOf(3, undefined, [part, part, part])).pipe(
        checkpoint(new MemoryCheckpointStore(), () => ({}), { sentences: 1 }),
        tap(() => acks.push(delivery.acks)),
      ),
    );
    expect(acks).toEqual([0, 0, 0]);
    expect(delivery.calls).toEqual([0, 1, 0]);
  });

  it('counts sentences without labels, which a stream may begin with', async () => {
    const training = new Training();
    const { tags: _, ...unlabelled } = training.encoded(0).sentence;
    const steps = Array.from({ length: 5 }, () =>
      training.step(training.batch(training.model.encode(unlabelled))),
    );
    expect(await written(steps, { sentences: 2 })).toHaveLength(3);
  });

  it('acknowledges sentences that taught nothing as well', async () => {
    const training = new Training();
    const delivery = new CountingDelivery();
    const { tags, ...unlabelled } = training.encoded(0, delivery).sentence;
    expect(tags).toBeDefined();
    const steps = function* () {
      yield training.step(training.batch(training.encoded(0)));
      yield training.step(training.batch(training.model.encode(unlabelled)));
    };
    expect(await written(steps(), { sentences: 1 })).toEqual([1, 2]);
    expect(delivery.calls).toEqual([0, 1, 0]);
  });

  it('acknowledges nothing that could not be written, and fails', async () => {
    const deliveries = [new CountingDelivery(1), new CountingDelivery(2), new CountingDelivery(3)];
    let writes = 0;
    const store = {
      write() {
        writes += 1;
        if (writes === 2) throw new Error('the disk is full');
        return 'gen';
      },
      readNewest: () => undefined,
    };
    const seen: number[] = [];
    const output = from(stepsOf(3, undefined, deliveries)).pipe(
      checkpoint(store, () => ({}), { sentences: 1 }),
      tap(({ step }) => seen.push(step)),
    );
    await expect(lastValueFrom(output)).rejects.toThrow('the disk is full');
    expect(seen).toEqual([1, 2]);
    expect(deliveries.map(({ calls }) => calls)).toEqual([
      [0, 1, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('fails where the last one cannot be written', async () => {
    const delivery = new CountingDelivery();
    const store = {
      write(): string {
        throw new Error('the disk is full');
      },
      readNewest: () => undefined,
    };
    const output = from(stepsOf(1, undefined, [delivery])).pipe(checkpoint(store, () => ({}), {}));
    await expect(lastValueFrom(output)).rejects.toThrow('the disk is full');
    expect(delivery.calls).toEqual([0, 0, 0]);
  });

  it('writes none when the source fails or the subscriber leaves', () => {
    const store = new MemoryCheckpointStore();
    const [step] = [...stepsOf(1)];
    for (const end of ['error', 'leave']) {
      const source = new Subject<TrainingStep>();
      const subscription = source
        .pipe(checkpoint(store, () => ({}), {}))
        .subscribe({ error: () => {} });
      source.next(step!);
      if (end === 'error') source.error(new Error('broken'));
      else subscription.unsubscribe();
    }
    expect(store.generations).toEqual([]);
  });

  describe('by time', () => {
    beforeEach(() => {
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('is written after the first step that comes so many seconds after the last one', () => {
      const steps = [...stepsOf(6)];
      const source = new Subject<TrainingStep>();
      const seen: number[] = [];
      const onWritten = (_: string, { step }: TrainingStep) => seen.push(step);
      source
        .pipe(checkpoint(new MemoryCheckpointStore(), () => ({}), { seconds: 2, onWritten }))
        .subscribe();
      for (const step of steps) {
        vi.advanceTimersByTime(900);
        source.next(step);
      }
      expect(seen).toEqual([3, 6]);
      expect(vi.getTimerCount()).toBe(0);
      source.complete();
      expect(seen).toEqual([3, 6]);
    });
  });
});
