import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { kMeans } from '../../../../src/engine/features/clusters/k-means.js';
import type { WordVectors } from '../../../../src/engine/features/resources/resources.js';
import { NearestRows } from '../../../../src/engine/kernels/vectors/nearest-rows.js';

/** Words around some directions. */
function drawn(words: number, dimensions: number, groups: number, spread: number): WordVectors {
  const random = new Random(7);
  const centres = Array.from({ length: groups * dimensions }, () => random.normal());
  const values = Float32Array.from({ length: words * dimensions }, (_, i) => {
    const group = Math.floor(i / dimensions) % groups;
    return centres[group * dimensions + (i % dimensions)]! + spread * random.normal();
  });
  return { words: Array.from({ length: words }, (_, i) => `w${i}`), dimensions, values };
}

describe('NearestRows', () => {
  it.each([
    [1, 1, 1],
    [65, 3, 2],
    [64, 4, 17],
    [200, 10, 33],
    [131, 100, 50],
  ])('finds the nearest of all centres (%i points of %i numbers, %i centres)', (n, width, k) => {
    const random = new Random(n);
    const points = Float32Array.from({ length: n * width }, () => random.normal());
    const centres = Float32Array.from({ length: k * width }, () => random.normal());
    const rows = new NearestRows(points, width, k + 5);
    const distance = (p: number, c: number) => {
      let sum = 0;
      for (let i = 0; i < width; i += 1) {
        sum += (points[p * width + i]! - centres[c * width + i]!) ** 2;
      }
      return sum;
    };
    // What an earlier search left behind does not count.
    rows.search(
      Float32Array.from({ length: (k + 5) * width }, () => random.normal()),
      k + 5,
    );
    const { numbers, scores } = rows.search(centres, k);
    for (let p = 0; p < n; p += 1) {
      const all = Array.from({ length: k }, (_, c) => distance(p, c));
      expect(all[numbers[p]!]).toBeLessThanOrEqual(Math.min(...all) + 1e-4);
      let own = 0;
      for (let i = 0; i < width; i += 1) own += points[p * width + i]! ** 2;
      expect(own - 2 * scores[p]!).toBeCloseTo(all[numbers[p]!]!, 3);
    }
  });

  it('takes the first of equals', () => {
    const rows = new NearestRows(Float32Array.of(1, 2), 2, 6);
    expect(rows.search(Float32Array.of(0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 6).numbers[0]).toBe(1);
  });
});

describe('kMeans', () => {
  it('finds the groups that there are', () => {
    const vectors = drawn(600, 20, 12, 0.05);
    const [found] = kMeans(vectors, { sizes: [12] });
    const groups = new Map<number, Set<number>>();
    for (const [i, number] of found!.numbers.entries()) {
      groups.set(number, (groups.get(number) ?? new Set()).add(i % 12));
    }
    expect(groups.size).toBe(12);
    expect([...groups.values()].every(({ size }) => size === 1)).toBe(true);
    expect(found!.distance).toBeLessThan(0.01);
  });

  it('ends where each word is with the nearest mean, and no cluster is empty', () => {
    const vectors = drawn(500, 8, 30, 0.5);
    const [found] = kMeans(vectors, { sizes: [40], passes: 200 });
    const { numbers } = found!;
    const points = Array.from({ length: 500 }, (_, p) => {
      const point = [...vectors.values.subarray(p * 8, p * 8 + 8)];
      const length = Math.hypot(...point);
      return point.map(value => value / length);
    });
    const members = (c: number) => points.filter((_, p) => numbers[p] === c);
    const means = Array.from({ length: 40 }, (_, c) => {
      const own = members(c);
      expect(own.length).toBeGreaterThan(0);
      return points[0]!.map((_, i) => own.reduce((sum, each) => sum + each[i]!, 0) / own.length);
    });
    const squared = (a: readonly number[], b: readonly number[]) =>
      a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0);
    let sum = 0;
    for (const [p, point] of points.entries()) {
      const own = squared(point, means[numbers[p]!]!);
      sum += own;
      expect(own).toBeLessThanOrEqual(Math.min(...means.map(mean => squared(point, mean))) + 1e-3);
    }
    expect(found!.distance).toBeCloseTo(sum / 500, 2);
  });

  it('gives the same for the same seed, also beside other sizes; numbers follow the words', () => {
    const vectors = drawn(300, 10, 9, 0.6);
    const [seven, twenty] = kMeans(vectors, { sizes: [7, 20], seed: 3 });
    expect(kMeans(vectors, { sizes: [20], seed: 3 })).toEqual([twenty]);
    expect(kMeans(vectors, { sizes: [7], seed: 3 })).toEqual([seven]);
    expect(kMeans(vectors, { sizes: [20], seed: 4 })[0]!.numbers).not.toEqual(twenty!.numbers);
    const firsts = [...new Set(twenty!.numbers)];
    expect(firsts).toEqual(firsts.map((_, i) => i));
    expect(firsts).toHaveLength(20);
  });

  it('clusters equal words too, one each', () => {
    const values = new Float32Array(12).fill(1);
    const same = { words: ['a', 'b', 'c', 'd'], dimensions: 3, values };
    const [found] = kMeans(same, { sizes: [4] });
    expect([...found!.numbers].sort()).toEqual([0, 1, 2, 3]);
    expect(() => kMeans(same, { sizes: [2, 5] })).toThrow(
      '4 words with vectors are too few for 5 clusters',
    );
  });
});
