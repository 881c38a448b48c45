import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/core/random.js';
import { LinearMemory } from '../../../src/kernels/memory/linear-memory.js';
import { RealTable } from '../../../src/kernels/memory/real-table.js';
import { type Similarity, SupportVectors } from '../../../src/kernels/vectors/support-vectors.js';
import { GramRows } from '../../../src/trainers/margin/vector-margin-space.js';
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
});
