import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';

/** sum of (found - expected)^2 / expected over equally likely cells. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((a, b) => a + b, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

const take = <A>(count: number, draw: () => A): A[] => Array.from({ length: count }, draw);

describe('Random', () => {
  it('is xoshiro128**', () => {
    const random = new Random(0);
    random.state = [1, 2, 3, 4];
    // Worked out by hand from the published update: s1 * 5, rotated by 7, times 9, and so on.
    expect(take(4, () => random.next())).toEqual([11520, 0, 5927040, 70819200]);
  });

  it('gives the same numbers for the same seed, others for another', () => {
    const numbers = (seed: number) => {
      const random = new Random(seed);
      return take(20, () => random.next());
    };
    expect(numbers(7)).toEqual(numbers(7));
    expect(numbers(7)).toEqual(numbers(7 + 2 ** 32));
    const firsts = new Set(take(1000, () => 0).map((_, seed) => numbers(seed)[0]));
    expect(firsts.size).toBe(1000);
    expect(numbers(-1)).not.toEqual(numbers(1));
  });

  it('resumes from a saved state exactly, whatever was drawn before', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(50), (seed, skipped) => {
        const random = new Random(seed);
        take(skipped, () => random.normal());
        const state = structuredClone(random.state);
        const draws = () => [random.next(), random.uniform(), random.below(10), random.normal()];
        const first = draws();
        const other = new Random(0);
        other.state = state;
        expect([other.next(), other.uniform(), other.below(10), other.normal()]).toEqual(first);
        expect(other.state).toEqual(random.state);
        random.state = state;
        expect(draws()).toEqual(first);
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it('does not hand out its own state', () => {
    const random = new Random(3);
    const before = random.state;
    const copy = [...before];
    random.next();
    expect(before).toEqual(copy);
  });

  it.each([
    // The 99.9 % points of chi-square with n - 1 degrees of freedom.
    [2, 10.83],
    [3, 13.82],
    [10, 27.88],
    [16, 37.7],
    [100, 148.23],
  ])('draws below(%i) evenly', (n, limit) => {
    const random = new Random(4);
    const counts = new Array<number>(n).fill(0);
    for (let i = 0; i < 200 * n; i += 1) counts[random.below(n)]! += 1;
    expect(chiSquare(counts)).toBeLessThan(limit);
  });

  it('draws without the bias of a remainder', () => {
    // Of 3 * 2^30 values, a remainder of 2^32 would give the lower third twice as often as the others.
    const random = new Random(5);
    const counts = [0, 0, 0];
    for (let i = 0; i < 3000; i += 1) counts[Math.floor(random.below(3 * 2 ** 30) / 2 ** 30)]! += 1;
    expect(chiSquare(counts)).toBeLessThan(13.82);
  });

  it('always draws 0 below 1, and any 32 bits below 2^32', () => {
    const random = new Random(6);
    const twin = new Random(6);
    expect(take(20, () => random.below(1))).toEqual(new Array(20).fill(0));
    take(20, () => twin.next());
    expect(random.below(2 ** 32)).toBe(twin.next());
  });

  it('draws uniform() evenly from [0, 1)', () => {
    const random = new Random(7);
    const cells = new Array<number>(20).fill(0);
    for (const x of take(4000, () => random.uniform())) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThan(1);
      cells[Math.floor(20 * x)]! += 1;
    }
    // 99.9 % point with 19 degrees of freedom.
    expect(chiSquare(cells)).toBeLessThan(43.82);
  });

  it('draws uniform() from two words, 27 bits of the first and 26 of the second', () => {
    const random = new Random(8);
    const twin = new Random(8);
    const [high, low] = [twin.next() >>> 5, twin.next() >>> 6];
    expect(random.uniform()).toBe(high / 2 ** 27 + low / 2 ** 53);
  });

  it('draws normal() with mean 0, variance 1 and the tails of a normal number', () => {
    const random = new Random(9);
    const numbers = take(10_000, () => random.normal());
    const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length;
    const variance = numbers.reduce((a, b) => a + (b - mean) ** 2, 0) / numbers.length;
    const beyondTwo = numbers.filter(x => Math.abs(x) > 2).length / numbers.length;
    // Within three and a half standard errors.
    expect(Math.abs(mean)).toBeLessThan(0.035);
    expect(Math.abs(variance - 1)).toBeLessThan(0.05);
    expect(Math.abs(beyondTwo - 0.0455)).toBeLessThan(0.0075);
  });

  it('shuffles in place into a permutation, every one as likely', () => {
    fc.assert(
      fc.property(fc.integer(), fc.uint32Array({ maxLength: 50 }), (seed, items) => {
        const shuffled = Uint32Array.from(items);
        expect(new Random(seed).shuffle(shuffled)).toBe(shuffled);
        expect(shuffled.toSorted()).toEqual(items.toSorted());
      }),
      { seed: 1, numRuns: 100 },
    );
    const random = new Random(10);
    const counts = new Map<string, number>();
    for (let i = 0; i < 4800; i += 1) {
      const order = random.shuffle(Uint32Array.of(0, 1, 2, 3)).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    // 99.9 % point with 23 degrees of freedom.
    expect(chiSquare([...counts.values()])).toBeLessThan(49.73);
  });
});
