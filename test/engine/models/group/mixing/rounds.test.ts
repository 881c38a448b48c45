import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SimdKernel } from '../../../../../src/engine/kernels/simd/simd-kernel.js';
import { createModel } from '../../../../../src/engine/models/create-model.js';
import { Mixer } from '../../../../../src/engine/models/group/mixing/mixer.js';
import { dealRound } from '../../../../../src/engine/models/group/mixing/mixing-learner.js';
import { patchOf } from '../../../../../src/engine/models/group/mixing/patch.js';
import { everyNth } from '../../../../house/long-forms.js';
import type { Way } from '../train-together.js';
import { LocalExecutor } from './local-executor.js';
import { learnStream, mixStream, stream } from './mix-stream.js';

const float32 = new SimdKernel('float32');
const average = { average: true, averageAfter: 0.5 };

const ways: readonly Way[] = [
  { optimizer: 'perceptron', variant: 'averaged' },
  { optimizer: 'sgd', variant: 'averaged', options: average },
  { optimizer: 'sgd-l1', variant: 'plain' },
  { optimizer: 'adagrad', variant: 'with L1 and L2', options: { l1: 0.1, l2: 0.1 } },
  { optimizer: 'arow', variant: 'plain' },
  {
    ...{ optimizer: 'perceptron', variant: 'of hashed features with observed pairs' },
    spec: { support: 'observed', index: { mode: 'hashed', rows: 40, edgeRows: 7 } },
  },
  { optimizer: 'sgd', variant: 'with a cutoff', spec: { index: { mode: 'exact', cutoff: 2 } } },
];

for (const { rows, tags } of everyNth(5, ways)) {
  describe.each(rows)('rounds of a stream by $optimizer, $variant', { tags }, way => {
    const given = { kernel: float32, shards: 4, every: 9 };

    it('give the same bytes for 1, 2 and 4 who learn from the shards', async () => {
      const [one, two, four] = await Promise.all(
        [1, 2, 4].map(workers => mixStream(way, { ...given, workers, sentences: 2 })),
      );
      expect([two!.bytes, four!.bytes]).toEqual([one!.bytes, one!.bytes]);
      expect(one!.steps.map(({ sentencesSeen }) => sentencesSeen)).toEqual([9, 18, 27, 36, 45, 47]);
    });

    it('resume after any of them', async () => {
      const whole = await mixStream(way, given);
      const { generations } = whole.store;
      for (const resumed of [generations[1]!, generations[3]!]) {
        expect((await mixStream(way, { ...given, resumed })).bytes).toBe(whole.bytes);
      }
    });

    it('depend on when the shards are mixed, not on when labels and features came', async () => {
      const whole = await mixStream(way, given);
      const other = await mixStream(way, { ...given, every: 10 });
      expect(other.bytes).not.toBe(whole.bytes);
      // Other losses give all labels that are known a probability; hashed features have the pairs met so far.
      if (way.spec !== undefined || !['perceptron', 'arow'].includes(way.optimizer)) return;
      const first = await mixStream(way, { ...given, met: stream });
      expect(first.bytes).toBe(whole.bytes);
    });
  });
}

const exact: readonly Way[] = [
  { optimizer: 'perceptron', variant: 'plain', options: { average: false } },
  { optimizer: 'arow', variant: 'plain' },
  { optimizer: 'sgd', variant: 'without a penalty', options: { l2: 0 } },
];

it.each(exact)(
  'one shard makes the steps of one learner: $optimizer, $variant',
  { tags: 'slow' },
  async way => {
    const given = { kernel: float32, shards: 1, every: 8, predict: true, met: stream };
    const alone = await learnStream(way, given);
    const split = await mixStream(way, given);
    expect(split.bytes).toBe(alone.bytes);
    const predicted = split.steps.flatMap(({ contribution }) => [...contribution.predicted!]);
    expect(predicted).toEqual(alone.predicted);
  },
);

it('makes room for new features as it did before it was interrupted', {
  tags: 'slow',
}, async () => {
  const way = ways[0]!;
  const given = { kernel: float32, shards: 3, every: 6, limit: { features: 30, bytes: 2 ** 24 } };
  const whole = await mixStream(way, given);
  expect(whole.evicted.length).toBeGreaterThan(1);
  for (const resumed of whole.store.generations.slice(2, 5)) {
    expect((await mixStream(way, { ...given, resumed })).bytes).toBe(whole.bytes);
  }
});

it('encodes nothing while a round is learned from', { tags: 'slow' }, async () => {
  let learning = false;
  const slow = new LocalExecutor(2);
  const executor = {
    begin: slow.begin.bind(slow),
    async pass(...given: Parameters<LocalExecutor['pass']>) {
      learning = true;
      await pause(5);
      learning = false;
      return slow.pass(...given);
    },
  };
  const onEncoded = () => expect(learning).toBe(false);
  const given = { kernel: float32, shards: 3, every: 6 };
  const { bytes } = await mixStream(ways[0]!, { ...given, executor, onEncoded });
  expect(bytes).toBe((await mixStream(ways[0]!, given)).bytes);
});

it('deals records out by id, and those without one by their place', () => {
  const model = createModel({ templates: 'U0:%x[0,0]', columns: ['form', 'n'] });
  const encoded = stream.map(sentence => model.encode(sentence));
  const dealt = dealRound(encoded, 5);
  expect(dealt.flat().sort((a, b) => a - b)).toEqual([...stream.keys()]);
  const shardOf = (i: number) => dealt.findIndex(numbers => numbers.includes(i));
  for (const [i, { document }] of stream.entries()) {
    const same = document.id === undefined ? i % 5 : undefined;
    if (same !== undefined) expect(shardOf(i)).toBe(same);
    else if (i + 21 < stream.length) expect(shardOf(i + 21)).toBe(shardOf(i));
  }
  const { sentence } = encoded[0]!;
  const unlabelled = model.encode({ tokens: sentence.tokens, columns: sentence.columns } as never);
  expect(dealRound([unlabelled, encoded[0]!], 5)).toEqual([[1]]);
  expect(dealRound(encoded.slice(0, 1), 5)).toEqual([[0]]);
});

it('lays averages out anew for more labels, and forgets those of features that went', () => {
  let shape = { stateRows: 2, width: 1, blocks: 1, pairs: 0 };
  let planes = [[new Float64Array([1, 2]), new Float64Array([3]), new Float64Array(0)]];
  const mixer = new Mixer(
    () => planes,
    () => shape,
  );
  const result = { sentences: 1, tokens: 1, loss: 0, averaged: 1 };
  const same = patchOf(planes[0]!, planes[0]!);
  mixer.mix([{ ...result, planes: [same], average: same }]);
  shape = { stateRows: 3, width: 2, blocks: 2, pairs: 1 };
  planes = [[new Float64Array(6), new Float64Array(8), new Float64Array(1)]];
  mixer.fit();
  expect(mixer.averages!.sums.map(table => [...table])).toEqual([
    [1, 0, 2, 0, 0, 0],
    [3, 0, 0, 0, 0, 0, 0, 0],
    [0],
  ]);
  mixer.forget(Uint32Array.of(1), Uint32Array.of(0));
  expect(mixer.averages!.sums.map(table => [...table])).toEqual([
    [1, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0],
    [0],
  ]);
});
