import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shardRanges } from '../../../../src/engine/trainers/shards/member-shards.js';

const startsOf = (lengths: readonly number[]) => {
  const starts = new Uint32Array(lengths.length + 1);
  for (const [i, length] of lengths.entries()) starts[i + 1] = starts[i]! + length;
  return starts;
};

it('cuts a corpus into eight shards of as many tokens', () => {
  const ranges = shardRanges(startsOf(new Array(80).fill(5)));
  expect([...ranges]).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80]);
});

it('has no more shards than sentences', () => {
  expect([...shardRanges(startsOf([4, 4, 4]))]).toEqual([0, 1, 2, 3]);
  expect([...shardRanges(startsOf([]))]).toEqual([0, 0]);
});

it('has each sentence once, and no shard far too long', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(lengths, given => {
      const starts = startsOf(given);
      const ranges = shardRanges(starts);
      expect(ranges[0]).toBe(0);
      expect(ranges.at(-1)).toBe(given.length);
      const share = starts.at(-1)! / (ranges.length - 1);
      for (let i = 0; i + 1 < ranges.length; i += 1) {
        expect(ranges[i + 1]!).toBeGreaterThanOrEqual(ranges[i]!);
        const tokens = starts[ranges[i + 1]!]! - starts[ranges[i]!]!;
        expect(tokens).toBeLessThanOrEqual(share + Math.max(...given));
      }
    }),
  );
});
