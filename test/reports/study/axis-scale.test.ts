import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { axisScale } from '../../../src/reports/study/plot-drawing.js';

describe('axisScale', () => {
  it('has round marks around the values', () => {
    expect(axisScale([93.61, 93.68], false).marks).toEqual([...[93.6, 93.62, 93.64, 93.66, 93.68]]);
    expect(axisScale([-3, 12], false).marks).toEqual([-5, 0, 5, 10, 15]);
    expect(axisScale([7, 7], false).marks.length).toBeGreaterThan(1);
    expect(axisScale([0, 0], false).marks.length).toBeGreaterThan(1);
    expect(axisScale([100, 1e6], true).marks).toEqual([100, 1000, 10_000, 100_000, 1_000_000]);
    expect(axisScale([15, 45], true).marks).toEqual([15, 20, 30, 40]);
  });

  it('keeps all values on the axis, in their order, and marks not too many', () => {
    const random = new Random(3);
    for (let i = 0; i < 500; i += 1) {
      const log = i % 2 === 1;
      const size = 10 ** (8 * random.uniform() - 3);
      const values = Array.from(
        { length: 1 + random.below(6) },
        () => size * (0.01 + random.uniform()),
      );
      const scale = axisScale(values, log);
      const places = values.map(value => scale.at(value));
      for (const place of [...places, ...scale.marks.map(mark => scale.at(mark))]) {
        expect(place).toBeGreaterThan(-1e-9);
        expect(place).toBeLessThan(1 + 1e-9);
      }
      const order = (numbers: readonly number[]) =>
        numbers.map((_, at) => at).sort((a, b) => numbers[a]! - numbers[b]!);
      expect(order(places)).toEqual(order(values));
      expect(scale.marks.length).toBeGreaterThan(log ? 0 : 1);
      expect(scale.marks.length).toBeLessThan(12);
    }
  });
});
