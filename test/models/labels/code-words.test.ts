import { describe, expect, it } from 'vitest';
import {
  CodeColumns,
  codeWords,
  hammingDistance,
} from '../../../src/models/labels/code-columns.js';
import { LabelSet } from '../../../src/models/labels/label-set.js';
import { readLabels, storedLabels } from '../../../src/models/labels/stored-labels.js';

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
  ] as const)('of %j are refused for %i labels', (code, labels, problem, fix) => {
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

describe('labels that are words of a code', () => {
  const codes = { kind: 'one-against-rest', decoder: 'product' } as const;

  it('have two columns for each bit, and are read as they were stored', () => {
    const labels = new LabelSet(['X', 'Y', 'Z'], 1, new CodeColumns(codes));
    expect(labels.columns).toBe(0);
    labels.codes!.choose(labels.size);
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
