import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/core/random.js';
import { LabelSet } from '../../../src/models/labels/label-set.js';
import { parseDictionary, TagDictionary } from '../../../src/models/labels/tag-dictionary.js';

describe('a dictionary', () => {
  it('gives a word the tags of all its lines, in both forms', () => {
    const random = new Random(3);
    const names = ['A', 'B', 'C', 'D'];
    const lines = Array.from({ length: 60 }, () => {
      const word = `w${random.below(12)}`;
      const tags = Array.from({ length: 1 + random.below(2) }, () => names[random.below(4)]!);
      const isRow = random.below(2) === 0;
      return {
        ...{ word, tags },
        text: isRow ? `${word}\t${tags.join(' ')}` : JSON.stringify({ word, tags }),
      };
    });
    const entries = parseDictionary(lines.map(({ text }) => text).join('\n'));
    const words = [...new Set(lines.map(({ word }) => word))];
    expect(entries.map(([word]) => word)).toEqual(words);
    for (const states of [1, 2]) {
      const labels = new LabelSet(names, states);
      const dictionary = TagDictionary.of(entries, labels);
      for (const word of words) {
        const own = lines.filter(line => line.word === word).flatMap(({ tags }) => tags);
        const expected = names.flatMap(name => Array(states).fill(own.includes(name) ? 1 : 0));
        expect(Array.from(dictionary.allowed(word)!)).toEqual(expected);
      }
    }
  });
});
