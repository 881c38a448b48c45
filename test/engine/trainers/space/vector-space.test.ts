import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { MemberPieces } from '../../../../src/engine/trainers/space/member-pieces.js';
import { type Together, VectorSpace } from '../../../../src/engine/trainers/space/vector-space.js';
import { dot } from '../../../../src/engine/trainers/vectors/vectors.js';
import { widened } from './widened.js';

/** A space whose pieces are the work of several members, which take their turns in this thread. */
function spaceOf(size: number, members = 1): VectorSpace {
  const space = new VectorSpace(size);
  const others = Array.from(
    { length: members - 1 },
    (_, i) => new MemberPieces(new LinearMemory(space.memory.memory), space.places, i + 1, members),
  );
  const signals = {
    begin: () => others.forEach(other => void other.work()),
    finish: () => undefined,
  };
  if (members > 1) space.share({ members, signals: signals as unknown as Together['signals'] });
  return space;
}

function filled(space: VectorSpace, random: Random): Float64Array {
  const x = space.vector();
  for (let i = 0; i < x.length; i += 1) x[i] = random.normal();
  return x;
}

const close = (found: ArrayLike<number>, expected: ArrayLike<number>) => {
  expect(found.length).toBe(expected.length);
  let largest = 0;
  // Keeps a NaN.
  for (let i = 0; i < found.length; i += 1)
    largest = Math.max(largest, Math.abs(found[i]! - expected[i]!));
  expect(largest).toBeLessThan(1e-9);
};

describe.each([1, 7, 8, 129, 20_001])('a space of %i numbers', size => {
  it('adds, multiplies and sums as plain loops do', () => {
    const space = spaceOf(size);
    const random = new Random(size);
    const [x, y, z] = [filled(space, random), filled(space, random), filled(space, random)];
    expect(space.dot(x, y)).toBeCloseTo(dot(x, y), 8);
    const combined = x.map((value, i) => 2 * value - 0.5 * y[i]!);
    const out = space.vector();
    expect(space.combine(out, 2, x, -0.5, y, z)).toBeCloseTo(dot(combined, z), 8);
    close(out, combined);
    // The result in the place of an operand, and times itself.
    expect(space.combine(x, 2, x, -0.5, y)).toBeCloseTo(dot(combined, combined), 8);
    close(x, combined);
    expect(space.norm(z) ** 2).toBeCloseTo(dot(z, z), 8);
    z[0] = 0;
    expect(space.countActive(z)).toBe(size - 1);
    const product = y.map((value, i) => value * z[i]!);
    expect(space.multiply(y, y, z, x)).toBeCloseTo(dot(product, x), 8);
    close(y, product);
  });

  it.each([1, 3])(
    'keeps differences in bfloat16, and sums their products (%i members)',
    members => {
      const space = spaceOf(size, members);
      const random = new Random(size);
      const [x, y, z] = [filled(space, random), filled(space, random), filled(space, random)];
      // Seven of them: they are taken four, two and one at a time.
      const kept = [x, y, z, x, y, z, x].map((from, i) => {
        const less = [y, z, x][(i + Math.floor(i / 3)) % 3]!;
        const out = space.narrowVector();
        const squares = space.narrow(out, from, less);
        const wide = widened(out);
        expect(squares).toBeCloseTo(dot(wide, wide), 6);
        const isNear = wide.every((value, k) => {
          const exact = from[k]! - less[k]!;
          return Math.abs(value - exact) <= 2 ** -8 * Math.abs(exact);
        });
        expect(isNear).toBe(true);
        return out;
      });
      const table = space.narrowTable(8);
      kept.forEach((vector, i) => {
        table.addresses[i] = vector.byteOffset;
        table.factors[i] = i - 0.5;
      });
      const sums = space.products(table, 7, kept[1]!, z);
      kept.forEach((vector, i) => {
        const wide = widened(vector);
        expect(sums[2 * i]).toBeCloseTo(dot(wide, widened(kept[1]!)), 6);
        expect(sums[2 * i + 1]).toBeCloseTo(dot(wide, z), 6);
      });
      const wide = kept.map(widened);
      const mixed = z.map((value, k) =>
        wide.reduce((sum, v, i) => sum + (i - 0.5) * v[k]!, 3 * value),
      );
      space.mix(z, 3, table, 7);
      close(z, mixed);
    },
  );

  it('takes the memory of vectors that were given back again', () => {
    const space = spaceOf(size);
    const x = space.vector();
    const { byteOffset } = x.fill(1);
    space.free(x);
    expect(space.has(x)).toBe(false);
    const again = space.narrowVector();
    expect(again.byteOffset).toBe(byteOffset);
    expect(again.every(value => value === 0)).toBe(true);
  });

  it('sums sparse vectors, whatever the order of their places', () => {
    const space = spaceOf(size);
    const random = new Random(3);
    const words = new LinearMemory(space.memory.memory);
    const sparse = Array.from({ length: 3 }, () => {
      const chosen = random.shuffle(Uint32Array.from({ length: size }, (_, i) => i));
      const count = Math.ceil(size / 3);
      const [placesAt, valuesAt] = [words.allocate(4 * count), words.allocate(8 * count)];
      const places = new Uint32Array(words.buffer, placesAt, count);
      const values = new Float64Array(words.buffer, valuesAt, count);
      places.set(chosen.subarray(0, count));
      for (let i = 0; i < count; i += 1) values[i] = random.normal();
      return { places, values };
    });
    const expected = new Float64Array(size);
    for (const { places, values } of sparse) {
      places.forEach((place, i) => {
        expected[place]! += values[i]!;
      });
    }
    const out = filled(space, random);
    space.sumSparse(out, space.sparse(sparse));
    expect(out).toEqual(expected);
  });

  it.each([2, 3, 5])('has the same bytes as with one thread with %i', members => {
    const run = (space: VectorSpace) => {
      const random = new Random(5);
      const [x, y, z] = [filled(space, random), filled(space, random), filled(space, random)];
      const sums = [space.dot(x, y), space.combine(x, 3, y, 0.1, z, y), space.multiply(z, x, y)];
      return [...sums, ...x, ...z];
    };
    expect(run(spaceOf(size, members))).toEqual(run(spaceOf(size)));
  });
});

it('refuses vectors of other memory', () => {
  const space = spaceOf(4);
  expect(() => space.dot(space.vector(), new Float64Array(4))).toThrowError(TypeError);
  expect(space.has(new Float64Array(4))).toBe(false);
});
