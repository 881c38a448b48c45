import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PairChains } from '../../../../src/engine/kernels/store/pair-chains.js';

/** The pairs of a feature, as `from-to` in the order of its chain. */
function chainOf(chains: PairChains, feature: number): string[] {
  const pairs: string[] = [];
  for (let slot = chains.heads[feature]!; slot >= 0; slot = chains.next[slot]!) {
    pairs.push(`${chains.from[slot]}-${chains.to[slot]}`);
  }
  return pairs;
}

describe('PairChains', () => {
  it('gives each pair of a feature one slot, in the order they come', () => {
    const chains = new PairChains();
    expect(chains.add(1, 0, 1)).toBe(0);
    expect(chains.add(2, 0, 1)).toBe(1);
    expect(chains.add(1, 1, 0)).toBe(2);
    expect(chains.add(1, 0, 1)).toBe(0);
    expect(chains.add(1, 1, 1)).toBe(3);
    expect(chains.size).toBe(4);
    expect([0, 1, 2, 3].map(feature => chainOf(chains, feature))).toEqual([
      [],
      ['0-1', '1-0', '1-1'],
      ['0-1'],
      [],
    ]);
  });

  it('starts features empty, however many there are', () => {
    const chains = new PairChains();
    chains.add(3, 1, 2);
    chains.reserveFeatures(1000);
    expect(chainOf(chains, 3)).toEqual(['1-2']);
    expect(Array.from(chains.heads.subarray(4, 1000)).every(head => head === -1)).toBe(true);
    expect(chains.add(5000, 0, 0)).toBe(1);
    expect(chainOf(chains, 5000)).toEqual(['0-0']);
  });

  it('resumes from saved chains as if nothing had happened', () => {
    const chains = new PairChains();
    for (let i = 0; i < 40; i += 1) chains.add(i % 7, i % 3, i % 5);
    const size = chains.size;
    const restored = new PairChains();
    restored.add(9, 9, 9);
    restored.restore({
      heads: chains.heads.subarray(0, 7),
      from: chains.from.subarray(0, size),
      to: chains.to.subarray(0, size),
      next: chains.next.subarray(0, size),
    });
    expect(restored.size).toBe(size);
    for (const each of [chains, restored]) {
      expect(each.add(6, 2, 4)).toBe(chains.add(6, 2, 4));
      expect(each.add(12, 8, 8)).toBe(size + 1);
    }
    for (let feature = 0; feature < 13; feature += 1) {
      expect(chainOf(restored, feature)).toEqual(chainOf(chains, feature));
    }
  });

  it('does not write into the arrays that it was restored from', () => {
    const saved = {
      heads: Int32Array.of(0),
      from: Uint32Array.of(3),
      to: Uint32Array.of(4),
      next: Int32Array.of(-1),
    };
    const chains = new PairChains();
    chains.restore(saved);
    expect(chains.add(0, 1, 1)).toBe(1);
    expect(Array.from(saved.next)).toEqual([-1]);
    expect(chainOf(chains, 0)).toEqual(['3-4', '1-1']);
  });

  it('is a map from (feature, from, to) to numbers counted from 0', () => {
    const triple = fc.tuple(fc.nat(40), fc.nat(5), fc.nat(5));
    fc.assert(
      fc.property(fc.array(triple, { maxLength: 200 }), triples => {
        const chains = new PairChains();
        const slots = new Map<string, number>();
        for (const [feature, from, to] of triples) {
          const key = `${feature} ${from} ${to}`;
          if (!slots.has(key)) slots.set(key, slots.size);
          expect(chains.add(feature, from, to)).toBe(slots.get(key));
        }
        expect(chains.size).toBe(slots.size);
        const chained = Array.from({ length: 41 }, (_, f) => chainOf(chains, f).length);
        expect(chained.reduce((a, b) => a + b, 0)).toBe(slots.size);
      }),
      { seed: 1, numRuns: 100 },
    );
  });
});
