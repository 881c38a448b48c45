import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { NBest } from '../../../src/engine/inference/n-best.js';
import { wideLattice } from '../../../src/engine/inference/wide-lattice.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import type { Lattice } from '../../../src/engine/kernels/lattice.js';
import type { ChainScores } from '../../contracts/oracle/chain-scores.js';
import { eagerNBest } from '../../contracts/oracle/eager-n-best.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { givenScores } from '../../contracts/oracle/problems/given-scores.js';
import { roundedScores } from '../../contracts/oracle/problems/rounded-scores.js';
import { everyNth } from '../../house/long-forms.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Problems of each shape; of long sentences; of those that are enumerated. */
const [problems, long, enumerated] = full ? [625, 80, 10_000] : [60, 8, 60];
const never = Number.NEGATIVE_INFINITY;

interface Shape {
  /** Tokens and labels are fewer than these. */
  readonly length: number;
  readonly labels: number;
  readonly draw: (random: Random) => number;
  /** One score of so many is minus infinity. */
  readonly forbidden?: number;
}

const normal = (random: Random) => 3 * random.normal();
const shapes: [string, Shape][] = [
  ['of few labels', { length: 9, labels: 5, draw: normal }],
  ['of many labels', { length: 6, labels: 40, draw: normal }],
  ['of one label', { length: 9, labels: 2, draw: normal }],
  ['of one token', { length: 2, labels: 9, draw: normal }],
  ['with forbidden labels and transitions', { length: 9, labels: 6, draw: normal, forbidden: 3 }],
  ['most of which is forbidden', { length: 7, labels: 5, draw: normal, forbidden: 2 }],
  ['with ties', { length: 8, labels: 5, draw: random => random.below(3) - 1 }],
  ['with ties and masks', { length: 8, labels: 5, draw: r => r.below(2), forbidden: 4 }],
  ['long', { length: 400, labels: 7, draw: normal }],
];

function drawn(random: Random, { length, labels, draw, forbidden }: Shape, slots: boolean) {
  const [tokens, count] = [1 + random.below(length - 1), 1 + random.below(labels - 1)];
  const score = () =>
    forbidden !== undefined && random.below(forbidden) === 0 ? never : draw(random);
  const row = () => Array.from({ length: count }, score);
  const matrix = () => Array.from({ length: count }, row);
  const one = matrix();
  return {
    emissions: Array.from({ length: tokens }, row),
    transitions: Array.from({ length: tokens }, () => (slots ? matrix() : one)),
  };
}

/** Scores and labels as arrays, the best first. */
function found(kernel: Kernel, lattice: Lattice, count: number, nBest = new NBest()) {
  const wide = wideLattice(kernel, lattice);
  return nBest
    .paths(wide.kernel, wide.lattice, 0, count)
    .map(({ labels, score }) => ({ labels: Array.from(labels), score }));
}

describe.each(kernelRows)('n-best lists, $name', ({ kernel }) => {
  for (const slots of [false, true]) {
    for (const { rows, tags } of everyNth(30, shapes)) {
      it.each(rows)(
        `are those of the plain recursion to the bit: %s (${slots ? 'a matrix for each token' : 'one matrix'})`,
        { tags },
        (_, shape) => {
          const random = new Random(12);
          // One for all, so that what an earlier sentence left behind would show.
          const nBest = new NBest();
          let fewer = 0;
          for (let i = 0; i < (shape.length > 100 ? long : problems); i += 1) {
            const scores: ChainScores = roundedScores(
              drawn(random, shape, slots),
              kernel.precision,
            );
            const count = [1, 2, 3, 10, 60][random.below(5)]!;
            const expected = eagerNBest(scores, count);
            const lattice = givenScores(kernel, scores, slots);
            expect(found(kernel, lattice, count, nBest)).toEqual(expected);
            if (expected.length < count) fewer += 1;
          }
          if (shape.length < 100) expect(fewer).toBeGreaterThan(0);
        },
      );
    }
  }

  it('are all sequences that there are, in the order of the enumeration', () => {
    const random = new Random(13);
    for (let i = 0; i < enumerated; i += 1) {
      // Whole numbers: the order in which they are added makes no difference.
      const shape = { length: 6, labels: 5, draw: (r: Random) => r.below(5) - 2, forbidden: 5 };
      const scores = drawn(random, shape, i % 2 === 0);
      const all = new Enumeration(scores).ranked.map(({ path, score }) => ({
        labels: path,
        score,
      }));
      const lattice = givenScores(kernel, scores, i % 2 === 0);
      expect(found(kernel, lattice, 1000)).toEqual(all.slice(0, 1000));
    }
  });

  it('order equal ones by their labels, the lower first, at the last token first', () => {
    const zeros = (rows: number) => Array.from({ length: rows }, () => [0, 0]);
    const scores = { emissions: zeros(3), transitions: Array.from({ length: 3 }, () => zeros(2)) };
    const paths = found(kernel, givenScores(kernel, scores, false), 20);
    const expected = ['000', '100', '010', '110', '001', '101', '011', '111'];
    expect(paths.map(({ labels }) => labels.join(''))).toEqual(expected);
  });

  it('are refused where they have too many labels', { tags: 'slow' }, () => {
    const zeros = (rows: number) => Array.from({ length: rows }, () => [0, 0]);
    const one = zeros(2);
    const emissions = zeros(70_000);
    const lattice = givenScores(
      kernel,
      { emissions, transitions: emissions.map(() => one) },
      false,
    );
    expect(() => found(kernel, lattice, 1000)).toThrow(
      expect.objectContaining({ code: 'too-large' }),
    );
    expect(found(kernel, lattice, 3)).toHaveLength(3);
  });
});
