import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { ClusterCorpus } from '../../../../src/engine/features/clusters/cluster-corpus.js';
import { learnClusters } from '../../../../src/engine/features/clusters/learn-clusters.js';
import { wordClusters } from '../../../../src/engine/features/resources/word-clusters.js';
import { naiveClusters } from './naive-clusters.js';

/** Sentences whose words prefer some neighbours. */
function drawn(seed: number, sentences: number, words: number): string[][] {
  const random = new Random(seed);
  return Array.from({ length: sentences }, () => {
    let word = random.below(words);
    return Array.from({ length: 1 + random.below(9) }, () => {
      word = random.below(3) === 0 ? random.below(words) : (word * 3 + 1) % words;
      return `w${random.below(2) === 0 ? word : Math.floor(word / 2)}`;
    });
  });
}

function corpusOf(sentences: readonly (readonly string[])[]): ClusterCorpus {
  const corpus = new ClusterCorpus();
  for (const sentence of sentences) corpus.add(sentence);
  return corpus;
}

describe('learnClusters', () => {
  it.each([
    [1, 40, 7, 3, 1],
    [2, 60, 12, 4, 1],
    [3, 200, 14, 13, 3],
    [4, 25, 16, 5, 4],
    [5, 80, 10, 30, 1],
    [6, 30, 3, 2, 1],
  ])(
    'loses at each merge what counting anew says, and merges what loses least (text %i)',
    (seed, sentences, words, classes, minCount) => {
      const text = drawn(seed, sentences, words);
      const settled = corpusOf(text).settle(minCount);
      // The plain way, which takes all counts from the sentences at each step.
      const naive = naiveClusters(text, settled.words, Math.min(classes, settled.words.length));
      let merges = 0;
      const learned = learnClusters(settled, {
        classes,
        onMerge: (into, from, losses) => {
          const { losses: expected, members } = naive.next();
          const open = losses.open;
          expect(open.length).toBe(members.length);
          const sums = (list: readonly number[]) => list.map(loss => loss).sort((a, b) => a - b);
          const found = open.flatMap((a, i) => open.slice(i + 1).map(b => losses.loss(a, b)));
          const scaled = sums(found.map(loss => loss / settled.total));
          const flat = sums(expected.map(({ loss }) => loss));
          expect(scaled).toHaveLength(flat.length);
          for (const [i, loss] of scaled.entries()) {
            expect(Math.abs(loss - flat[i]!)).toBeLessThan(1e-10);
          }
          const chosen = losses.loss(into, from) / settled.total;
          expect(Math.abs(chosen - flat[0]!)).toBeLessThan(1e-10);
          naive.merge(losses.seen[into]!, losses.seen[from]!, chosen);
          merges += 1;
        },
      });
      expect(merges).toBe(settled.words.length - 1);
      expect(learned.mutualInformation).toBeCloseTo(naive.information(), 10);
      const clusters = new Map<string, string[]>();
      for (const { path, word } of learned.words) {
        clusters.set(path, [...(clusters.get(path) ?? []), word]);
      }
      const sorted = (sets: Iterable<readonly string[]>) =>
        [...sets].map(set => [...set].sort().join(' ')).sort();
      expect(sorted(clusters.values())).toEqual(sorted(naive.clusters()));
      expect(learned.clusters).toBe(clusters.size);
    },
  );

  it('gives paths none of which begins another', () => {
    const { words } = learnClusters(corpusOf(drawn(9, 300, 60)).settle(1), { classes: 16 });
    const paths = [...new Set(words.map(({ path }) => path))];
    expect(paths).toHaveLength(16);
    for (const a of paths) {
      expect(paths.filter(b => b.startsWith(a))).toEqual([a]);
    }
    // All leaves of a binary tree.
    expect(paths.reduce((sum, path) => sum + 2 ** -path.length, 0)).toBe(1);
  });

  it('brings words together that stand in the same places', () => {
    const random = new Random(3);
    const pick = (list: string) => list[random.below(list.length)]!;
    const text = Array.from({ length: 400 }, () => [pick('abc'), pick('xyz'), pick('MNO')]);
    const { words } = learnClusters(corpusOf(text).settle(2), { classes: 3 });
    const groups = new Map<string, string>();
    for (const { path, word } of words) groups.set(path, (groups.get(path) ?? '') + word);
    const sorted = [...groups.values()].map(group => [...group].sort().join('')).sort();
    expect(sorted).toEqual(['MNO', 'abc', 'xyz']);
  });

  it('gives the same for the same text, whatever came before', () => {
    const text = drawn(5, 200, 50);
    const once = learnClusters(corpusOf(text).settle(1), { classes: 9 });
    learnClusters(corpusOf(drawn(6, 50, 20)).settle(1), { classes: 5 });
    expect(learnClusters(corpusOf(text).settle(1), { classes: 9 })).toEqual(once);
    expect(once.words.reduce((sum, { count }) => sum + count, 0)).toBe(text.flat().length);
  });
});

describe('ClusterCorpus', () => {
  it('counts words and pairs, rare words as one and the ends of sentences as one', () => {
    const corpus = corpusOf([
      ['b', 'a', 'c'],
      ['a', 'b'],
      ['d', 'tab\t', 'a'],
    ]);
    const { words, counts, from, to, times, total } = corpus.settle(2);
    expect(words).toEqual(['a', 'b']);
    expect([...counts]).toEqual([3, 2]);
    expect(total).toBe(11);
    const pairs = Array.from(from, (each, i) => [each, to[i], times[i]]);
    expect(pairs).toEqual([
      [0, 0, 1],
      [0, 1, 1],
      [0, 2, 1],
      [1, 0, 1],
      [1, 2, 1],
      [1, 3, 1],
      [2, 0, 1],
      [2, 1, 1],
      [2, 3, 1],
      [3, 1, 1],
      [3, 2, 1],
    ]);
  });

  it('leaves out words that no line of a file can hold', () => {
    const odd = ['', 'a\tb', 'a\nb', 'a\rb', '\r', 'a', 'a b', '\u2028', 'é', ' '];
    const settled = corpusOf([odd, odd]).settle(2);
    expect(settled.words).toEqual([' ', 'a', 'a b', 'é', '\u2028']);
    const { words } = learnClusters(settled, { classes: 3 });
    const text = words.map(({ path, word, count }) => `${path}\t${word}\t${count}\n`).join('');
    const read = wordClusters(text)
      .text.split('\n')
      .flatMap(line => line.split('\t').slice(1));
    expect(read.sort()).toEqual([...settled.words].sort());
  });

  it('folds case on request, and grows', () => {
    const corpus = new ClusterCorpus({ fold: true });
    for (let i = 0; i < 30_000; i += 1) corpus.add(['The', 'the', 'x', 'X']);
    expect(corpus.size).toBe(150_000);
    expect(corpus.settle(1)).toMatchObject({
      words: ['the', 'x'],
      counts: Float64Array.of(60_000, 60_000),
    });
  });

  it('refuses too little text', () => {
    expect(() => corpusOf([['a', 'a', 'b']]).settle(2)).toThrow(
      'too few words to cluster: 1 occur at least 2 times',
    );
  });
});
