import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import {
  type ChangeChain,
  chained,
  wholeChange,
} from '../../../../src/engine/optimizers/voting/voter-history.js';

/** A change of some of 500 places. */
function drawn(random: Random, most: number) {
  const places = new Set(Array.from({ length: 1 + random.below(most) }, () => random.below(500)));
  return {
    places: Uint32Array.from(places).sort(),
    values: Float64Array.from(places, () => random.normal()),
  };
}

/** What becomes of 500 weights. */
function applied(chain: ChangeChain, weights: readonly number[] = new Array<number>(500).fill(0)) {
  const after = [...weights];
  for (const { places, values } of chain) {
    for (const [i, place] of places.entries()) after[place] = values[i]!;
  }
  return after;
}

describe('a chain of changes', () => {
  it('does what its changes do one after the other, whatever is put before or behind', () => {
    const random = new Random(1);
    let chain: ChangeChain = [drawn(random, 20)];
    let expected = applied(chain);
    for (let i = 0; i < 200; i += 1) {
      const more = [drawn(random, i % 7 === 0 ? 300 : 20)];
      const before = i % 3 > 0;
      expected = before ? applied(chain, applied(more)) : applied(more, expected);
      chain = before ? chained(more, chain) : chained(chain, more);
      expect(applied(chain)).toEqual(expected);
      expect(applied([wholeChange(chain)])).toEqual(expected);
    }
  });

  it('has few changes, each with twice the places of the one before', () => {
    const random = new Random(2);
    let chain: ChangeChain = [];
    const lengths = new Set<number>();
    for (let i = 0; i < 300; i += 1) {
      chain = chained([drawn(random, 9)], chain);
      const sizes = chain.map(({ places }) => places.length);
      for (const [k, size] of sizes.slice(1).entries()) expect(size >= 2 * sizes[k]!).toBe(true);
      lengths.add(chain.length);
    }
    expect(Math.max(...lengths)).toBeGreaterThan(3);
  });

  it('makes a copy of a single change', () => {
    const change = { places: Uint32Array.of(3), values: Float32Array.of(1.5) };
    const whole = wholeChange([change]);
    expect(whole).toEqual(change);
    expect(whole.values).not.toBe(change.values);
    expect(whole.places).not.toBe(change.places);
  });
});
