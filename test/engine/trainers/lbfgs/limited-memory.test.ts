import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { LimitedMemory } from '../../../../src/engine/trainers/lbfgs/limited-memory.js';
import { VectorSpace } from '../../../../src/engine/trainers/space/vector-space.js';
import { dot } from '../../../../src/engine/trainers/vectors/vectors.js';
import { widened } from '../space/widened.js';

const size = 7;
const space = new VectorSpace(size);

/** A vector of the space. */
function placed(numbers: ArrayLike<number>): Float64Array {
  const x = space.vector();
  x.set(numbers);
  return x;
}

/** Numbers whose differences bfloat16 has all digits of, even seven times as large. */
function vector(random: Random): Float64Array {
  return placed(Array.from({ length: size }, () => Math.round(4 * random.normal()) / 4));
}

/** A memory of moves on the parabola whose Hessian is diagonal, and the last of them. */
function afterMoves(count: number, most: number) {
  const random = new Random(1);
  const memory = new LimitedMemory(space, most);
  const curvatures = Float64Array.from({ length: size }, (_, i) => 1 + i);
  let last = { step: space.vector(), difference: space.vector() };
  for (let i = 0; i < count; i += 1) {
    const [from, to] = [vector(random), vector(random)];
    const slopes = (at: Float64Array) => placed(at.map((x, j) => curvatures[j]! * x));
    memory.addMove({ from, to }, { from: slopes(from), to: slopes(to) });
    const step = placed(to.map((x, j) => x - from[j]!));
    last = { step, difference: slopes(step) };
  }
  return { memory, ...last };
}

describe('the limited memory', () => {
  it('leaves vectors as they are while it is empty', () => {
    const { memory } = afterMoves(0, 3);
    const x = vector(new Random(2));
    const before = x.slice();
    memory.apply(x);
    expect(x).toEqual(before);
    expect(memory.isEmpty).toBe(true);
  });

  it.each([1, 2, 5])('takes the last difference to its step (%i moves)', count => {
    const { memory, step, difference } = afterMoves(count, 3);
    memory.apply(difference);
    for (let i = 0; i < size; i += 1) expect(difference[i]).toBeCloseTo(step[i]!, 10);
    expect(memory.vectors.length).toBe(2 * Math.min(count, 3));
  });

  it('is symmetric and positive definite', () => {
    const { memory } = afterMoves(4, 3);
    const random = new Random(3);
    const [x, y] = [vector(random), vector(random)];
    const [hx, hy] = [placed(x), placed(y)];
    memory.apply(hx);
    memory.apply(hy);
    expect(dot(x, hy)).toBeCloseTo(dot(hx, y), 10);
    expect(dot(x, hx)).toBeGreaterThan(0.01);
  });

  it('knows the inverse Hessian after as many moves as there are dimensions, conjugate ones', () => {
    const memory = new LimitedMemory(space, size);
    for (let i = 0; i < size; i += 1) {
      const to = space.vector();
      to[i] = 1;
      const from = space.vector();
      memory.addMove({ from, to }, { from, to: placed(to.map(x => (1 + i) * x)) });
    }
    const ones = space.vector().fill(1);
    memory.apply(ones);
    for (let i = 0; i < size; i += 1) expect(ones[i]).toBeCloseTo(1 / (1 + i), 12);
  });

  it('leaves a move without positive curvature out', () => {
    const memory = new LimitedMemory(space, 3);
    const from = space.vector();
    const to = space.vector().fill(1);
    memory.addMove({ from, to }, { from, to: placed(to.map(x => -x)) });
    expect(memory.isEmpty).toBe(true);
  });

  it('gives the same bits after it has been restored', () => {
    const { memory } = afterMoves(5, 3);
    const restored = new LimitedMemory(space, 3);
    restored.restore(memory.vectors.map(kept => kept.slice()));
    const [a, b] = [vector(new Random(4)), vector(new Random(4))];
    memory.apply(a);
    restored.apply(b);
    expect(b).toEqual(a);
  });

  it('is what the two loops over whole vectors give', () => {
    const { memory } = afterMoves(9, 4);
    const kept = memory.vectors.map(widened);
    const x = vector(new Random(6));
    const expected = Array.from(x);
    const product = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Array.from(a).reduce((sum, value, i) => sum + value * b[i]!, 0);
    const add = (factor: number, of: ArrayLike<number>) =>
      expected.forEach((value, i) => {
        expected[i] = value + factor * of[i]!;
      });
    const alphas: number[] = [];
    for (let i = 6; i >= 0; i -= 2) {
      alphas[i] = product(kept[i]!, expected) / product(kept[i]!, kept[i + 1]!);
      add(-alphas[i]!, kept[i + 1]!);
    }
    add(product(kept[6]!, kept[7]!) / product(kept[7]!, kept[7]!) - 1, expected.slice());
    for (let i = 0; i <= 6; i += 2) {
      const beta = product(kept[i + 1]!, expected) / product(kept[i]!, kept[i + 1]!);
      add(alphas[i]! - beta, kept[i]!);
    }
    memory.apply(x);
    for (let i = 0; i < size; i += 1) expect(x[i]).toBeCloseTo(expected[i]!, 11);
  });

  it('starts from a diagonal where it is given one', () => {
    const diagonal = placed(Array.from({ length: size }, (_, i) => 1 / (1 + i)));
    const memory = new LimitedMemory(space, 2, diagonal);
    const x = vector(new Random(4));
    const before = x.slice();
    memory.apply(x);
    for (let i = 0; i < size; i += 1) expect(x[i]).toBeCloseTo(before[i]! * diagonal[i]!, 12);
    // It is the inverse Hessian itself, so that moves have nothing to add to it.
    const random = new Random(5);
    for (let move = 0; move < 3; move += 1) {
      const [from, to] = [vector(random), vector(random)];
      const slopes = (at: Float64Array) => placed(at.map((value, i) => (1 + i) * value));
      memory.addMove({ from, to }, { from: slopes(from), to: slopes(to) });
      const y = vector(random);
      const expected = y.map((value, i) => value * diagonal[i]!);
      memory.apply(y);
      for (let i = 0; i < size; i += 1) expect(y[i]).toBeCloseTo(expected[i]!, 6);
    }
    const restored = new LimitedMemory(space, 2, diagonal);
    restored.restore(memory.vectors);
    const [y, z] = [placed(before), placed(before)];
    memory.apply(y);
    restored.apply(z);
    expect(z).toEqual(y);
  });
});
