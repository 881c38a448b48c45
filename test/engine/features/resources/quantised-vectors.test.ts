import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { quantisedVectors } from '../../../../src/engine/features/resources/quantised-vectors.js';

/** Vectors of words by the words. */
const vectorsOf = (rows: Readonly<Record<string, readonly number[]>>) => ({
  words: Object.keys(rows),
  dimensions: Object.values(rows)[0]?.length ?? 2,
  values: Float32Array.from(Object.values(rows).flat()),
});

describe('quantisedVectors', () => {
  it.each([1, 0.25, 30])('has vectors of the length %d, off by half a step at most', scale => {
    const random = new Random(5);
    const [count, dimensions] = [200, 37];
    const values = Float32Array.from(
      { length: count * dimensions },
      (_, i) => random.normal() * 10 ** ((i % 5) - 2),
    );
    const words = Array.from({ length: count }, (_, i) => `w${i}`);
    const { text, numbers, steps } = quantisedVectors({ words, dimensions, values }, { scale });
    expect(text).toBe(words.join('\n'));
    for (let i = 0; i < count; i += 1) {
      const vector = [...values.subarray(i * dimensions, (i + 1) * dimensions)];
      const length = Math.hypot(...vector);
      const largest = Math.max(...vector.map(Math.abs));
      const off = vector.map((value, d) =>
        Math.abs(numbers[i * dimensions + d]! * steps[i]! - (value / length) * scale),
      );
      expect(Math.max(...off)).toBeLessThan((((largest / length) * scale) / 254) * 1.0001);
    }
  });

  it('takes the first of words that are one when case is folded, and no vector of zeros', () => {
    const given = vectorsOf({ May: [3, 4], zero: [0, 0], may: [1, 0], was: [0, -2] });
    const folded = quantisedVectors(given, { fold: true, scale: 1 });
    expect(folded).toEqual({
      ...{ text: 'may\nwas', fold: true, dimensions: 2 },
      numbers: Int8Array.of(95, 127, 0, -127),
      steps: Float32Array.of(0.8 / 127, 1 / 127),
    });
    expect(quantisedVectors(given).text).toBe('May\nmay\nwas');
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'no dimension',
      () => quantisedVectors({ words: ['a'], dimensions: 0, values: Float32Array.of() }),
      /1 words? of 0 dimensions/,
    ],
    [
      'too few numbers',
      () => quantisedVectors({ words: ['a', 'b'], dimensions: 2, values: Float32Array.of(1, 2) }),
      /got 2 numbers for 2 words of 2 dimensions/,
    ],
    [
      'a number that is not finite',
      () => quantisedVectors(vectorsOf({ a: [1, 2], b: [Number.NaN, 1] })),
      /the word "b" has numbers that are not finite/,
    ],
    [
      'a line break in a word',
      () => quantisedVectors(vectorsOf({ 'a\nb': [1, 2] })),
      /has a line break/,
    ],
    [
      'a scale of 0',
      () => quantisedVectors(vectorsOf({ a: [1, 2] }), { scale: 0 }),
      /the scale of word vectors is 0 \(give a number above 0, such as/,
    ],
  ])('refuses %s', (_, make, message) => expect(make).toThrow(message));
});
