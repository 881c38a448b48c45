import { describe, expect, it } from 'vitest';
import { MemberSpeeds } from '../../../../src/engine/kernels/group/divide-sentences.js';
import { StepMemory } from '../../../../src/engine/kernels/group/step-memory.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';

/** A step of two members, with the tokens of their shares and the milliseconds they took. */
function stepOf(tokens: readonly [number, number], spent: readonly [number, number]): StepMemory {
  const step = StepMemory.create(new LinearMemory(), { sentences: 4, tokens: 1000, members: 2 });
  step.shares.set([0, 0, 0, 2, tokens[0], 0, 4, tokens[0] + tokens[1], 0]);
  step.spent.set(spent);
  return step;
}

describe('MemberSpeeds', () => {
  it('begins with the same speed for all', () => {
    expect([...new MemberSpeeds(3).speeds]).toEqual([1000, 1000, 1000]);
  });

  it('comes to the tokens that each member does in a millisecond', () => {
    const made = new MemberSpeeds(2);
    for (let i = 0; i < 200; i += 1) made.note(stepOf([150, 50], [0.1, 0.05]));
    expect(made.speeds[0]).toBeCloseTo(1500, 3);
    expect(made.speeds[1]).toBeCloseTo(1000, 3);
  });

  it('forgets a single step in which a member was held up', () => {
    const made = new MemberSpeeds(2);
    made.note(stepOf([100, 100], [0.1, 1000]));
    expect(made.speeds[1]).toBeCloseTo(900, 1);
    for (let i = 0; i < 60; i += 1) made.note(stepOf([100, 100], [0.1, 0.1]));
    expect(made.speeds[1]).toBeGreaterThan(999);
  });

  it('leaves a member that is always held up a part of the work', () => {
    const made = new MemberSpeeds(2);
    for (let i = 0; i < 200; i += 1) made.note(stepOf([100, 1], [0.1, 1000]));
    expect(made.speeds[1]! / made.speeds[0]!).toBeCloseTo(0.25, 6);
  });

  it('keeps the speed of a member without a share', () => {
    const made = new MemberSpeeds(2);
    made.note(stepOf([100, 0], [0.1, 0]));
    expect(made.speeds[1]).toBe(1000);
  });
});
