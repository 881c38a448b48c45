import { describe, expect, it } from 'vitest';
import { FeatureExtractor } from '../../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import type { WordClusters } from '../../../../src/engine/features/resources/resources.js';
import { wordClusters } from '../../../../src/engine/features/resources/word-clusters.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { byToken } from '../extracted-rows.js';
import { sentenceOf } from '../sentence-of.js';

const brown = '0010\tcat\t9\n0011\tdog\t8\n01\truns\t7\n1\tMay\t2\n0010\tmay\t1\n';

/** Rows of a template over words, where a column `p` gives the paths of 0 and 1 as text. */
function rows(
  template: string,
  list: WordClusters,
  tokens: readonly string[],
  p: readonly string[],
) {
  const templates = parseTemplates(`${template}\nU:%x[0,p]`);
  const resources = { clusters: { brown: list } };
  const extractor = new FeatureExtractor(templates, ['form', 'p'], undefined, resources);
  extractor.open(sentenceOf(tokens, { columns: { p } }));
  return byToken(extractor.state(tokens.length, new ExactIndex(1, extractor.memory), true));
}

describe('%cluster', () => {
  it('gives the whole path of a word', () => {
    const list = wordClusters(brown);
    expect(
      rows('U:%cluster[0,0,brown]', list, ['cat', 'runs', 'May'], ['0010', '01', '1']),
    ).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
  });

  it('gives the first bits, and all of a shorter path', () => {
    const list = wordClusters(brown);
    const template = 'U:%cluster[0,0,brown,3]';
    expect(rows(template, list, ['cat', 'dog', 'runs'], ['001', '001', '01'])).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
  });

  it('gives nothing for a word that has no cluster, and the boundary outside', () => {
    const list = wordClusters(brown);
    const found = rows('U:%cluster[1,0,brown]', list, ['cat', 'Dog', 'x'], ['a', 'b', '_B+1']);
    expect(found).toEqual([[0], [1], [2, 2]]);
  });

  it('folds case where the list says so; the more frequent spelling holds', () => {
    const list = wordClusters(brown, { fold: true });
    expect(rows('U:%cluster[0,0,brown]', list, ['CAT', 'may'], ['0010', '1'])).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('distinguishes 20,000 words in 500 clusters', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `w${i}`);
    const path = (i: number) => (512 + (i % 500)).toString(2);
    const text = words.map((word, i) => `${path(i)}\t${word}\t1`).join('\n');
    const found = rows(
      'U:%cluster[0,0,brown]',
      wordClusters(text),
      words,
      words.map((_, i) => path(i)),
    );
    expect(found.every(([a, b], i) => a === b && a === i % 500)).toBe(true);
  });
});

describe('wordClusters', () => {
  it('reads lines with and without counts, and with carriage returns', () => {
    expect(wordClusters('10\tb\r\n10\ta\r\n\r\n0\tc\t3').text).toBe('0\tc\n10\ta\tb');
  });

  it.each(['01 cat 3', '\tcat\t3', '012\tcat\t3', '01\tcat\tx', '01'])(
    'refuses the line %j by its number',
    line => {
      expect(() => wordClusters(`0\ta\t1\n${line}\n`, { source: 'p.txt' })).toThrow(
        /^p\.txt:2: this line is not in the format of word clusters/,
      );
    },
  );
});
