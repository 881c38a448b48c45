import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { SequentialTest } from '../../../src/engine/metrics/sequential-test.js';

const stakes = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128];
const unbet = (t: number) => 1 / (1 + Math.log(t));
const begun = (t: number) => unbet(t) - unbet(t + 1);

/** The evidence by its definition: a sum over all beginnings and stakes of products. */
function evidenceOf(differences: readonly number[]): number {
  let sum = 0;
  for (const stake of stakes) {
    for (let start = 0; start < differences.length; start += 1) {
      const bet = differences.slice(start).reduce((wealth, d) => wealth * (1 + stake * d), 1);
      sum += begun(start + 1) * bet;
    }
  }
  return sum / stakes.length;
}

function testOf(differences: readonly number[], alpha = 0.05): SequentialTest {
  const test = new SequentialTest({ alpha });
  for (const difference of differences) test.see(difference);
  return test;
}

/** How many of `streams` streams decide within `length` differences that `draw` makes. */
function decided(
  streams: number,
  length: number,
  draw: (random: Random, t: number) => number,
  alpha: number,
): { share: number; mean: number } {
  const random = new Random(5);
  let [count, times] = [0, 0];
  for (let stream = 0; stream < streams; stream += 1) {
    const test = new SequentialTest({ alpha });
    for (let t = 0; t < length && !test.isDecided; t += 1) test.see(draw(random, t));
    if (!test.isDecided) continue;
    count += 1;
    times += test.count;
  }
  return { share: count / streams, mean: times / Math.max(1, count) };
}

describe('SequentialTest', () => {
  it('has the evidence of its definition, a sum over all beginnings and stakes', () => {
    const random = new Random(3);
    const differences = Array.from({ length: 60 }, () => 1.9 * random.uniform() - 0.9);
    for (const length of [1, 2, 7, 60]) {
      const some = differences.slice(0, length);
      expect(testOf(some).evidence / evidenceOf(some)).toBeCloseTo(1, 12);
    }
  });

  it('is a martingale of mean 1 with what is not bet, over all sequences of fair signs', () => {
    const length = 12;
    let [sum, decisions] = [0, 0];
    for (let bits = 0; bits < 2 ** length; bits += 1) {
      const signs = Array.from({ length }, (_, t) => ((bits >> t) & 1 ? 1 : -1));
      const test = testOf(signs, 0.4);
      sum += test.evidence + unbet(length + 1);
      if (test.isDecided) decisions += 1;
    }
    expect(sum / 2 ** length).toBeCloseTo(1, 12);
    expect(decisions).toBeGreaterThan(0);
    expect(decisions / 2 ** length).toBeLessThanOrEqual(0.4);
  });

  it('decides falsely less often than alpha, at any time of streams that are long, skewed or dependent', {
    tags: 'slow',
  }, () => {
    const alpha = 0.1;
    const nulls: Record<string, (random: Random, t: number) => number> = {
      fair: random => (random.uniform() < 0.5 ? 1 : -1),
      narrow: random => (random.uniform() - 0.5) / 10,
      // Rare large gains, frequent small losses, and the reverse; each of mean 0.
      gains: random => (random.uniform() < 0.1 ? 0.9 : -0.1),
      losses: random => (random.uniform() < 0.9 ? 0.1 : -0.9),
      // Sentences without a difference, and a spread that grows and falls.
      bursts: (random, t) => (t % 500 < 400 ? 0 : random.uniform() - 0.5),
      // The challenger is worse for long, and as good from then on.
      late: (random, t) => (random.uniform() < (t < 1000 ? 0.2 : 0.5) ? 0.3 : -0.3),
    };
    const shares = Object.entries(nulls).map(
      ([name, draw]) => [name, decided(1000, 2000, draw, alpha).share] as const,
    );
    for (const [name, share] of shares) expect([name, share <= alpha]).toEqual([name, true]);
    // It can fail: the bound is not idle.
    expect(Math.max(...shares.map(([, share]) => share))).toBeGreaterThan(alpha / 10);
  });

  it('finds a difference, and one that comes after a long time of the opposite', () => {
    const draw = (mean: number) => (random: Random) => mean + 0.4 * (random.uniform() - 0.5);
    const early = decided(200, 3000, draw(0.03), 0.05);
    expect(early.share).toBe(1);
    expect(early.mean).toBeLessThan(600);
    const change = 5000;
    const late = decided(
      100,
      change + 3000,
      (random, t) => draw(t < change ? -0.03 : 0.03)(random),
      0.05,
    );
    expect(late.share).toBe(1);
    expect(late.mean - change).toBeLessThan(1000);
    expect(late.mean).toBeGreaterThan(change);
  });

  it('bounds each sum of differences while it is undecided, whatever they are', () => {
    const random = new Random(11);
    let closest = Number.POSITIVE_INFINITY;
    for (let stream = 0; stream < 30; stream += 1) {
      const test = new SequentialTest();
      const seen: number[] = [];
      const slope = random.uniform();
      for (let t = 0; t < 200; t += 1) {
        // An adversary that gains whenever the test has little evidence.
        const size = 0.2 + 0.8 * random.uniform();
        seen.push(test.evidence < 20 * slope ? size : -size * random.uniform());
        test.see(seen.at(-1)!);
        if (test.isDecided) break;
        let [sum, squares] = [0, 0];
        for (let start = t; start >= 0; start -= 1) {
          sum += seen[start]!;
          squares += seen[start]! ** 2;
          for (const k of stakes) {
            const most = Math.log(7 / (0.05 * begun(start + 1))) / k + k * squares;
            closest = Math.min(closest, most - sum);
          }
        }
      }
    }
    // It holds, and says something.
    expect(closest).toBeGreaterThanOrEqual(0);
    expect(closest).toBeLessThan(20);
  });

  it('stays decided, and stays finite', () => {
    const test = testOf(Array.from({ length: 5000 }, () => 1));
    expect(test.isDecided).toBe(true);
    expect(Number.isFinite(test.evidence)).toBe(true);
    for (let t = 0; t < 5000; t += 1) test.see(-1);
    expect(test.evidence).toBeLessThan(1);
    expect(test.isDecided).toBe(true);
  });

  it('resumes from what was saved', () => {
    const random = new Random(8);
    const test = testOf(Array.from({ length: 40 }, () => random.uniform() - 0.4));
    const resumed = new SequentialTest();
    resumed.restore(structuredClone(test.save()));
    expect(resumed.evidence).toBe(test.evidence);
    for (const each of [test, resumed]) each.see(0.25);
    expect(resumed.save()).toEqual(test.save());
    expect(() => new SequentialTest({ alpha: 0.01 }).restore(test.save())).toThrow(
      'saved with alpha 0.05, but this run has 0.01',
    );
    const { json } = test.save();
    expect(() => resumed.restore({ json, arrays: {} })).toThrow('wealth is missing');
    const undecided = { json: { ...json, decided: 1 }, arrays: test.save().arrays };
    expect(() => resumed.restore(undecided)).toThrow('decided is not true or false');
  });

  it('refuses differences and probabilities that are out of range', () => {
    const test = new SequentialTest();
    for (const wrong of [1.01, -2, Number.NaN]) expect(() => test.see(wrong)).toThrow('[-1, 1]');
    expect(test.count).toBe(0);
    for (const alpha of [0, 1, -1, Number.NaN]) {
      expect(() => new SequentialTest({ alpha })).toThrow('between 0 and 1');
    }
  });
});
