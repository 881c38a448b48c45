import { describe, expect, it } from 'vitest';
import { Random } from '../../src/core/random.js';
import { forwardBackward, whereScaled } from '../../src/inference/forward-backward.js';
import { maskToken, maskTransitions } from '../../src/inference/mask-scores.js';
import { wideLattice } from '../../src/inference/wide-lattice.js';
import { maskOf } from '../../src/models/labels/transition-rules.js';
import type { TagScheme } from '../../src/text/tags/tag-scheme.js';
import { Deviations } from '../contracts/oracle/differences/deviations.js';
import { kernelRows } from '../contracts/oracle/kernels/kernels.js';
import { drawnScores } from '../contracts/oracle/problems/drawn-scores.js';
import { givenScores } from '../contracts/oracle/problems/given-scores.js';
import { roundedScores } from '../contracts/oracle/problems/rounded-scores.js';

const schemes: readonly (readonly [TagScheme, readonly string[]])[] = [
  ['BIO', ['O', 'B-X', 'I-X', 'B-Y', 'I-Y']],
  ['BIOES', ['O', 'B-X', 'I-X', 'E-X', 'S-X']],
];

// With large scores some sentences underflow, at their ends too, and have to be found out.
describe.each(kernelRows)('scaled marginals under a scheme, $name', ({ kernel, tolerance }) => {
  it.each([3, 30, 100])('are those of log space with scores of about %d', spread => {
    const random = new Random(77);
    const off = new Deviations();
    let scaled = 0;
    for (let i = 0; i < 120; i += 1) {
      const [scheme, names] = schemes[i % 2]!;
      const mask = maskOf({ scheme, also: [] }, names)!;
      expect(mask.connected).toBe(true);
      const draw = () => spread * random.normal();
      const drawn = drawnScores(1 + random.below(30), names.length, i % 3 > 0, draw, draw);
      const lattice = givenScores(kernel, roundedScores(drawn, kernel.precision), i % 3 === 0);
      maskTransitions(lattice, mask);
      const size = drawn.emissions.length * lattice.width;
      const logZ = forwardBackward(kernel, lattice, 0);
      const nodes = Array.from(lattice.nodes.view.subarray(0, size));
      if (!Number.isNaN(kernel.forwardBackwardScaled(lattice, 0))) scaled += 1;
      off.note('log Z', [logZ], [forwardBackward(kernel, lattice, 0, 'log')]);
      off.note('nodes', nodes, lattice.nodes.view.subarray(0, size));
    }
    expect(off.beyond(tolerance)).toEqual([]);
    if (spread === 3) expect(scaled).toBeGreaterThan(90);
    else expect(scaled).toBeLessThan(120);
  });
});

// A label that is far behind at the first token draws level over the next ones: no zero may stand for its exponential there.
describe.each(kernelRows)('a start far behind under a scheme, $name', ({ kernel, tolerance }) => {
  it('is made good later as in log space', () => {
    const off = new Deviations();
    const mask = maskOf({ scheme: 'BIO', also: [] }, ['O', 'B-X', 'I-X'])!;
    // From one to the other of O and a span costs too much.
    const apart = [
      [0, -5000, 0],
      [-5000, -5000, 0],
      [-5000, -5000, 0],
    ];
    for (let behind = 5; behind <= 760; behind += 5) {
      const gains = [...new Array<number>(Math.floor(behind / 40)).fill(40), (behind % 40) - 0.3];
      const emissions = [[0, behind, 0], ...gains.map(gain => [gain, 0, 0])];
      const scores = { emissions, transitions: emissions.map(() => apart) };
      const lattice = givenScores(kernel, roundedScores(scores, kernel.precision), false);
      maskTransitions(lattice, mask);
      const size = emissions.length * lattice.width;
      const logZ = forwardBackward(kernel, lattice, 0);
      const nodes = Array.from(lattice.nodes.view.subarray(0, size));
      off.note('log Z', [logZ], [forwardBackward(kernel, lattice, 0, 'log')]);
      off.note('nodes', nodes, lattice.nodes.view.subarray(0, size));
      expect(nodes[0]).toBeCloseTo(1 / (1 + Math.exp(0.3)), 3);
    }
    expect(off.beyond(tolerance)).toEqual([]);
  });
});

// Zeros are right wherever a label is forbidden, and large scores underflow beside them.
describe.each(kernelRows)('scaled marginals where tokens are masked, $name', ({ kernel }) => {
  it.each([3, 30, 100, 400])('are those of log space with scores of about %d', spread => {
    const random = new Random(78);
    const off = new Deviations();
    let [scaled, impossible] = [0, 0];
    const count = 240;
    for (let i = 0; i < count; i += 1) {
      const [scheme, names] = schemes[i % 2]!;
      const draw = () => spread * random.normal();
      const drawn = drawnScores(1 + random.below(30), names.length, i % 3 > 0, draw, draw);
      const given = givenScores(kernel, roundedScores(drawn, kernel.precision), i % 3 === 0);
      if (i % 4 > 0) maskTransitions(given, maskOf({ scheme, also: [] }, names)!);
      const tokens = drawn.emissions.length;
      for (let t = 0; t < tokens; t += 1) {
        const often = 2 + random.below(3);
        const allowed = Uint8Array.from(names, () => Math.min(1, random.below(often)));
        if (random.below(4) === 0) maskToken(given, t, allowed);
      }
      const wide = wideLattice(kernel, given);
      const { lattice } = wide;
      const size = tokens * lattice.width;
      const logZ = whereScaled(wide.kernel, lattice, 0, 'masked');
      const nodes = lattice.nodes.view.slice(0, size);
      const expected = forwardBackward(wide.kernel, lattice, 0, 'log');
      if (expected === Number.NEGATIVE_INFINITY) {
        impossible += 1;
        expect(logZ).toBeNaN();
      }
      if (Number.isNaN(logZ)) continue;
      scaled += 1;
      off.note('log Z', [logZ], [expected]);
      off.note('nodes', nodes, lattice.nodes.view.subarray(0, size));
    }
    expect(off.beyond(1e-10)).toEqual([]);
    expect(impossible).toBeGreaterThan(0);
    // What is not scaled is impossible, or has scores too far apart.
    if (spread === 3) expect(scaled).toBe(count - impossible);
    else expect(scaled).toBeGreaterThan(spread === 30 ? 50 : 0);
    if (spread >= 100) expect(scaled).toBeLessThan(count - impossible);
  });

  it('are left to log space in float32', () => {
    if (kernel.precision === 'float64') return;
    const scores = {
      emissions: [[0, 1]],
      transitions: [
        [
          [0, 0],
          [0, 0],
        ],
      ],
    };
    expect(whereScaled(kernel, givenScores(kernel, scores, false), 0, 'masked')).toBeNaN();
  });
});
