import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import {
  pairedBootstrap,
  type SentenceCounts,
} from '../../../../src/engine/metrics/evaluation/paired-bootstrap.js';

/** Of four sentences: tokens, then right ones of each tagger, gold spans, right and predicted ones of each. */
const four: readonly (readonly number[])[] = [
  [5, 5, 3, 3, 3, 3, 1, 2],
  [9, 7, 8, 2, 1, 2, 2, 3],
  [4, 4, 4, 1, 1, 1, 0, 1],
  [7, 6, 2, 4, 3, 4, 2, 5],
];
const first = four.map(([tokens, equal, , gold, correct, predicted]) =>
  countsOf(tokens!, equal!, gold!, correct!, predicted!),
);
const second = four.map(([tokens, , equal, gold, , , correct, predicted]) =>
  countsOf(tokens!, equal!, gold!, correct!, predicted!),
);

function countsOf(
  tokens: number,
  equal: number,
  gold: number,
  correct: number,
  predicted: number,
): SentenceCounts {
  return { tokens, equal, gold, correct, predicted };
}

interface Exact {
  readonly difference: number;
  readonly all: readonly number[];
}

/** The difference, and that of each of the 256 equally likely resamples of four sentences. */
function exactly(score: (sentences: readonly SentenceCounts[]) => number): Exact {
  const difference = (draw: readonly number[]) =>
    score(draw.map(n => first[n]!)) - score(draw.map(n => second[n]!));
  const draws = Array.from({ length: 256 }, (_, i) => [i & 3, (i >> 2) & 3, (i >> 4) & 3, i >> 6]);
  return { difference: difference([0, 1, 2, 3]), all: draws.map(difference) };
}

const sum = (sentences: readonly SentenceCounts[], key: keyof SentenceCounts) =>
  sentences.reduce((total, counts) => total + counts[key], 0);

const accuracy = exactly(given => (100 * sum(given, 'equal')) / sum(given, 'tokens'));
const f1 = exactly(
  given => (200 * sum(given, 'correct')) / (sum(given, 'gold') + sum(given, 'predicted')),
);

describe('pairedBootstrap', () => {
  const resamples = 40_000;
  const result = pairedBootstrap(first, second, { resamples, seed: 5, spanScheme: true });

  it.each([
    ['accuracy', result.accuracy, accuracy],
    ['F1', result.f1!, f1],
  ])('agrees with all resamples of four sentences: %s', (_, found, { difference, all }) => {
    const share = (holds: (d: number) => boolean) => all.filter(holds).length / all.length;
    const p = share(d => Math.abs(d - difference) >= Math.abs(difference) - 1e-9);
    const better = share(d => d > 0);
    const near = (exact: number) =>
      4 * Math.sqrt((exact * (1 - exact)) / resamples) + 2 / resamples;
    expect(found.difference).toBeCloseTo(difference, 10);
    expect(Math.abs(found.pValue! - p)).toBeLessThan(near(p));
    expect(Math.abs(found.better! - better)).toBeLessThan(near(better));
    // The ends are quantiles: as much as they say lies below them.
    const [low, high] = found.interval;
    for (const [end, q] of [
      [low, 0.025],
      [high, 0.975],
    ] as const) {
      expect(share(d => d < end! - 1e-9)).toBeLessThanOrEqual(q + near(q));
      expect(share(d => d <= end! + 1e-9)).toBeGreaterThanOrEqual(q - near(q));
    }
  });

  it('gives the interval of the normal distribution for many sentences', () => {
    const random = new Random(1);
    const sentences = 2000;
    const rows = Array.from({ length: sentences }, () => [
      random.below(4) === 0,
      random.below(3) === 0,
    ]);
    const make = (i: number) => rows.map(row => countsOf(1, row[i] ? 1 : 0, 0, 0, 0));
    const differences = rows.map(([a, b]) => Number(a) - Number(b));
    const mean = differences.reduce((x, y) => x + y, 0) / sentences;
    const variance = differences.reduce((x, d) => x + (d - mean) ** 2, 0) / sentences;
    const error = Math.sqrt(variance / sentences);
    const found = pairedBootstrap(make(0), make(1), { resamples: 4000, spanScheme: false });
    expect(found.f1).toBeUndefined();
    expect(found.accuracy.interval[0]! / 100).toBeCloseTo(mean - 1.96 * error, 2);
    expect(found.accuracy.interval[1]! / 100).toBeCloseTo(mean + 1.96 * error, 2);
    expect(found.accuracy.pValue).toBe(1 / 4001);
    expect(found.accuracy.better).toBe(0);
  });

  it('finds nothing between equal taggers, and the same for the same seed', () => {
    const none = pairedBootstrap(first, first, { resamples: 100, spanScheme: true });
    expect(none.accuracy).toEqual({ difference: 0, interval: [0, 0], pValue: 1, better: 0 });
    const again = (seed: number) =>
      pairedBootstrap(first, second, { resamples: 100, seed, spanScheme: true });
    expect(again(2)).toEqual(again(2));
    expect(again(2)).not.toEqual(again(3));
  });

  it('refuses other sentences, and no resamples', () => {
    expect(() => pairedBootstrap(first, second.slice(1), { spanScheme: false })).toThrow(
      'different sentences',
    );
    expect(() => pairedBootstrap(first, second.toReversed(), { spanScheme: false })).toThrow(
      'different sentences',
    );
    expect(() => pairedBootstrap(first, second, { resamples: 0, spanScheme: false })).toThrow(
      'cannot bootstrap with 0 resamples',
    );
  });
});
