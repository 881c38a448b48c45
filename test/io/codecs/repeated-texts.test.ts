import { expect, it } from 'vitest';
import { RepeatedTexts } from '../../../src/io/codecs/conll/conll-layout.js';

it('gives each text back as it is, short or long, known or not', () => {
  const texts = new RepeatedTexts();
  for (let round = 0; round < 2; round += 1) {
    for (let i = 0; i < 40_000; i += 1) {
      const text = `w${i}${i % 3 === 0 ? '-a-long-compound' : ''}`;
      if (texts.of(text) !== text) expect(texts.of(text)).toBe(text);
    }
  }
  expect(['', 'é', '😀', 'B-NP', '__proto__'].map(text => texts.of(text))).toEqual([
    '',
    'é',
    '😀',
    'B-NP',
    '__proto__',
  ]);
});
