import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { NBest } from '../../../../src/engine/inference/n-best.js';
import { expandedChain } from '../../../../src/engine/inference/segments/expanded-chain.js';
import { segmentKernel } from '../../../../src/engine/inference/structures/segments-structure.js';
import type { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';
import { everyNth } from '../../../house/long-forms.js';
import { ReferenceBestSegments } from './reference-best-segments.js';
import { type SegmentProblem, segmentProblem } from './segment-problem.js';

const base = new SimdKernel('float64');
const kernel = segmentKernel(base);
const reference = new ReferenceBestSegments();

const full = process.env.TAGSTREAM_FULL === '1';

const forbidden = Number.NEGATIVE_INFINITY;

/** Forbids what BIO does, and returns the numbers of B and I of each type, and of O; undefined for other labels. */
function asBio({ lattice, names, length }: SegmentProblem) {
  if (names.join() !== 'B-X,I-X,B-Y,I-Y,O') return undefined;
  const { width, matrixSize, labels, slots } = lattice;
  for (const inside of [1, 3]) {
    lattice.emissionScores.view[inside] = forbidden;
    for (let from = 0; from < labels; from += 1) {
      if (from === inside || from === inside - 1) continue;
      lattice.transitionScores.view[from * width + inside] = forbidden;
      for (let slot = 0; slot < slots; slot += 1) {
        lattice.edgeScores.view[slot * matrixSize + from * width + inside] = forbidden;
      }
    }
  }
  return { length, types: [0, 1].map(kind => ({ kind, first: 2 * kind, inside: 2 * kind + 1 })) };
}

/**
 * Log of the sum over all segmentations of a sentence: of segments of a type, and of single tokens outside. What a segment
 * scores is a function of its tokens, its label and the label that the segment before it ends with (Gupta, section 3.1):
 *
 *     alpha(i, y) = sum over d and y' of alpha(i - d, y') exp f(y', y, i - d + 1, i)
 */
function segmentationSum(problem: SegmentProblem): number | undefined {
  const bio = asBio(problem);
  if (bio === undefined) return undefined;
  const { lattice } = problem;
  const { width, matrixSize, edgeSlots } = lattice;
  const segments = lattice.segments!;
  const outside = 4;
  const token = (t: number, y: number) => lattice.emissionScores.view[t * width + y]!;
  const step = (t: number, from: number, to: number) =>
    edgeSlots[t]! < 0
      ? lattice.transitionScores.view[from * width + to]!
      : lattice.edgeScores.view[edgeSlots[t]! * matrixSize + from * width + to]!;
  /** By the last label of the segment that ends before token i. */
  const alpha = Array.from({ length: bio.length + 1 }, () => new Float64Array(5));
  const before = (t: number, first: number, span: (before: number) => number = () => 0) => {
    if (t === 0) return Math.exp(span(-1));
    return alpha[t]!.reduce(
      (sum, mass, y) => sum + mass * Math.exp(step(t, y, first) + span(y)),
      0,
    );
  };
  for (let end = 1; end <= bio.length; end += 1) {
    const last = end - 1;
    alpha[end]![outside] = before(last, outside) * Math.exp(token(last, outside));
    for (const { kind, first, inside } of bio.types) {
      for (let d = 1; d <= end; d += 1) {
        const start = end - d;
        let score = token(start, first);
        for (let t = start + 1; t < end; t += 1) {
          score += token(t, inside) + step(t, t === start + 1 ? first : inside, inside);
        }
        const span = (y: number) => segments.scores[segments.at(last, d, y) + kind]!;
        alpha[end]![d === 1 ? first : inside]! += before(start, first, span) * Math.exp(score);
      }
    }
  }
  return Math.log(alpha[bio.length]!.reduce((sum, mass) => sum + mass, 0));
}

it.each([
  ['by transitions', false],
  ['by scores of their own', true],
])(
  'sums over segmentations whose segments see the label before them %s',
  { tags: 'slow' },
  (_, paired) => {
    const random = new Random(12);
    let found = 0;
    while (found < 40) {
      const problem = segmentProblem(random, { paired });
      const expected = segmentationSum(problem);
      if (expected === undefined) continue;
      found += 1;
      expect(kernel.forwardBackwardLog(problem.lattice, 0)).toBeCloseTo(expected, 10);
      expect(kernel.forwardBackwardScaled(problem.lattice, 0)).toBeCloseTo(expected, 10);
    }
  },
);

const families = [
  ['of every kind', 150, {}],
  ['in float32', 60, { precision: 'float32' }],
  ['with forbidden labels and transitions', 150, { forbidden: 0.2 }],
  ['with scores of up to 60', 80, { scores: 60 }],
  ['that see the label before them', 150, { paired: true }],
  ['that see it, in float32', 60, { paired: true, precision: 'float32' }],
  ['that see it, with forbidden labels', 150, { paired: true, forbidden: 0.2 }],
  ['that see it, with scores of up to 60', 80, { paired: true, scores: 60 }],
] as const;

/** The greatest difference between what the lattice says and the enumeration. */
function difference({ lattice, names, length, paths, logZ }: SegmentProblem): number {
  const { width, matrixSize, labels } = lattice;
  const segments = lattice.segments!;
  const nodes = new Float64Array(length * width);
  const transitions = new Float64Array(matrixSize);
  const edges = new Float64Array(Math.max(1, lattice.slots) * matrixSize);
  const spans = new Float64Array(length * segments.perToken);
  for (const { path, score } of paths) {
    const p = Math.exp(score - logZ);
    for (let t = 0; t < length; t += 1) {
      nodes[t * width + path[t]!]! += p;
      if (t === 0) continue;
      const pair = path[t - 1]! * width + path[t]!;
      transitions[pair]! += p;
      if (lattice.edgeSlots[t]! >= 0) edges[lattice.edgeSlots[t]! * matrixSize + pair]! += p;
    }
    for (const { label, start, end } of spansOf(Array.from(path, y => names[y]!))) {
      const kind = segments.tables.types.indexOf(label);
      const before = start === 0 ? -1 : path[start - 1]!;
      spans[segments.at(end - 1, end - start, before) + kind]! += p;
    }
  }
  const farthest = (a: ArrayLike<number>, b: ArrayLike<number>, count: number) => {
    let most = 0;
    for (let i = 0; i < count; i += 1) most = Math.max(most, Math.abs(a[i]! - b[i]!));
    return most;
  };
  expect(labels).toBe(names.length);
  return Math.max(
    farthest(lattice.nodes.view, nodes, nodes.length),
    farthest(lattice.transitions.view, transitions, matrixSize),
    lattice.slots === 0 ? 0 : farthest(lattice.edges.view, edges, edges.length),
    farthest(segments.nodes, spans, spans.length),
  );
}

for (const { rows, tags } of everyNth(8, families)) {
  describe.each(rows)('segments %s', { tags }, (_, count, shape) => {
    const tolerance = 'precision' in shape ? 1e-6 : 1e-10;
    /** Some hundred problems, or all there are to be, one after the other in a lattice. */
    function* problems() {
      const random = new Random(7);
      let lattice: Lattice | undefined;
      for (let i = 0; i < (full ? 10_000 : count); i += 1) {
        const problem = segmentProblem(random, shape, i % 200 === 0 ? undefined : lattice);
        lattice = problem.lattice;
        if (Number.isFinite(problem.logZ)) yield problem;
      }
    }

    it.each(['scaled', 'log'] as const)(
      'have sums of the enumeration (%s)',
      { tags: 'slow' },
      space => {
        let [scaled, all] = [0, 0];
        for (const problem of problems()) {
          const { lattice, logZ } = problem;
          all += 1;
          const found =
            space === 'scaled'
              ? kernel.forwardBackwardScaled(lattice, 0)
              : kernel.forwardBackwardLog(lattice, 0);
          if (Number.isNaN(found)) continue;
          scaled += 1;
          expect(Math.abs(found - logZ)).toBeLessThan(1e-9);
          expect(difference(problem)).toBeLessThan(tolerance);
        }
        if (space === 'log' || !('scores' in shape)) expect(scaled).toBe(all);
        else expect(scaled).toBeGreaterThan(all / 4);
      },
    );

    it.each(['scaled', 'log'] as const)(
      'have span probabilities of the enumeration (%s)',
      { tags: 'slow' },
      space => {
        for (const problem of problems()) {
          const { lattice, names, length, paths, logZ } = problem;
          if (space === 'log') kernel.forwardBackwardLog(lattice, 0);
          else if (Number.isNaN(kernel.forwardBackwardScaled(lattice, 0))) continue;
          const sums = new Map<string, number>();
          for (const { path, score } of paths) {
            for (const { label, start, end } of spansOf(Array.from(path, y => names[y]!))) {
              const key = `${label} ${start} ${end}`;
              sums.set(key, (sums.get(key) ?? 0) + Math.exp(score - logZ));
            }
          }
          for (const label of lattice.segments!.tables.types) {
            for (let start = 0; start < length; start += 1) {
              for (let end = start + 1; end <= length; end += 1) {
                const found = kernel.spanProbability(lattice, label, start, end);
                const expected = sums.get(`${label} ${start} ${end}`) ?? 0;
                expect(Math.abs(found - expected)).toBeLessThan(1e-10);
              }
            }
          }
        }
      },
    );

    it('have the best sequences of the enumeration', () => {
      for (const problem of problems()) {
        const { lattice, length, paths } = problem;
        const ranked = paths
          .filter(({ score }) => score > Number.NEGATIVE_INFINITY)
          .sort((a, b) => b.score - a.score);
        const best = new Int32Array(length);
        const score = kernel.viterbi(lattice, 0, best);
        expect(Math.abs(score - ranked[0]!.score)).toBeLessThan(1e-10);
        expect(Math.abs(kernel.pathScore(lattice, 0, best) - score)).toBeLessThan(1e-10);
        const expected = new Int32Array(length);
        expect(reference.find(lattice, 0, expected)).toBe(score);
        expect(best).toEqual(expected);
        const chain = expandedChain(lattice, 0);
        const found = new NBest().paths(chain.kernel, chain.lattice, 0, 7);
        expect(found.length).toBe(Math.min(7, ranked.length));
        for (const [i, one] of found.entries()) {
          expect(Math.abs(one.score - ranked[i]!.score)).toBeLessThan(1e-10);
          const path = one.labels.map(state => chain.labelOf[state]!);
          expect(Math.abs(kernel.pathScore(lattice, 0, path) - one.score)).toBeLessThan(1e-10);
        }
      }
    });
  });
}
