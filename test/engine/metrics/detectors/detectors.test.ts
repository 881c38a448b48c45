import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { Adwin } from '../../../../src/engine/metrics/detectors/adwin.js';
import { Ddm } from '../../../../src/engine/metrics/detectors/ddm.js';
import type { DriftDetector } from '../../../../src/engine/metrics/detectors/drift-detector.js';
import { PageHinkley } from '../../../../src/engine/metrics/detectors/page-hinkley.js';

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const meanOf = (numbers: readonly number[]) => sum(numbers) / numbers.length;

/** The same by definition, from all numbers since the last drift. */
interface Oracle {
  add(value: number): boolean;
}

/** ADWIN over the numbers themselves; only where buckets end is noted: their sizes, the newest first. */
function plainAdwin(delta: number): Oracle {
  let numbers: number[] = [];
  let sizes: number[] = [];
  const merge = () => {
    for (let size = 1; sizes.filter(each => each === size).length > 5; size *= 2) {
      const last = sizes.lastIndexOf(size);
      sizes = [...sizes.slice(0, last - 1), 2 * size, ...sizes.slice(last + 1)];
    }
  };
  const cut = () => {
    let at = 0;
    for (const size of sizes.toReversed()) {
      at += size;
      const [older, newer] = [numbers.slice(0, at), numbers.slice(at)];
      if (older.length < 5 || newer.length < 5) continue;
      const mean = meanOf(numbers);
      const variance = meanOf(numbers.map(each => (each - mean) ** 2));
      const m = 1 / (1 / older.length + 1 / newer.length);
      const log = Math.log(2 / (delta / Math.log(numbers.length)));
      const epsilon = Math.sqrt((2 / m) * variance * log) + (2 / (3 * m)) * log;
      if (Math.abs(meanOf(newer) - meanOf(older)) > epsilon) return meanOf(newer) - meanOf(older);
    }
    return 0;
  };
  return {
    add(value) {
      numbers.push(value);
      sizes.unshift(1);
      merge();
      let rose = false;
      for (let found = cut(); found !== 0; found = cut()) {
        rose ||= found > 0;
        numbers = numbers.slice(sizes.pop()!);
      }
      return rose;
    },
  };
}

/** Page and Hinkley, with all sums made again for each number. */
function plainPageHinkley(): Oracle {
  let numbers: number[] = [];
  return {
    add(value) {
      numbers.push(value);
      const steps = numbers.map((x, t) => x - meanOf(numbers.slice(0, t + 1)) - 0.01);
      const sums = steps.map((_, t) => sum(steps.slice(0, t + 1)));
      const found = sums.at(-1)! - Math.min(0, ...sums) > 5;
      if (found) numbers = [];
      return found;
    },
  };
}

function plainDdm(): Oracle {
  let numbers: number[] = [];
  return {
    add(value) {
      numbers.push(value);
      const at = (t: number) => {
        const p = meanOf(numbers.slice(0, t));
        return { p, s: Math.sqrt((p * (1 - p)) / t) };
      };
      if (numbers.length < 30) return false;
      const all = Array.from({ length: numbers.length - 29 }, (_, i) => at(30 + i));
      const best = all.reduce((a, b) => (b.p + b.s <= a.p + a.s ? b : a));
      const { p, s } = all.at(-1)!;
      const found = p + s >= best.p + 3 * best.s && p + s > best.p + best.s;
      if (found) numbers = [];
      return found;
    },
  };
}

const rows: readonly (readonly [string, () => DriftDetector, () => Oracle])[] = [
  ['ADWIN', () => new Adwin(), () => plainAdwin(0.002)],
  ['Page-Hinkley', () => new PageHinkley(), plainPageHinkley],
  ['DDM', () => new Ddm(), plainDdm],
];

/** Shares of errors that fall, rise twice, and fall again. */
function series(seed: number): number[] {
  const random = new Random(seed);
  const level = (t: number) =>
    t < 60 ? 0.3 : t < 160 ? 0.08 : t < 240 ? 0.6 : t < 320 ? 0.1 : 0.45;
  return Array.from({ length: 420 }, (_, t) => {
    const tokens = 1 + random.below(20);
    const wrong = Array.from({ length: tokens }, () => random.uniform() < level(t));
    return wrong.filter(Boolean).length / tokens;
  });
}

describe.each(rows)('%s', (_, create, oracle) => {
  it.each([1, 2, 3])('reports what its definition says: seed %i', seed => {
    const [detector, plain] = [create(), oracle()];
    const found: number[] = [];
    for (const [t, value] of series(seed).entries()) {
      const reported = detector.add(value);
      expect(reported).toBe(plain.add(value));
      if (reported) found.push(t);
    }
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toBeGreaterThanOrEqual(160);
    expect(found[0]).toBeLessThan(200);
  });

  it('goes on from its state', () => {
    const numbers = series(4);
    for (const at of [10, 170, 300]) {
      const [whole, first, second] = [create(), create(), create()];
      for (const value of numbers.slice(0, at)) {
        whole.add(value);
        first.add(value);
      }
      const { json, arrays } = first.save();
      second.restore({ json: JSON.parse(JSON.stringify(json)), arrays });
      for (const value of numbers.slice(at)) expect(second.add(value)).toBe(whole.add(value));
      expect(second.save()).toEqual(whole.save());
    }
  });

  it('is seldom wrong about numbers that do not change', () => {
    const random = new Random(7);
    const detector = create();
    let alarms = 0;
    for (let t = 0; t < 20_000; t += 1) {
      if (detector.add(Math.min(1, Math.abs(0.06 + 0.08 * random.normal())))) alarms += 1;
    }
    expect(alarms).toBe(0);
  });
});
