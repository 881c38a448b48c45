import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { StatePairs } from '../../../../src/engine/kernels/store/state-pairs.js';

describe('StatePairs', () => {
  it('has the pairs of each row in the order of their labels, whatever the order in which they came', () => {
    const random = new Random(3);
    const added = Array.from(
      { length: 800 },
      (_, i) => [i % 3 ? random.below(30) : 7, random.below(70)] as const,
    );
    const pairs = new StatePairs();
    for (const [row, label] of added) pairs.add(row, label);
    expect(pairs.size).toBe(0);
    pairs.close(32);
    const distinct = new Set(added.map(([row, label]) => 100 * row + label));
    const expected = [...distinct].sort((a, b) => a - b);
    const found: number[] = [];
    for (let row = 0; row < 32; row += 1) {
      for (let i = pairs.starts[row]!; i < pairs.starts[row + 1]!; i += 1) {
        found.push(100 * row + pairs.labels[i]!);
        expect(pairs.find(row, pairs.labels[i]!)).toBe(i);
      }
    }
    expect(found).toEqual(expected);
    expect(pairs.size).toBe(expected.length);
    const absent = Array.from({ length: 70 }, (_, y) => y).filter(y => !distinct.has(500 + y));
    for (const label of absent) expect(pairs.find(5, label)).toBe(-1);
    expect(pairs.find(31, 0)).toBe(-1);
  });

  it('takes no more pairs once it is closed', () => {
    const pairs = new StatePairs();
    pairs.add(0, 1);
    pairs.close(1);
    pairs.add(0, 2);
    expect([...pairs.labels]).toEqual([1]);
  });

  it('refuses to be read before that, and labels that have no room', () => {
    const pairs = new StatePairs();
    expect(() => pairs.starts).toThrow(/need all pairs of features and labels.*passes/);
    expect(() => pairs.labels).toThrow(/need all pairs/);
    expect(() => pairs.add(0, 65536)).toThrow(/room for at most 65536 labels/);
  });
});
