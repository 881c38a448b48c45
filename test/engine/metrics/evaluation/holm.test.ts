import { expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { adjustByHolm } from '../../../../src/engine/metrics/evaluation/paired-bootstrap.js';

/** The step-down procedure itself: the smallest value is held against level / m, the next against level / (m - 1), ... */
function rejected(pValues: readonly number[], level: number): Set<number> {
  const left = new Set(pValues.keys());
  const found = new Set<number>();
  while (left.size > 0) {
    const next = [...left].reduce((a, b) => (pValues[b]! < pValues[a]! ? b : a));
    if (pValues[next]! * left.size > level) break;
    left.delete(next);
    found.add(next);
  }
  return found;
}

it('rejects what the step-down procedure rejects, at every level', () => {
  const random = new Random(3);
  for (let trial = 0; trial < 100; trial += 1) {
    const pValues = Array.from({ length: 1 + random.below(8) }, () => random.below(50) / 256);
    const adjusted = adjustByHolm(pValues);
    for (let level = 0; level < 1; level += 1 / 64) {
      const expected = rejected(pValues, level);
      adjusted.forEach((p, i) => {
        expect(p <= level).toBe(expected.has(i));
      });
    }
  }
  expect(adjustByHolm([])).toEqual([]);
});
