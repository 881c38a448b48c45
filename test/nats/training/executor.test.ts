import { expect, it } from 'vitest';
import { clusterOptions } from '../../../src/engine/interfaces/cluster-options.js';
import { SimdKernel } from '../../../src/engine/kernels/simd/simd-kernel.js';
import { trainingStatus } from '../../../src/nats/status.js';
import { ClusterExecutor } from '../../../src/nats/training/cluster-executor.js';
import { TrainingStore } from '../../../src/nats/training/training-store.js';
import { workOnTasks } from '../../../src/nats/training/work-on-tasks.js';
import { mixStream } from '../../engine/models/group/mixing/mix-stream.js';
import { mixTogether } from '../../engine/models/group/mixing/mix-together.js';
import type { Way } from '../../engine/models/group/train-together.js';
import { describeNats, natsServers } from '../server.js';

const float32 = new SimdKernel('float32');
const path = (file: string) => file;
const average = { average: true, averageAfter: 0.5 };

const ways: readonly Way[] = [
  { optimizer: 'perceptron', variant: 'averaged' },
  { optimizer: 'sgd', variant: 'averaged', options: average },
  { optimizer: 'sgd-l1', variant: 'of observed pairs', spec: { support: 'observed' } },
  { optimizer: 'adagrad', variant: 'with L1 and L2', options: { l1: 0.1, l2: 0.1 } },
  { optimizer: 'arow', variant: 'of a locally normalised model' },
];

describeNats('a coordinator and its workers', () => {
  const servers = natsServers();

  function optionsOf(given: object) {
    return clusterOptions.parse({ servers: servers().url, shards: 5, ackWait: 2, ...given });
  }

  it.each(ways)(
    'make the bytes of one thread: $optimizer, $variant',
    { tags: 'slow' },
    async way => {
      const local = await mixTogether(way, { kernel: float32, shards: 5 });
      const options = optionsOf({ create: true, stream: 'some', work: false });
      const executor = await ClusterExecutor.open({ options, path });
      const end = new AbortController();
      const stores = await Promise.all([1, 2].map(() => TrainingStore.open(options, path)));
      const work = stores.map(store => workOnTasks(store, { signal: end.signal, ackWait: 2 }));
      const shared = await mixTogether(way, { kernel: float32, shards: 5, executor });
      end.abort();
      const tasks = await Promise.all(work);
      await executor.finish();
      const { streams } = stores[0]!.connection.manager;
      const left = await Promise.all(
        ['KV_some', 'OBJ_some', 'some'].map(async name => (await streams.info(name)).state.bytes),
      );
      await Promise.all(stores.map(store => store.close()));
      expect(shared.bytes).toBe(local.bytes);
      expect(shared.losses).toEqual(local.losses);
      expect(tasks[0]! + tasks[1]!).toBe(15);
      expect(executor.report).toMatchObject({ passes: 3, shards: 5, ownTasks: 0 });
      expect(executor.report.resultBytes).toBeGreaterThan(0);
      // The leases of the runs so far.
      expect(left[0]! + left[1]! + left[2]!).toBeLessThan(1_500);
    },
  );

  it('make the rounds of a stream as one thread does, and leave nothing of them', {
    tags: 'slow',
  }, async () => {
    const way = ways[0]!;
    const given = { kernel: float32, shards: 3, every: 9, predict: true };
    const options = optionsOf({ create: true, stream: 'rounds', shards: 3, lease: 2 });
    const first = await ClusterExecutor.open({ options, path });
    const whole = await mixStream(way, { ...given, executor: first });
    // What a coordinator had removed is computed again for the next, though the queue knows its tasks.
    const resumed = whole.store.generations[2]!;
    const second = await ClusterExecutor.open({ options, path });
    const again = await mixStream(way, { ...given, executor: second, resumed });
    const { streams } = (await TrainingStore.open(options, path)).connection.manager;
    const left = await Promise.all(
      ['KV_rounds', 'OBJ_rounds', 'rounds'].map(
        async name => (await streams.info(name)).state.messages,
      ),
    );
    await Promise.all([first.finish(), second.finish()]);
    const local = await mixStream(way, given);
    expect([whole.bytes, again.bytes]).toEqual([local.bytes, local.bytes]);
    const predicted = ({ steps }: typeof local) =>
      steps.flatMap(({ contribution }) => [...contribution.predicted!]);
    expect(predicted(whole)).toEqual(predicted(local));
    expect(left).toEqual([0, 0, 0]);
    expect(first.report).toMatchObject({ passes: 6, shards: 3 });
  });

  it('find what a coordinator before them had computed', { tags: 'slow' }, async () => {
    const way = ways[0]!;
    const options = optionsOf({ create: true, stream: 'found', lease: 2 });
    const first = await ClusterExecutor.open({ options, path });
    await mixTogether(way, { kernel: float32, shards: 5, epochs: 2, executor: first });
    await first.close();
    const store = await TrainingStore.open(options, path);
    const { workers, runs } = await trainingStatus(store.connection, 'found');
    await store.close();
    expect(workers).toMatchObject({ waiting: 0, inFlight: 0 });
    expect(runs).toMatchObject([{ shards: 5, pass: 2, done: 5, failed: false }]);
    const second = await ClusterExecutor.open({ options, path });
    const resumed = await mixTogether(way, {
      kernel: float32,
      shards: 5,
      epochs: 3,
      executor: second,
    });
    await second.finish();
    const local = await mixTogether(way, { kernel: float32, shards: 5, epochs: 3 });
    expect(resumed.bytes).toBe(local.bytes);
    expect([first.report.ownTasks, second.report.ownTasks]).toEqual([10, 5]);
  });

  it('say that stream and buckets are not there, where they are not to create them', async () => {
    const opened = ClusterExecutor.open({ options: optionsOf({ stream: 'none' }), path });
    await expect(opened).rejects.toMatchObject({
      code: 'config',
      problem: 'there is no stream none',
    });
  });

  it('leave tasks of another version to others, and end with what is wrong with the data', async () => {
    const options = optionsOf({ create: true, stream: 'other' });
    const store = await TrainingStore.open(options, path);
    await store.add({ run: 'a', pass: 1, shard: 0, version: 'tagstream 99' }, 'x');
    const seen: string[] = [];
    const done = await workOnTasks(store, {
      ...{ signal: new AbortController().signal, idle: 0.5, ackWait: 2 },
      onOtherVersion: version => seen.push(version),
    });
    await store.close();
    expect([done, seen]).toEqual([0, ['tagstream 99']]);
    const wild = { optimizer: 'sgd', variant: '', options: { eta0: 1e300, l2: 0 } };
    const executor = await ClusterExecutor.open({ options, path });
    const training = mixTogether(wild, { kernel: float32, shards: 5, executor });
    await expect(training).rejects.toMatchObject({ code: 'numeric' });
    await executor.close();
  });

  it('let one coordinator wait for the other', { tags: 'slow' }, async () => {
    const options = optionsOf({ create: true, stream: 'two', lease: 2 });
    const [first, second] = [
      await ClusterExecutor.open({ options, path }),
      await ClusterExecutor.open({ options, path }),
    ];
    const given = { kernel: float32, shards: 5 };
    await mixTogether(ways[0]!, { ...given, executor: first });
    const waiting = mixTogether(ways[0]!, { ...given, executor: second });
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'checkpoint' });
    await new Promise(resolve => setTimeout(resolve, 1_000));
    await first.finish();
    await outcome;
    await second.close();
  });
});
