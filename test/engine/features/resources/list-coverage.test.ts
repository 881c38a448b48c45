import { describe, expect, it } from 'vitest';
import {
  listCoverage,
  listProblems,
} from '../../../../src/engine/features/resources/list-coverage.js';
import { quantisedVectors } from '../../../../src/engine/features/resources/quantised-vectors.js';
import { wordClusters } from '../../../../src/engine/features/resources/word-clusters.js';

const tokens = ['The', 'dog', 'sees', 'the', 'cat', ',', '3', 'Bath'];

/** Clusters of numbered words in codes of so many bits, or as deep as a tree of Brown clusters has them. */
const codes = (bits: (i: number) => number) =>
  Array.from({ length: 16 }, (_, i) => {
    const code = i.toString(2).padStart(4, '0').padEnd(bits(i), '1');
    return `${code}\tw${i}\t1\n`;
  }).join('');

const vectorsOf = (words: string[], fold: boolean) =>
  quantisedVectors(
    { words, dimensions: 1, values: Float32Array.from(words, (_, i) => i + 1) },
    { fold },
  );

describe('listCoverage', () => {
  it('counts the tokens with a letter that clusters and vectors have, also in lower case', () => {
    const words = ['the', 'dog', 'sees', ','];
    const plain = { kind: 'vectors', name: 'v', share: 3 / 6, folded: 4 / 6 };
    expect(listCoverage({ vectors: { v: vectorsOf(words, false) } }, tokens)).toEqual([plain]);
    const folded = { ...plain, share: 4 / 6 };
    expect(listCoverage({ vectors: { v: vectorsOf(words, true) } }, tokens)).toEqual([folded]);
    const clusters = { brown: wordClusters('0\tBath\n10\tcat\n11\tdog\n') };
    expect(listCoverage({ clusters }, tokens)).toEqual([
      { kind: 'clusters', name: 'brown', share: 0.5, folded: 0.5 },
    ]);
  });

  it('says nothing of text without a letter, and of names', () => {
    const vectors = { v: vectorsOf(['the'], false) };
    expect(listCoverage({ vectors }, ['3', '.'])).toEqual([]);
    expect(listCoverage({ gazetteers: { g: { text: 'the', fold: false } } }, tokens)).toEqual([]);
  });

  it.each([
    ['codes of one length', () => 6, undefined, 6],
    ['codes of one length that are used whole', () => 6, [], undefined],
    ['codes of one length with bits of their own', () => 6, [2, 4], 6],
    ['the depths of a tree', (i: number) => 4 + (i % 3), undefined, undefined],
  ])('tells %s', (_, bits, asked, equalBits) => {
    const clusters = { c: wordClusters(codes(bits), { bits: asked }) };
    expect(listCoverage({ clusters }, tokens)[0]!.equalBits).toBe(equalBits);
  });
});

describe('listProblems', () => {
  const good = { kind: 'clusters', name: 'c', share: 0.9, folded: 0.91 } as const;

  it.each([
    [good, []],
    [{ ...good, share: 0.8 }, ['clusters c cover 80 % of the words, 91 % in lower case']],
    [{ ...good, share: 0.4, folded: 0.4 }, ['clusters c cover 40 % of the words, too few to help']],
    [{ ...good, equalBits: 7 }, ['clusters c: all paths have 7 bits']],
  ])('of %j', (coverage, problems) => {
    const found = listProblems(coverage);
    expect(found).toHaveLength(problems.length);
    for (const [i, problem] of problems.entries()) expect(found[i]).toContain(problem);
  });
});
