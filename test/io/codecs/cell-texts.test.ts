import { expect, it } from 'vitest';
import { CellTexts } from '../../../src/io/codecs/cell-texts.js';

it('gives each text as it is, known or not, whatever its hash', () => {
  const texts = new CellTexts();
  const words = Array.from(
    { length: 40_000 },
    (_, i) => `w${i}${i % 30 === 0 ? '-é日'.repeat(4) : ''}`,
  );
  const bytes = words.map(word => Buffer.from(word));
  for (let round = 0; round < 2; round += 1) {
    for (const [i, word] of words.entries()) {
      // Many have the same hash.
      const text = texts.of(bytes[i]!, 0, bytes[i]!.length, Math.imul(i >> 3, 0x9e3779b1));
      if (text !== word) expect(text).toBe(word);
    }
  }
  expect(texts.size).toBe(2 ** 15);
});

it('looks for texts that are made so as to lie together at few places', () => {
  const texts = new CellTexts();
  const words = Array.from({ length: 1000 }, (_, i) => `w${i}`);
  for (let round = 0; round < 2; round += 1) {
    const found = words.map(word => texts.of(Buffer.from(word), 0, word.length, 7));
    expect(found).toEqual(words);
  }
  expect(texts.size).toBe(32);
});
