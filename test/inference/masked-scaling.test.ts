import { describe, expect, it } from 'vitest';
import { Random } from '../../src/core/random.js';
import { forwardBackward } from '../../src/inference/forward-backward.js';
import { maskTransitions } from '../../src/inference/mask-scores.js';
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
