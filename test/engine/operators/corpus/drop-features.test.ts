import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { Random } from '../../../../src/engine/core/random.js';
import { dropFeatures } from '../../../../src/engine/operators/passes.js';
import { sentenceOf } from '../../features/sentence-of.js';

const gold = Int32Array.of(1, 0, 1);

/** Three tokens with three, none and two features. */
const encoded: EncodedSentence = {
  length: 3,
  stateStarts: Uint32Array.of(0, 3, 3, 5),
  stateRows: Uint32Array.of(4, 0, 2, 2, 7),
  edgeStarts: Uint32Array.of(0, 0, 1, 1),
  edgeRows: Uint32Array.of(3),
  gold,
  weight: 2,
  number: 11,
  sentence: sentenceOf(['a', 'b', 'c']),
};

/** Features of each token, as row and value. */
function featuresOf({ length, stateStarts, stateRows, stateValues }: EncodedSentence): string[][] {
  return Array.from({ length }, (_, t) =>
    Array.from(
      stateRows.subarray(stateStarts[t]!, stateStarts[t + 1]!),
      (row, i) => `${row}=${stateValues?.[stateStarts[t]! + i] ?? 1}`,
    ),
  );
}

describe('dropFeatures', () => {
  it('keeps features at their tokens, in order, with values raised for those that are gone', () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 200; seed += 1) {
      const [first, second, third] = featuresOf(dropFeatures(encoded, 0.5, new Random(seed)));
      expect(['4=2', '0=2', '2=2'].filter(each => first!.includes(each))).toEqual(first);
      expect(second).toEqual([]);
      expect(['2=2', '7=2'].filter(each => third!.includes(each))).toEqual(third);
      seen.add(`${first} ${third}`);
    }
    // Every set of the five features comes.
    expect(seen.size).toBe(32);
  });

  it('has in expectation the values that there were', () => {
    const real = { ...encoded, stateValues: Float64Array.of(1, -2, 0.5, 3, 10) };
    const sums = new Map<string, number>();
    const random = new Random(3);
    const draws = 20_000;
    for (let i = 0; i < draws; i += 1) {
      for (const [t, features] of featuresOf(dropFeatures(real, 0.3, random)).entries()) {
        for (const feature of features) {
          const [row, value] = feature.split('=');
          const key = `${t} ${row}`;
          sums.set(key, (sums.get(key) ?? 0) + Number(value) / draws);
        }
      }
    }
    const means = ['0 4', '0 0', '0 2', '2 2', '2 7'].map(key => sums.get(key)!);
    for (const [i, mean] of means.entries()) {
      // Four standard errors of a mean of value / 0.7 with probability 0.7.
      const value = real.stateValues[i]!;
      expect(Math.abs(mean - value)).toBeLessThan(
        4 * Math.abs(value) * Math.sqrt(0.3 / 0.7 / draws),
      );
    }
  });

  it('leaves nothing out for a share of 0, and all else as it is', () => {
    const copy = dropFeatures(encoded, 0, new Random(1));
    expect(featuresOf(copy)).toEqual(featuresOf(encoded));
    expect(copy).toMatchObject({ length: 3, gold, weight: 2 });
    expect([copy.edgeStarts, copy.edgeRows]).toEqual([encoded.edgeStarts, encoded.edgeRows]);
    expect(copy.sentence).toBe(encoded.sentence);
    // A learner with threads would take the sentence of this number from its own memory.
    expect(copy).not.toHaveProperty('number');
    expect(encoded.stateRows).toEqual(Uint32Array.of(4, 0, 2, 2, 7));
  });
});
