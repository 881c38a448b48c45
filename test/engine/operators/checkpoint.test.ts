import { from, lastValueFrom, Subject, tap, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shareDelivery } from '../../../src/engine/core/delivery/delivery.js';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import type { TrainingStep } from '../../../src/engine/core/training/training-step.js';
import { type CheckpointOptions, checkpoint } from '../../../src/engine/operators/checkpoint.js';
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

    /** Writes checkpoints of a subject; returns the steps after which they were written. */
    function watched(source: Subject<TrainingStep>, options: CheckpointOptions = {}) {
      const seen: number[] = [];
      const onWritten = (_: string, { step }: TrainingStep) => seen.push(step);
      const store = new MemoryCheckpointStore();
      const subscription = source
        .pipe(checkpoint(store, () => ({}), { seconds: 2, ...options, onWritten }))
        .subscribe();
      return { seen, subscription };
    }

    it('is written when so many seconds are over since the last one, also between two steps', () => {
      const source = new Subject<TrainingStep>();
      const { seen } = watched(source);
      for (const step of stepsOf(6)) {
        vi.advanceTimersByTime(900);
        source.next(step);
      }
      expect(seen).toEqual([2, 4]);
      vi.advanceTimersByTime(599);
      expect(seen).toEqual([2, 4]);
      vi.advanceTimersByTime(1);
      expect(seen).toEqual([2, 4, 6]);
      expect(vi.getTimerCount()).toBe(0);
      source.complete();
      expect(seen).toEqual([2, 4, 6]);
    });

    it('is written once if no step comes any more, and acknowledges what waits', () => {
      const source = new Subject<TrainingStep>();
      const delivery = new CountingDelivery();
      const { seen } = watched(source, { seconds: 30 });
      source.next([...stepsOf(1, undefined, [delivery])][0]!);
      expect(delivery.acks).toBe(0);
      vi.advanceTimersByTime(30_000);
      expect([seen, delivery.acks]).toEqual([[1], 1]);
      vi.advanceTimersByTime(100_000);
      expect([seen, vi.getTimerCount()]).toEqual([[1], 0]);
    });

    it('waits for the next step where the state is ahead, or a record is not finished', () => {
      let settled = false;
      const source = new Subject<TrainingStep>();
      const { seen } = watched(source, { isSettled: () => settled });
      const [first, second, third] = [...stepsOf(3)] as [TrainingStep, TrainingStep, TrainingStep];
      source.next(first);
      vi.advanceTimersByTime(5000);
      expect(seen).toEqual([]);
      source.next(second);
      expect(seen).toEqual([2]);
      settled = true;
      source.next(third);
      vi.advanceTimersByTime(2000);
      expect(seen).toEqual([2, 3]);

      const [part] = third.contribution.minibatch.sentences;
      const unfinished = { ...part!.sentence, part: { index: 0, count: 2 } };
      const minibatch = { sentences: [{ ...part!, sentence: unfinished }] };
      const contribution = { ...third.contribution, minibatch };
      const records = new Subject<TrainingStep>();
      const between = watched(records, { betweenRecords: true });
      records.next({ ...third, contribution } as unknown as TrainingStep);
      vi.advanceTimersByTime(5000);
      expect(between.seen).toEqual([]);
    });

    it('is no longer written when the stream has ended, failed or lost its subscriber', () => {
      for (const end of ['complete', 'error', 'leave']) {
        const source = new Subject<TrainingStep>();
        const seen: string[] = [];
        const store = { write: () => `${seen.push(end)}`, readNewest: () => undefined };
        const subscription = source
          .pipe(checkpoint(store, () => ({}), { seconds: 2, atEnd: () => false }))
          .subscribe({ error: () => {} });
        source.next([...stepsOf(1)][0]!);
        if (end === 'complete') source.complete();
        else if (end === 'error') source.error(new Error('broken'));
        else subscription.unsubscribe();
        vi.advanceTimersByTime(10_000);
        expect([seen, vi.getTimerCount()]).toEqual([[], 0]);
      }
    });

    it('fails the stream if it cannot be written, also between two steps', () => {
      const source = new Subject<TrainingStep>();
      const store = {
        write(): string {
          throw new Error('the disk is full');
        },
        readNewest: () => undefined,
      };
      const errors: unknown[] = [];
      source
        .pipe(checkpoint(store, () => ({}), { seconds: 2 }))
        .subscribe({ error: error => errors.push(error) });
      source.next([...stepsOf(1)][0]!);
      vi.advanceTimersByTime(2000);
      expect(errors).toEqual([new Error('the disk is full')]);
      expect(source.observed).toBe(false);
    });

    it('may be a month away', () => {
      const source = new Subject<TrainingStep>();
      const seconds = 40 * 24 * 3600;
      const { seen } = watched(source, { seconds });
      source.next([...stepsOf(1)][0]!);
      vi.advanceTimersByTime(seconds * 1000 - 1);
      expect(seen).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(seen).toEqual([1]);
    });
  });
});
