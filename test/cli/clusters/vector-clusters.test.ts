import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const animals = ['cat', 'dog', 'cow'];
const verbs = ['ran', 'sat', 'ate'];

/** A vector for each word, by what it is. */
const vectors = [...animals, ...verbs].map((word, i) => ({
  word,
  numbers: animals.includes(word) ? [4, i / 10, 0] : [i / 10, 0, 2],
}));

const clusters = (...given: string[]) =>
  tagstream(['word-clusters', '--vectors', ...given], { cwd: folder });

beforeAll(() => {
  const rows = vectors.map(({ word, numbers }) => `${word} ${numbers.join(' ')}\n`);
  writeFileSync(path('vectors.txt'), rows.join(''));
  const home = path('node_modules/wink-embeddings-test');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{ "version": "1.0.0", "main": "./vectors.json" }');
  const head = { dimensions: 3, wordIndex: 4, size: 6 };
  const all = vectors.map(({ word, numbers }, i) => [word, [...numbers, 1, i]]);
  const json = { ...head, vectors: Object.fromEntries(all) as object };
  writeFileSync(join(home, 'vectors.json'), JSON.stringify(json));
});

describe('tagstream word-clusters --vectors', () => {
  it('writes the clusters of words with like vectors, in the order of their first words', async () => {
    const { code, stdout, stderr } = await clusters('vectors.txt', '--classes', '2');
    expect(stdout).toBe('0\tcat\n0\tdog\n0\tcow\n1\tran\n1\tsat\n1\tate\n');
    expect(stderr).toMatch(
      /^6 words of 3 dimensions, read in [\d.]+ s: 2 clusters \(distance 0\.0\d{3}\), [\d.]+ s\n$/,
    );
    expect(code).toBe(0);
  });

  it('finds an installed package by its name', async () => {
    const { code, stdout } = await clusters('wink-embeddings-test', '--classes', '2');
    expect(code).toBe(0);
    expect(stdout).toBe('0\tcat\n0\tdog\n0\tcow\n1\tran\n1\tsat\n1\tate\n');
    const missing = await clusters('wink-embeddings-none');
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('npm install wink-embeddings-none');
  });

  it('writes a file for each size, of the first words of the vectors', async () => {
    const given = ['--classes', '2,4', '--words', '5', '--json', '--out', 'w-{classes}.txt'];
    const { code, stdout, stderr } = await clusters('vectors.txt', ...given);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(readFileSync(path('w-2.txt'), 'utf8')).toBe('0\tcat\n0\tdog\n0\tcow\n1\tran\n1\tsat\n');
    expect(readFileSync(path('w-4.txt'), 'utf8')).toMatch(/^00\tcat\n(?:[01]{2}\t\w+\n){4}$/);
    expect(JSON.parse(stderr)).toMatchObject({
      ...{ words: 5, dimensions: 3 },
      clusters: [{ clusters: 2 }, { clusters: 4 }],
    });
  });

  it('makes files that a pipeline trains with, by templates of whole paths', {
    tags: 'slow',
  }, async () => {
    await clusters('vectors.txt', '--classes', '4', '--out', 'four.txt');
    const train = async (bits: string) => {
      const given = `stages.1.featurize.clusters.four={file: ${path('four.txt')}${bits}}`;
      const trained = await tagstream(['train', toyPipeline(folder), '--force', '--set', given]);
      expect(trained).toMatchObject({ code: 0 });
      const { stdout } = await tagstream(['inspect', path('toy.model'), '--json']);
      return (JSON.parse(stdout) as { templates: { template: string }[] }).templates
        .map(({ template }) => template)
        .filter(template => template.includes('%cluster'));
    };
    expect(await train(', bits: none')).toEqual([
      ...[-2, -1, 0, 1, 2].map(at => `U:cluster:four[${at}]:%cluster[${at},0,four]`),
      'U:cluster:four[-1][0]:%cluster[-1,0,four]/%cluster[0,0,four]',
      'U:cluster:four[0][1]:%cluster[0,0,four]/%cluster[1,0,four]',
    ]);
    expect(await train(', bits: [1]')).toHaveLength(2 * 5 + 2 + 3);
    expect(await train('')).toHaveLength(4 * 5 + 2 + 3);
  });

  it.each([
    [['vectors.txt', '--classes', '2,3'], '--out words-{classes}.txt'],
    [['vectors.txt', '--classes', '1'], '--classes is 1 (give a whole number from 2 to 65536)'],
    [['vectors.txt', '--classes', '2;3'], '--classes 2;3 is not an allowed number'],
    [['vectors.txt', '--classes', '7'], '6 words with vectors are too few for 7 clusters'],
    [['vectors.txt', 'raw.txt', '--classes', '2'], '--vectors cannot be combined with text inputs'],
    [['vectors.txt', '--out', 'vectors.txt'], 'vectors.txt'],
  ])('refuses %j', async (given, message) => {
    const { code, stdout, stderr } = await clusters(...given);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(existsSync(path('raw.txt'))).toBe(false);
  });

  it('takes one number of classes of text', async () => {
    const { code, stderr } = await tagstream(['word-clusters', '--classes', '2,3'], {
      stdin: 'a b',
    });
    expect(code).toBe(2);
    expect(stderr).toContain('clustering text takes a single number of classes');
  });
});
