import { describe, expect, it } from 'vitest';
import {
  CodeColumns,
  chooseWords,
  codeWords,
  hammingDistance,
  wordsProblem,
} from '../../../../src/engine/models/labels/code-columns.js';
import { LabelSet } from '../../../../src/engine/models/labels/label-set.js';
import { readLabels, storedLabels } from '../../../../src/engine/models/labels/stored-labels.js';

const random = (bits: number, distance: number, seed = 1) =>
  ({ kind: 'random', bits, distance, seed }) as const;

/** The smallest number of bits in which two words differ. */
function distanceOf(words: readonly (readonly number[])[]): number {
  const distances = words.flatMap((word, y) =>
    words.slice(y + 1).map(other => hammingDistance(word, other)),
  );
  return Math.min(...distances);
}

/** The ways in which bits cut the labels in two. */
function cutsOf(words: readonly (readonly number[])[]): Set<string> {
  const cuts = words[0]!.map((first, b) => words.map(word => +(word[b] !== first)).join(''));
  return new Set(cuts);
}

describe('the words of labels', () => {
  it.each([2, 3, 7])('are one against the rest of %i', labels => {
    const words = codeWords({ kind: 'one-against-rest' }, labels);
    expect(words.map(word => word.indexOf(1))).toEqual(Array.from(words.keys()));
    expect(words.every(word => word.reduce((sum, bit) => sum + bit, 0) === 1)).toBe(true);
  });

  it.each([2, 3, 4, 7])('are all cuts of %i labels, each once', labels => {
    const words = codeWords({ kind: 'exhaustive' }, labels);
    const bits = 2 ** (labels - 1) - 1;
    expect(words[0]).toHaveLength(bits);
    const cuts = cutsOf(words);
    expect([cuts.size, cuts.has('0'.repeat(labels))]).toEqual([bits, false]);
    expect(distanceOf(words)).toBe(2 ** (labels - 2));
  });

  it.each([
    [3, 3, 2],
    [5, 10, 4],
    [20, 15, 5],
    [50, 15, 3],
    [50, 31, 8],
  ])('are %i random ones of %i bits that differ in %i', (labels, bits, distance) => {
    const words = codeWords(random(bits, distance), labels);
    expect(words).toHaveLength(labels);
    expect(distanceOf(words)).toBeGreaterThanOrEqual(distance);
    const cuts = cutsOf(words);
    expect([cuts.size, cuts.has('0'.repeat(labels))]).toEqual([bits, false]);
    expect(codeWords(random(bits, distance), labels)).toEqual(words);
    expect(codeWords(random(bits, distance, 2), labels)).not.toEqual(words);
  });

  it.each([
    [{ kind: 'exhaustive' }, 12, '2047 bits', 'random'],
    [{ kind: 'one-against-rest' }, 1, '1 label', 'leave codes out'],
    [random(4, 1), 3, 'more than there are ways', '3 bits'],
    [random(6, 5), 8, 'no code with 6 bits and distance 5', 'smaller distance'],
    [random(3, 1), 9, 'no code', 'more bits'],
    [random(31, 1), 6, 'no code', 'exhaustive'],
  ] as const)('of %j are refused for %i labels', { tags: 'slow' }, (code, labels, problem, fix) => {
    let thrown: unknown;
    try {
      codeWords(code, labels);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'config' });
    expect((thrown as Error).message).toContain(problem);
    expect((thrown as Error).message).toContain(fix);
  });
});

/** The cost that `chooseWords` lowers, summed over all pairs as its formula has it. */
function costOf(words: readonly (readonly number[])[], weight: (y: number, z: number) => number) {
  const bits = words[0]!.length;
  let cost = 0;
  for (const [y, word] of words.entries()) {
    for (let z = 0; z < y; z += 1) cost += weight(z, y) * 2 ** -hammingDistance(word, words[z]!);
  }
  for (let b = 0; b < bits; b += 1) {
    for (let c = 0; c < b; c += 1) {
      const apart = words.filter(word => word[b] !== word[c]).length;
      cost += (2 / bits ** 2) * 2 ** -Math.min(apart, words.length - apart);
    }
  }
  return cost;
}

describe('words that are chosen', () => {
  const named = (labels: number) => Array.from({ length: labels }, (_, y) => `L${y}`);

  it.each([
    [6, 7],
    [9, 15],
    [20, 15],
  ])(
    'of %i labels and %i bits are no nearer than the best of 100 random codes',
    { tags: 'slow' },
    (labels, bits) => {
      const words = chooseWords(named(labels), { bits });
      const even = 2 / (labels * (labels - 1));
      const others = Array.from({ length: 100 }, (_, seed) =>
        codeWords(random(bits, 1, seed), labels),
      );
      expect(distanceOf(words)).toBeGreaterThanOrEqual(Math.max(...others.map(distanceOf)));
      const costs = others.map(other => costOf(other, () => even));
      expect(costOf(words, () => even)).toBeLessThan(Math.min(...costs));
      const cuts = cutsOf(words);
      expect([cuts.size, cuts.has('0'.repeat(labels))]).toEqual([bits, false]);
      expect(chooseWords(named(labels), { bits, seed: 1 })).toEqual(words);
      expect(chooseWords(named(labels), { bits, seed: 2 })).not.toEqual(words);
    },
  );

  it.each([
    [3, 2],
    [4, 2],
    [4, 3],
  ])(
    'of %i labels and %i bits cost the least of all codes, with and without confusions',
    (labels, bits) => {
      for (const confusions of [[], [{ gold: 'L0', predicted: 'L2', count: 9 }]]) {
        const even = 2 / (labels * (labels - 1));
        const weight = (y: number, z: number) =>
          confusions.length === 0 ? even : (even + +(y === 0 && z === 2)) / 2;
        let least = Number.POSITIVE_INFINITY;
        for (let table = 0; table < 2 ** (labels * bits); table += 1) {
          const words = Array.from({ length: labels }, (_, y) =>
            Array.from({ length: bits }, (__, b) => (table >> (y * bits + b)) & 1),
          );
          const cuts = cutsOf(words);
          if (distanceOf(words) === 0 || cuts.size < bits || cuts.has('0'.repeat(labels))) continue;
          least = Math.min(least, costOf(words, weight));
        }
        expect(costOf(chooseWords(named(labels), { bits, confusions }), weight)).toBeCloseTo(
          least,
          12,
        );
      }
    },
  );

  it('are farther apart where labels are confused, and whatever other labels are', () => {
    const confusions = [
      { gold: 'L3', predicted: 'L7', count: 40 },
      { gold: 'L7', predicted: 'L3', count: 20 },
      { gold: 'elsewhere', predicted: 'L1', count: 1000 },
    ];
    const words = chooseWords(named(12), { bits: 10, confusions });
    const plain = chooseWords(named(12), { bits: 10 });
    expect(hammingDistance(words[3]!, words[7]!)).toBeGreaterThan(
      hammingDistance(plain[3]!, plain[7]!),
    );
    expect(chooseWords(named(12), { bits: 10, confusions: confusions.slice(0, 2) })).toEqual(words);
  });

  it.each([
    [1, 1, '1 label'],
    [3, 4, 'more than there are ways'],
    [5, 2, 'no code of 2 bits'],
  ])('are refused for %i labels and %i bits', (labels, bits, problem) => {
    expect(() => chooseWords(named(labels), { bits })).toThrow(problem);
  });

  it('are those of a model, kept with its labels', () => {
    const columns = new CodeColumns({ kind: 'chosen', bits: 5, seed: 3, decoder: 'product' });
    columns.choose(named(6));
    expect(columns.codes.words).toEqual(chooseWords(named(6), { bits: 5, seed: 3 }));
  });
});

/** Whether a table is a code, by comparing all words with all others, and all columns with both constants. */
function isCode(words: readonly string[]): boolean {
  const apart = words.every((word, y) =>
    words.every((other, z) => y === z || [...word].some((bit, b) => bit !== other[b])),
  );
  const columns = Array.from(words[0]!, (_, b) => words.map(word => word[b]).join(''));
  return apart && columns.every(column => column.includes('0') && column.includes('1'));
}

describe('a table of words', () => {
  it('has a problem where it is no code, for every table of three words of three bits', () => {
    let codes = 0;
    for (let table = 0; table < 512; table += 1) {
      const digits = table.toString(2).padStart(9, '0');
      const words = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)];
      const [X, Y, Z] = words as [string, string, string];
      expect(wordsProblem({ X, Y, Z }) === undefined, words.join(' ')).toBe(isCode(words));
      codes += +isCode(words);
    }
    // Columns that are not constant, 6^3, but those of which two words are the same.
    expect(codes).toBe(6 ** 3 - 3 * 2 ** 3);
  });

  it.each([
    [{ X: '0' }, 'two labels at least'],
    [{ X: '01', Y: '0' }, 'the word of "Y" has 1 bit, that of "X" has 2'],
    [{ X: '01', Y: '0a' }, 'the word "0a" of "Y"'],
    [{ X: '', Y: '' }, 'the word "" of "X"'],
    [{ X: '01', Y: '10', Z: '01' }, '"X" and "Z" have the same word, 01'],
    [{ X: '011', Y: '001' }, 'bit 1 is 0 in every word'],
    [{ X: '0'.repeat(1025), Y: '1' }, 'more than 1024 bits'],
  ])('such as %j is refused, and the error says where', (words, problem) => {
    expect(wordsProblem(words)).toContain(problem);
    const columns = new CodeColumns({ kind: 'words', words, decoder: 'product' });
    expect(() => columns.choose(['X', 'Y'])).toThrow('give each label a word of its own');
  });

  it('gives each label its word, whatever the order, and refuses a label without one', () => {
    const words = { Z: '10', X: '01', Y: '11' };
    const columns = new CodeColumns({ kind: 'words', words, decoder: 'product' });
    columns.choose(['X', 'Y', 'Z']);
    expect(columns.codes.words.map(word => word.join(''))).toEqual(['01', '11', '10']);
    for (const name of ['W', 'toString']) {
      expect(() => columns.choose(['X', name])).toThrow(`the label "${name}" has no word`);
    }
  });
});

describe('labels that are words of a code', () => {
  const codes = { kind: 'one-against-rest', decoder: 'product' } as const;

  it('have two columns for each bit, and are read as they were stored', () => {
    const labels = new LabelSet(['X', 'Y', 'Z'], 1, new CodeColumns(codes));
    expect(labels.columns).toBe(0);
    labels.codes!.choose(labels.names);
    expect([labels.size, labels.columns, labels.columnName(3)]).toEqual([3, 6, 'bit2=1']);
    const stored = storedLabels(labels);
    const read = readLabels(stored, { codes })!;
    expect([read.names, read.columnNames]).toEqual([labels.names, labels.columnNames]);
    expect(read.codes!.codes).toEqual({ words: labels.codes!.codes.words, decoder: 'product' });
  });

  it('are not read where they do not fit together', () => {
    const labels = ['bit1=0', 'bit1=1'];
    const words = { names: ['X', 'Y'], digits: ['0', '1'] };
    expect(readLabels({ labels, words }, { codes })!.names).toEqual(['X', 'Y']);
    for (const [wrong, spec] of [
      [{ labels, words }, {}],
      [{ labels }, { codes }],
      [{ labels: ['bit1=0', 'bit2=1'], words }, { codes }],
      [{ labels: ['bit1=0'], words }, { codes }],
      [{ labels, words: { names: ['X', 'X'], digits: ['0', '1'] } }, { codes }],
      [{ labels, words: { names: ['X'], digits: ['0', '1'] } }, { codes }],
      [{ labels, words: { names: ['X', 'Y'], digits: ['0', '2'] } }, { codes }],
      [{ labels, words: { names: ['X', 'Y'], digits: ['0', '11'] } }, { codes }],
      [{ labels, words, pairs: { first: [0], second: [1] } }, { codes }],
    ] as const) {
      expect(readLabels(wrong, spec)).toBeUndefined();
    }
  });
});
