import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { RealTable } from '../../../../src/engine/kernels/memory/real-table.js';
import {
  type Similarity,
  SupportVectors,
} from '../../../../src/engine/kernels/vectors/support-vectors.js';
import { KernelBasis } from '../../../../src/engine/trainers/margin/kernel-basis.js';
import {
  GramRows,
  withinBudget,
} from '../../../../src/engine/trainers/margin/vector-margin-space.js';
import { definedScores, definedSimilarity, randomTokens } from './random-vectors.js';

const similarities: readonly Similarity[] = [
  { polynomial: { degree: 1, gamma: 1, constant: 0 } },
  { polynomial: { degree: 2, gamma: 0.5, constant: 1 } },
  { polynomial: { degree: 3, gamma: 0.2, constant: 2 } },
  { rbf: { gamma: 0.3 } },
  { rbf: { gamma: 400 } },
];

const memory = new LinearMemory();

describe.each(similarities)('support vectors with %j', similarity => {
  it('add to scores what their definition says, of tokens with features that they do not have too', () => {
    const random = new Random(5);
    for (let round = 0; round < 300; round += 1) {
      const labels = 1 + random.below(4);
      const features = random.below(6);
      const tokens = randomTokens(random, { tokens: random.below(6), features, labels });
      const vectors = new SupportVectors(similarity, tokens, labels);
      const asked = randomTokens(random, { tokens: 3, features: features + 3, labels });
      const width = labels + 1;
      const scores = new RealTable(memory, width, 'float64');
      scores.reset(3, width);
      scores.view.fill(0.5, 0, 3 * width);
      const batch = { tokens: 3, stateStarts: asked.starts, stateRows: asked.rows };
      for (let call = 1; call <= 2; call += 1) {
        vectors.addTo(batch, scores, width);
        for (let t = 0; t < 3; t += 1) {
          const own = asked.rows.subarray(asked.starts[t]!, asked.starts[t + 1]!);
          const expected = definedScores(similarity, tokens, own, labels);
          for (let y = 0; y < labels; y += 1) {
            expect(scores.view[t * width + y]).toBeCloseTo(0.5 + call * expected[y]!, 9);
          }
          expect(scores.view[t * width + labels]).toBe(0.5);
        }
      }
      scores.reset(0, width);
    }
  });

  it('have a Gram matrix whose rows are the same whatever is kept', () => {
    const random = new Random(6);
    const { starts, rows } = randomTokens(random, { tokens: 9, features: 5, labels: 1 });
    const own = (t: number) => rows.subarray(starts[t]!, starts[t + 1]!);
    const all = new GramRows({ starts, rows }, similarity, 1e6);
    const few = new GramRows({ starts, rows }, similarity, 200);
    for (let round = 0; round < 60; round += 1) {
      const x = random.below(9);
      const row = [...few.row(x)];
      expect(row).toEqual([...all.row(x)]);
      for (const [z, value] of row.entries()) {
        expect(value).toBeCloseTo(definedSimilarity(similarity, own(x), own(z)), 12);
      }
    }
    const block = all.block(2, 7);
    for (let i = 0; i < 25; i += 1) {
      expect(block[i]).toBe(all.row(2 + Math.floor(i / 5))[2 + (i % 5)]);
    }
  });

  it('are mapped by all tokens to vectors with their scalar products, and by more of them ever nearer to these', () => {
    const random = new Random(7);
    const { starts, rows } = randomTokens(random, { tokens: 30, features: 8, labels: 1 });
    const own = (t: number) => rows.subarray(starts[t]!, starts[t + 1]!);
    const order = random.shuffle(Uint32Array.from({ length: 30 }, (_, t) => t));
    const lost: number[] = [];
    for (const count of [1, 3, 6, 12, 20, 30]) {
      const basis = new KernelBasis(similarity, { starts, rows }, order, count);
      const size = basis.tokens.length;
      const mapped = Array.from({ length: 30 }, (_, t) => {
        const vector = new Float64Array(size);
        basis.map(t, vector);
        return vector;
      });
      let farthest = 0;
      let trace = 0;
      for (const [x, phi] of mapped.entries()) {
        for (const [z, psi] of mapped.entries()) {
          const product = phi.reduce((sum, value, i) => sum + value * psi[i]!, 0);
          const rest = definedSimilarity(similarity, own(x), own(z)) - product;
          if (x === z) trace += rest;
          if (count === 30 || basis.tokens.includes(x))
            farthest = Math.max(farthest, Math.abs(rest));
        }
      }
      // Exact for tokens of the basis with any token.
      expect(farthest).toBeLessThan(1e-8);
      lost.push(trace);
      const v = Float64Array.from({ length: size }, () => random.normal());
      const weights = basis.weights(v);
      for (const [x, phi] of mapped.entries()) {
        const direct = basis.tokens.reduce(
          (sum, z, i) => sum + weights[i]! * definedSimilarity(similarity, own(z), own(x)),
          0,
        );
        expect(direct).toBeCloseTo(
          phi.reduce((sum, value, i) => sum + value * v[i]!, 0),
          8,
        );
      }
    }
    for (let i = 1; i < lost.length; i += 1) expect(lost[i]!).toBeLessThan(lost[i - 1]! + 1e-9);
    expect(lost[3]!).toBeLessThan(lost[0]! / 2);
    expect(Math.abs(lost.at(-1)!)).toBeLessThan(1e-8);
  });

  it('stay as they are within a budget, and beyond it leave the nearest that the kept ones can say', () => {
    const random = new Random(8);
    const { starts, rows } = randomTokens(random, { tokens: 14, features: 6, labels: 1 });
    const own = (t: number) => rows.subarray(starts[t]!, starts[t + 1]!);
    const all = Array.from({ length: 14 }, (_, t) => t);
    const weights = Float64Array.from({ length: 28 }, () => random.normal());
    const given = { tokens: all, weights };
    expect(withinBudget(similarity, { starts, rows }, given, 14)).toEqual(given);
    const less = withinBudget(similarity, { starts, rows }, given, 4);
    const kept = Array.from(less.tokens);
    expect(kept).toHaveLength(4);
    /** |f - g|^2 of what all say for a label and what the kept ones say. */
    const distance = (y: number, of: Float64Array) => {
      const difference = new Float64Array(14);
      for (const t of all) difference[t]! += weights[y * 14 + t]!;
      for (const [i, t] of kept.entries()) difference[t]! -= of[y * kept.length + i]!;
      let sum = 0;
      for (const x of all) {
        for (const z of all) {
          sum += difference[x]! * difference[z]! * definedSimilarity(similarity, own(x), own(z));
        }
      }
      return sum;
    };
    for (const y of [0, 1]) {
      const best = distance(y, less.weights);
      const dropped = Float64Array.from(less.weights, (_, at) => {
        const row = Math.floor(at / kept.length);
        return weights[row * 14 + kept[at % kept.length]!]!;
      });
      expect(best).toBeLessThan(distance(y, dropped));
      for (const i of kept.keys()) {
        for (const step of [-1e-3, 1e-3]) {
          const at = y * kept.length + i;
          const moved = less.weights.with(at, less.weights[at]! + step);
          expect(distance(y, moved)).toBeGreaterThan(best - 1e-10);
        }
      }
    }
  });
});
