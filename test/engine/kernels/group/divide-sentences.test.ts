import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Minibatch } from '../../../../src/engine/core/minibatch/minibatch.js';
import { divideSentences } from '../../../../src/engine/kernels/group/divide-sentences.js';
import { StepMemory } from '../../../../src/engine/kernels/group/step-memory.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';

/** First sentence, token and slot of each share, and the ends. */
function shares(lengths: number[], speeds: number[], slots?: number[]): number[][] {
  const sentenceStarts = Uint32Array.from([0, ...lengths]);
  for (let s = 1; s <= lengths.length; s += 1) sentenceStarts[s]! += sentenceStarts[s - 1]!;
  const tokens = sentenceStarts.at(-1)!;
  const batch = { sentences: lengths, sentenceStarts, tokens } as unknown as Minibatch;
  const sizes = { sentences: lengths.length, tokens, members: speeds.length };
  const step = StepMemory.create(new LinearMemory(), sizes);
  const given = slots === undefined ? undefined : Int32Array.from(slots);
  divideSentences(step, batch, given, Float64Array.from(speeds));
  return speeds.concat(0).map((_, i) => [...step.shares.subarray(3 * i, 3 * i + 3)]);
}

describe('divideSentences', () => {
  it('gives members of the same speed about as many tokens', () => {
    expect(shares([3, 4, 2, 5], [1, 1])).toEqual([
      [0, 0, 0],
      [2, 7, 0],
      [4, 14, 0],
    ]);
  });

  it('gives the faster ones more', () => {
    const lengths = new Array<number>(8).fill(5);
    const firsts = shares(lengths, [3, 1]).map(([first]) => first);
    expect(firsts).toEqual([0, 6, 8]);
    expect(shares(lengths, [10, 20, 10]).map(([first]) => first)).toEqual([0, 2, 6, 8]);
  });

  it('counts the slots before each share', () => {
    expect(shares([2, 2, 2], [2, 1], [-1, 0, -1, 1, -1, 2]).map(([, , slot]) => slot)).toEqual([
      0, 2, 3,
    ]);
  });

  it('leaves out no sentence, whatever the speeds', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
    const speeds = fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(lengths, speeds, (given, members) => {
        const made = shares(given, members);
        const tokens = given.reduce((sum, length) => sum + length, 0);
        expect(made[0]).toEqual([0, 0, 0]);
        expect(made.at(-1)).toEqual([given.length, tokens, 0]);
        for (let i = 1; i < made.length; i += 1) {
          expect(made[i]![0]).toBeGreaterThanOrEqual(made[i - 1]![0]!);
        }
      }),
    );
  });
});
